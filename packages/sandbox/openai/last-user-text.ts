import { isJsonArray, isJsonObject, type Json } from "../json.ts";

/** The last text of the user: in messages, in an input, or in an image prompt. */
export function lastUserText(body: Json | undefined): string {
  if (!isJsonObject(body)) return "";
  const { messages, input, prompt } = body;
  if (typeof prompt === "string") return prompt;
  if (typeof input === "string") return input;
  const list = isJsonArray(messages) ? messages : isJsonArray(input) ? input : [];
  const last = list.findLast((each) => isJsonObject(each) && each["role"] === "user");
  // Only texts and parts without a role are moderated.
  if (last === undefined) return textOf(list);
  return isJsonObject(last) ? textOf(last["content"]) : "";
}

function textOf(content: Json | undefined): string {
  if (typeof content === "string") return content;
  const parts = isJsonArray(content) ? content : [];
  return parts
    .map((part) => {
      const text = isJsonObject(part) ? part["text"] : part;
      return typeof text === "string" ? text : "";
    })
    .join("\n");
}
