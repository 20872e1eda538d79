import type { JsonObject } from "../json.ts";
import { readCitations } from "./citations-in.ts";
import { invalid } from "./error.ts";
import { field, readText, refuseExtras, required } from "./fields.ts";

/** A text of a message, of a tool's result, or of the system prompt. */
export function readTextBlock(object: JsonObject, at: string): string {
  refuseExtras(object, ["type", "text", "cache_control", "citations"], at);
  readCitations(field(object, "citations", at));
  const text = required(field(object, "text", at), readText);
  if (text === "" && object["cache_control"] !== undefined && object["cache_control"] !== null)
    throw invalid("", "cache_control cannot be set for empty text blocks");
  return text;
}
