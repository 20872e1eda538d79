import {
  isJsonArray,
  isJsonObject,
  jsonText,
  type Json,
  type JsonObject,
} from "@sluice/sandbox/json.ts";
import { calling, plainMessage, type Entry } from "./entry.ts";

/** Output of a response, as input of the continued conversation. */
export function outputEntries(output: readonly JsonObject[]): readonly Entry[] {
  return output.map((item, index) => {
    const before = output[index - 1];
    const reasoningId = before?.["type"] === "reasoning" ? jsonText(before["id"]) : undefined;
    const entry = entryOf(item);
    return reasoningId === undefined ? entry : { ...entry, reasoningId };
  });
}

function entryOf(item: JsonObject): Entry {
  const type = jsonText(item["type"]);
  const entry = { item, type, id: jsonText(item["id"]), isOutput: true, messages: [] };
  if (type === "message") {
    const text = textsOf(item["content"]).join("\n");
    return { ...entry, messages: [plainMessage("assistant", text)] };
  }
  if (type !== "function_call" && type !== "custom_tool_call") return entry;
  const isFunction = type === "function_call";
  const callId = jsonText(item["call_id"]);
  const call = calling({
    id: callId,
    kind: isFunction ? "function" : "custom",
    name: jsonText(item["name"]),
    input: jsonText(item[isFunction ? "arguments" : "input"]),
  });
  return { ...entry, messages: [call], callId };
}

function textsOf(content: Json | undefined): readonly string[] {
  const parts = isJsonArray(content) ? content.filter(isJsonObject) : [];
  return parts.map((part) => jsonText(part["text"] ?? part["refusal"]));
}
