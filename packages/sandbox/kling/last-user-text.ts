import { isJsonArray, isJsonObject, type Json } from "../json.ts";

/** The words of either style, those of single shots among them. */
export function lastUserText(body: Json | undefined): string {
  if (!isJsonObject(body)) return "";
  const listed = [body["contents"], body["multi_prompt"]].flatMap((list) =>
    isJsonArray(list)
      ? list.filter(isJsonObject).flatMap(({ text, prompt }) => [text, prompt])
      : [],
  );
  return [body["prompt"], ...listed].filter((text) => typeof text === "string").join("\n");
}
