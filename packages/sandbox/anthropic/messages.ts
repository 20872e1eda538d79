import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../json.ts";
import type { Block } from "./blocks.ts";
import { readBlock } from "./content-blocks.ts";
import { invalid } from "./error.ts";
import {
  field,
  inside,
  readChoice,
  readList,
  readObject,
  readText,
  refuseExtras,
  required,
  type FieldValue,
} from "./fields.ts";
import type { Betas } from "./request-headers.ts";
import { checkPairing } from "./tool-pairing.ts";

/** Consecutive messages of one role are one turn. */
export interface Turn {
  readonly role: "user" | "assistant" | "system";
  /** `messages.2`: the first message of it. */
  readonly path: string;
  readonly blocks: readonly Block[];
}

export function readMessages(at: FieldValue, betas: Betas): readonly Turn[] {
  const list = required(at, (each) => readList(each, MAX_MESSAGES));
  if (list.length === 0) throw invalid("messages", "at least one message is required");
  const messages = list.map((value, index) =>
    readMessage(value, index, index === list.length - 1, betas),
  );
  if (messages[0]?.role === "system") throw unexpectedSystem();
  if (messages[0]?.role !== "user")
    throw invalid("messages", 'first message must use the "user" role');
  const turns = merge(messages);
  checkEnd(turns.at(-1));
  checkPairing(turns.filter(({ role }) => role !== "system"));
  return turns;
}

const MAX_MESSAGES = 100_000;

function readMessage(value: Json, index: number, isLast: boolean, betas: Betas): Turn {
  const path = inside("messages", index);
  const message = required({ path, value }, readObject);
  if (message["role"] === "system") return readSystemMessage(message, path, betas);
  const role = required(field(message, "role", path), (each) =>
    readChoice(each, ["user", "assistant"]),
  );
  refuseExtras(message, ["role", "content"], path);

  const content = field(message, "content", path);
  const blocks = readBlocks(content, role, betas);
  const isEmpty =
    blocks.length === 0 || (typeof content.value === "string" && content.value === "");
  if (isEmpty && !(isLast && role === "assistant")) {
    throw invalid(
      path,
      role === "user"
        ? "user messages must have non-empty content"
        : "all messages must have non-empty content except for the optional final assistant message",
    );
  }
  return { role, path, blocks: isEmpty ? [] : blocks };
}

/** Instructions and settings amid a conversation; whether the model takes them is checked later. */
function readSystemMessage(message: JsonObject, path: string, betas: Betas): Turn {
  const extras = [
    ...(betas.has("mid-conversation-system-clear-at-2026-08-21") ? ["clear_at"] : []),
    ...(betas.has("mid-conversation-output-config-2026-07-01") ? ["output_config"] : []),
  ];
  refuseExtras(message, ["role", "content", ...extras], path);
  readChoice(field(message, "clear_at", path), ["next_user_message", "never"]);
  const config = readObject(field(message, "output_config", path));
  const content = field(message, "content", path);
  if (config === undefined && content.value === undefined)
    throw invalid(content.path, "Field required");
  if (!isJsonArray(content.value)) {
    return {
      role: "system",
      path,
      blocks: content.value === undefined ? [] : readBlocks(content, "user", betas),
    };
  }
  const said = content.value.flatMap((value, index) => {
    const at = inside(content.path, index);
    if (isToolChange(value, at, betas)) return [];
    return [readBlock(value, at, "user", betas)];
  });
  return { role: "system", path, blocks: said };
}

function isToolChange(value: Json, path: string, betas: Betas): boolean {
  const type = isJsonObject(value) ? value["type"] : undefined;
  if (type !== "tool_addition" && type !== "tool_removal") return false;
  const isInline = isJsonObject(value) && typeOf(value["tool"]) === "tool_definition";
  const beta = isInline ? "inline-tools-2026-09-15" : "mid-conversation-tool-changes-2026-07-01";
  if (!betas.has(beta)) {
    throw invalid(
      path,
      `Input tag '${type}' found using 'type' does not match any of the expected tags: 'text'`,
    );
  }
  return true;
}

function typeOf(value: Json | undefined): Json | undefined {
  return isJsonObject(value) ? value["type"] : undefined;
}

function readBlocks(
  content: FieldValue,
  role: "user" | "assistant",
  betas: Betas,
): readonly Block[] {
  if (content.value === undefined || typeof content.value === "string") {
    const text = required(content, readText);
    const raw = { type: "text", text };
    return [{ kind: "text", text, path: content.path, raw, cache: undefined }];
  }
  if (!isJsonArray(content.value))
    throw invalid(content.path, "Input should be a valid string or a valid list");
  const blocks = content.value.map((value, index) =>
    readBlock(value, inside(content.path, index), role, betas),
  );
  if (blocks.some((block) => block.kind === "text" && block.text === ""))
    throw invalid("messages", "text content blocks must be non-empty");
  return blocks;
}

/** Some models take it behind the first message. */
export function unexpectedSystem() {
  return invalid(
    "messages",
    'Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
  );
}

function merge(messages: readonly Turn[]): readonly Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    const before = turns.at(-1);
    if (before?.role === message.role && message.role !== "system")
      turns[turns.length - 1] = { ...before, blocks: [...before.blocks, ...message.blocks] };
    else turns.push(message);
  }
  return turns;
}

/** An answer that was begun for the model must not end in blanks. */
function checkEnd(last: Turn | undefined): void {
  const block = last?.blocks.at(-1);
  if (last?.role === "assistant" && block?.kind === "text" && /\s$/.test(block.text))
    throw invalid("messages", "final assistant content cannot end with trailing whitespace");
}
