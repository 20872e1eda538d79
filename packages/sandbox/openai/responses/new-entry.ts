import type { JsonObject } from "@sluice/sandbox/json.ts";
import { invalid } from "../error.ts";
import { field, readText } from "../fields.ts";
import type { Entry } from "./entry.ts";
import { newItemId } from "./item-ids.ts";

/** An unread item, with its own id or a new one. */
export function newEntry(item: JsonObject, type: string, path: string): Entry {
  const prefix = PREFIXES[type] ?? "item";
  const id = readText(field(item, "id", `${path}.id`), 64);
  if (id !== undefined && prefix !== "item" && !id.startsWith(prefix)) {
    throw invalid(
      `${path}.id`,
      "invalid_value",
      `Invalid '${path}.id': '${id}'. Expected an ID that begins with '${prefix}'.`,
    );
  }
  const given = id ?? newItemId(prefix);
  return { item: { ...item, id: given, type }, type, id: given, isOutput: false, messages: [] };
}

/** The letters that an id of the type begins with. */
const PREFIXES: Readonly<Record<string, string>> = {
  message: "msg",
  reasoning: "rs",
  compaction: "cmp",
  function_call: "fc",
  function_call_output: "fc",
  custom_tool_call: "ctc",
  custom_tool_call_output: "ctc",
  web_search_call: "ws",
  file_search_call: "fs",
};
