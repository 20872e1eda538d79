import { isJsonArray, jsonText, type JsonObject } from "@sluice/sandbox/json.ts";
import { field, readText, required } from "../fields.ts";
import type { Message } from "../messages.ts";
import { calling, plainMessage, type Entry } from "./entry.ts";
import { readInputContent } from "./input-content.ts";
import { newEntry } from "./new-entry.ts";

type CallItemReader = (item: JsonObject, path: string) => Entry;

/** Reads a call; a tool of the vendor's own has no name besides its type. */
export function callReader(
  type: string,
  nameField: string | undefined,
  inputField: string,
): CallItemReader {
  return (item, path) => {
    const callId = readCallId(item, path);
    const nameOf = field(item, nameField ?? "", `${path}.${nameField ?? ""}`);
    const name = nameField === undefined ? type : required(nameOf, readText(nameOf));
    const inputOf = field(item, inputField, `${path}.${inputField}`);
    const input = nameField === undefined ? jsonText(inputOf.value) : readText(inputOf);
    const kind = type === "function_call" ? "function" : "custom";
    const message = calling({ id: callId, kind, name, input: required(inputOf, input) });
    return { ...newEntry(done(item), type, path), isOutput: true, messages: [message], callId };
  };
}

/** Reads a program's result of a call. */
export function outputReader(type: string): CallItemReader {
  return (item, path) => {
    const answersId = readCallId(item, path);
    const output = field(item, "output", `${path}.output`);
    const runs =
      type === "shell_call_output" && isJsonArray(output.value) ? output.value : undefined;
    const content =
      runs !== undefined
        ? { text: runs.map((run) => jsonText(run)).join("\n"), media: [], lowDetailImages: 0 }
        : typeof output.value === "string" || isJsonArray(output.value)
          ? readInputContent(output.value, "input", `${path}.output`)
          : { text: jsonText(required(output, output.value)), media: [], lowDetailImages: 0 };
    const message: Message = { ...plainMessage("tool", ""), ...content, toolCallId: answersId };
    return { ...newEntry(done(item), type, path), messages: [message], answersId };
  };
}

function done(item: JsonObject): JsonObject {
  return { ...item, status: item["status"] ?? "completed" };
}

function readCallId(item: JsonObject, path: string): string {
  const id = field(item, "call_id", `${path}.call_id`);
  return required(id, readText(id, 64));
}
