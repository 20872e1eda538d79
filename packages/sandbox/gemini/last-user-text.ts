import { isJsonArray, isJsonObject, type Json } from "../json.ts";

/** The last message of the user, read before validation. */
export function lastUserText(body: Json | undefined): string {
  const [instance] = asList(fieldOf(body, "instances"));
  const prompt = fieldOf(instance, "prompt");
  if (typeof prompt === "string") return prompt;
  const request = fieldOf(body, "generateContentRequest") ?? body;
  const contents = asList(fieldOf(request, "contents"));
  const said = contents
    .filter((content) => fieldOf(content, "role") !== "model")
    .map((content) => asList(fieldOf(content, "parts")).map(textOf).join("\n"));
  return said.findLast((text) => text.trim() !== "") ?? "";
}

function textOf(part: Json): string {
  const text = fieldOf(part, "text");
  return typeof text === "string" ? text : "";
}

function fieldOf(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}

function asList(value: Json | undefined): readonly Json[] {
  if (isJsonArray(value)) return value;
  return value === undefined ? [] : [value];
}
