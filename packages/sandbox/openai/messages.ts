import type { Media } from "../engine/media.ts";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { readContent } from "./content-parts.ts";
import type { RequestDialect } from "./dialect.ts";
import { invalid } from "./error.ts";
import { field, readChoice, readList, readObject, readText, required } from "./fields.ts";
import { OPENAI } from "./openai-dialect.ts";
import { checkPairing } from "./tool-pairing.ts";

export interface Message {
  readonly role: "system" | "developer" | "user" | "assistant" | "tool" | "function";
  readonly name: string | undefined;
  readonly text: string;
  readonly media: readonly Media[];
  /** Images of low detail cost fewer tokens. */
  readonly lowDetailImages: number;
  readonly calls: readonly MessageCall[];
  /** The call that a tool message answers. */
  readonly toolCallId: string | undefined;
}

export interface MessageCall {
  /** Absent in the legacy `function_call`. */
  readonly id: string | undefined;
  readonly kind: "function" | "custom";
  readonly name: string;
  readonly input: string;
}

export function readMessages(
  list: readonly Json[],
  dialect: MessageDialect = OPENAI.request,
): readonly Message[] {
  const messages = list.map((value, index) => readMessage(value, index, dialect));
  checkPairing(messages);
  return messages;
}

type MessageDialect = Pick<RequestDialect, "roles" | "userParts">;

function readMessage(value: Json, index: number, { roles, userParts }: MessageDialect): Message {
  const path = `messages[${index}]`;
  const message = required({ path, value }, readObject({ path, value }));
  const role = required(
    field(message, "role", `${path}.role`),
    readChoice(field(message, "role", `${path}.role`), roles),
  );
  const calls = role === "assistant" ? readCalls(message, path) : [];
  const hasOther =
    calls.length > 0 || isJsonObject(message["audio"]) || typeof message["refusal"] === "string";
  const content = field(message, "content");
  if (content.value === undefined && !(role === "assistant" && hasOther)) {
    throw invalid(
      `messages.[${index}].content`,
      null,
      "Invalid value for 'content': expected a string, got null.",
    );
  }

  return {
    role,
    name: readText(field(message, "name", `${path}.name`)),
    ...readContent(content.value ?? "", role, `${path}.content`, userParts),
    calls,
    toolCallId: role === "tool" ? readToolCallId(message, path) : undefined,
  };
}

function readToolCallId(message: JsonObject, path: string): string {
  const id = field(message, "tool_call_id", `${path}.tool_call_id`);
  return required(id, readText(id));
}

function readCalls(message: JsonObject, path: string): readonly MessageCall[] {
  const legacy = readObject(field(message, "function_call", `${path}.function_call`));
  if (legacy !== undefined) return [readLegacyCall(legacy, `${path}.function_call`)];
  const list = readList(field(message, "tool_calls", `${path}.tool_calls`), 1, 128) ?? [];
  return list.map((call, index) => readCall(call, `${path}.tool_calls[${index}]`));
}

function readCall(value: Json, path: string): MessageCall {
  const call = required({ path, value }, readObject({ path, value }));
  const id = field(call, "id", `${path}.id`);
  const type = field(call, "type", `${path}.type`);
  const kind = required(type, readChoice(type, ["function", "custom"]));
  const inner = required(
    field(call, kind, `${path}.${kind}`),
    readObject(field(call, kind, `${path}.${kind}`)),
  );
  const input = kind === "function" ? "arguments" : "input";
  return {
    id: required(id, readText(id, MAX_ID_CHARACTERS)),
    kind,
    name: requiredText(inner, "name", `${path}.${kind}`),
    input: requiredText(inner, input, `${path}.${kind}`),
  };
}

const MAX_ID_CHARACTERS = 40;

function readLegacyCall(call: JsonObject, path: string): MessageCall {
  return {
    id: undefined,
    kind: "function",
    name: requiredText(call, "name", path),
    input: requiredText(call, "arguments", path),
  };
}

function requiredText(object: JsonObject, name: string, path: string): string {
  const value = field(object, name, `${path}.${name}`);
  return required(value, readText(value));
}
