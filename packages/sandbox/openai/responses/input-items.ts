import {
  isJsonArray,
  jsonText,
  parseJson,
  type Json,
  type JsonObject,
} from "@sluice/sandbox/json.ts";
import { ApiError, invalid } from "../error.ts";
import { field, readChoice, readObject, readText, required } from "../fields.ts";
import { callReader, outputReader } from "./call-items.ts";
import { plainMessage, type Entry } from "./entry.ts";
import { INPUT_PARTS, readInputContent } from "./input-content.ts";
import { newEntry } from "./new-entry.ts";
import { EVERY_EFFORT } from "../models.ts";
import type { ResponseStore } from "./response-store.ts";
import type { Seal } from "./sealed-content.ts";
import { refuseUnknown } from "../unknown-parameters.ts";

export interface ItemReaders {
  readonly owner: string;
  readonly store: ResponseStore;
  readonly seal: Seal;
}

/** The items of a request, each with an id, as the vendor keeps them. */
export function readItems(list: readonly Json[], readers: ItemReaders): readonly Entry[] {
  return list.map((value, index) => {
    const path = `input[${index}]`;
    const item = required({ path, value }, readObject({ path, value }));
    const entry = readItem(item, path, readers);
    const reasoningId = readers.store.findItem(entry.id, readers.owner)?.reasoningId;
    return reasoningId === undefined ? entry : { ...entry, reasoningId };
  });
}

function readItem(item: JsonObject, path: string, readers: ItemReaders): Entry {
  const type = readText(field(item, "type", `${path}.type`));
  if (type === undefined)
    return "role" in item ? readMessage(item, path) : readReference(item, path, readers);
  const read = Object.hasOwn(READERS, type) ? READERS[type] : undefined;
  if (read !== undefined) return read(item, path, readers);
  if (CARRIED.includes(type)) return { ...newEntry(item, type, path), isOutput: true };
  const list = [...Object.keys(READERS), ...CARRIED].toSorted().map((each) => `'${each}'`);
  const hint = INPUT_PARTS.includes(type) ? " Content belongs into a message." : "";
  throw invalid(
    path,
    "invalid_value",
    `Invalid value: '${type}'. Supported values are: ${list.join(", ")}.${hint}`,
  );
}

type ItemReader = (item: JsonObject, path: string, readers: ItemReaders) => Entry;

const READERS: Readonly<Record<string, ItemReader>> = {
  message: readMessage,
  item_reference: readReference,
  reasoning: readReasoning,
  compaction: readCompaction,
  configuration_update: readConfigurationUpdate,
  additional_tools: readAddedTools,
  function_call: callReader("function_call", "name", "arguments"),
  custom_tool_call: callReader("custom_tool_call", "name", "input"),
  local_shell_call: callReader("local_shell_call", undefined, "action"),
  shell_call: callReader("shell_call", undefined, "action"),
  apply_patch_call: callReader("apply_patch_call", undefined, "operation"),
  computer_call: callReader("computer_call", undefined, "action"),
  function_call_output: outputReader("function_call_output"),
  custom_tool_call_output: outputReader("custom_tool_call_output"),
  local_shell_call_output: outputReader("local_shell_call_output"),
  shell_call_output: outputReader("shell_call_output"),
  apply_patch_call_output: outputReader("apply_patch_call_output"),
  computer_call_output: outputReader("computer_call_output"),
};

/** Actions of the vendor's tools: kept with the conversation, but not read by the sandbox's model. */
const CARRIED: readonly string[] = [
  "web_search_call",
  "file_search_call",
  "code_interpreter_call",
  "image_generation_call",
  "mcp_list_tools",
  "mcp_approval_request",
  "mcp_approval_response",
  "mcp_call",
  "tool_search_call",
  "tool_search_output",
  "program",
  "program_output",
  "compaction_trigger",
];

function readMessage(item: JsonObject, path: string): Entry {
  refuseUnknown(item, ["type", "id", "role", "status", "content", "phase"], path);
  const roleField = field(item, "role", `${path}.role`);
  const role = required(
    roleField,
    readChoice(roleField, ["assistant", "system", "developer", "user"]),
  );
  const side = role === "assistant" ? "output" : "input";
  const content = readInputContent(field(item, "content").value, side, `${path}.content`);
  const entry = newEntry(item, "message", path);
  const part =
    side === "output"
      ? { type: "output_text", annotations: [], logprobs: [] }
      : { type: "input_text" };
  const text = item["content"];
  return {
    ...entry,
    item: {
      ...entry.item,
      role,
      status: item["status"] ?? "completed",
      content: typeof text === "string" ? [{ ...part, text }] : (text ?? []),
    },
    isOutput: role === "assistant",
    messages: [{ ...plainMessage(role, ""), ...content }],
  };
}

/** Its tools are read with those of the request. */
function readAddedTools(item: JsonObject, path: string): Entry {
  refuseUnknown(item, ["type", "id", "role", "tools"], path);
  required(
    field(item, "role", `${path}.role`),
    readChoice(field(item, "role", `${path}.role`), ["developer"]),
  );
  const tools = field(item, "tools", `${path}.tools`);
  required(tools, isJsonArray(tools.value) ? tools.value : undefined);
  return newEntry(item, "additional_tools", path);
}

/** Changes the effort or the format of the answer from here on. */
function readConfigurationUpdate(item: JsonObject, path: string): Entry {
  refuseUnknown(item, ["type", "id", "reasoning", "text"], path);
  const reasoning = readObject(field(item, "reasoning", `${path}.reasoning`));
  readChoice(field(reasoning ?? {}, "effort", `${path}.reasoning.effort`), EVERY_EFFORT);
  readObject(field(item, "text", `${path}.text`));
  return newEntry(item, "configuration_update", path);
}

/** An item that the vendor has stored, by its id. */
function readReference(item: JsonObject, path: string, { store, owner }: ItemReaders): Entry {
  const place = field(item, "id", `${path}.id`);
  const id = required(place, readText(place));
  const found = store.findItem(id, owner);
  if (found !== undefined) return found;
  throw unknownItem(id);
}

function unknownItem(id: string): ApiError {
  return new ApiError(404, {
    message: `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
    param: "input",
  });
}

function readReasoning(item: JsonObject, path: string, { seal, owner, store }: ItemReaders): Entry {
  refuseUnknown(item, ["type", "id", "summary", "content", "encrypted_content", "status"], path);
  const summary = field(item, "summary", `${path}.summary`);
  required(summary, isJsonArray(summary.value) ? summary.value : undefined);
  const entry = { ...newEntry(item, "reasoning", path), isOutput: true };
  const sealed = readText(field(item, "encrypted_content", `${path}.encrypted_content`));
  if (sealed === undefined) {
    if (store.findItem(entry.id, owner) === undefined) throw unknownItem(entry.id);
    return entry;
  }
  if (seal.open(sealed, owner) === undefined) throw unreadable(sealed);
  return entry;
}

function unreadable(sealed: string): Error {
  return invalid(
    null,
    "invalid_encrypted_content",
    `The encrypted content ${sealed.slice(0, 8)}... could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
  );
}

/** A conversation that was made short: the sandbox has all of it inside, and reads it again. */
function readCompaction(item: JsonObject, path: string, { seal, owner }: ItemReaders): Entry {
  refuseUnknown(item, ["type", "id", "encrypted_content"], path);
  const content = field(item, "encrypted_content", `${path}.encrypted_content`);
  const sealed = required(content, readText(content));
  const text = seal.open(sealed, owner);
  if (text === undefined) throw unreadable(sealed);
  const said = parseJson(text);
  const messages = isJsonArray(said) ? said.map(jsonText) : [];
  return {
    ...newEntry(item, "compaction", path),
    isOutput: true,
    messages: messages.map((each) => plainMessage("system", each)),
  };
}
