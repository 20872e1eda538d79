import { isObject, parseJson, type Json } from "#lib/json.ts";
import { argumentsOf, listOf, memberOf, textOf } from "#lib/values.ts";
import { endOfString, OutputText } from "#styles/text/chat/answer/output-text.ts";
import { reasoningTextOf } from "../conversation/item-in.ts";

/** All that a model wrote in a response, whatever it was for. */
export function outputTextIn(response: Json | undefined): string {
  return listOf(memberOf(response, "output")).map(textInItem).join("");
}

function textInItem(item: Json): string {
  if (!isObject(item)) return "";
  switch (item["type"]) {
    case "message":
      return listOf(item["content"])
        .map((part) => textOf(memberOf(part, "text") ?? memberOf(part, "refusal")) ?? "")
        .join("");
    case "reasoning":
      return reasoningTextOf(item);
    default:
      return (textOf(item["name"]) ?? "") + argumentsOf(item["arguments"] ?? item["input"]);
  }
}

/** What the deltas of a stream left out: the names of calls and, at some servers, their arguments. */
export function callsIn(response: Json | undefined, withArguments: boolean): string {
  return listOf(memberOf(response, "output"))
    .filter(isObject)
    .filter(({ type }) => type === "function_call" || type === "custom_tool_call")
    .map((call) => (withArguments ? textInItem(call) : (textOf(call["name"]) ?? "")))
    .join("");
}

/** In this style a delta is a plain string, whatever it is a piece of. */
export function openOutputText(): OutputText {
  return new OutputText(textOfDelta);
}

/** Of a text that begins with the colon before the delta. */
function textOfDelta(text: string): string {
  const from = text.indexOf('"');
  if (from < 0 || text.slice(0, from).trim() !== ":") return "";
  const delta = parseJson(text.slice(from, endOfString(text, from) + 1));
  return typeof delta === "string" ? delta : "";
}
