import {
  isJsonArray,
  isJsonObject,
  jsonText,
  type Json,
  type JsonObject,
} from "@sluice/sandbox/json.ts";
import { ApiError, invalid } from "../error.ts";
import { field, readChoice, readObject, readText, required, wrongType } from "../fields.ts";
import type { Model } from "../models.ts";
import { countPromptTokens } from "../prompt-tokens.ts";
import { messagesOf, plainMessage, type Entry } from "./entry.ts";
import { readItems, type ItemReaders } from "./input-items.ts";
import { checkItemOrder } from "./item-order.ts";

/** The input before a model is called; also used for counting and compaction. */
export function readContext(body: JsonObject, readers: ItemReaders): readonly Entry[] {
  const { value } = field(body, "input");
  const before = readPrevious(body, readers);
  const own = isJsonArray(value) ? value : [];
  if (value !== undefined && typeof value !== "string" && !isJsonArray(value))
    throw wrongType("input", "a string or an array of input items", value);
  if (before === undefined && (value === undefined || (isJsonArray(value) && own.length === 0)))
    required({ path: "input", value: undefined }, undefined);
  const items: readonly Json[] =
    typeof value === "string" ? [{ role: "user", content: value }] : own;
  const entries = [...(before ?? []), ...readItems(items, readers)];
  checkItemOrder(entries);
  return entries;
}

/** Conversations and prompt templates are made with other endpoints, so that here none exists. */
function readPrevious(
  body: JsonObject,
  { store, owner }: ItemReaders,
): readonly Entry[] | undefined {
  const conversation = field(body, "conversation").value;
  const id = readText(field(body, "previous_response_id"));
  if (conversation !== undefined && id !== undefined) {
    throw invalid(
      null,
      "mutually_exclusive_parameters",
      "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. Ensure you are only providing one of: 'previous_response_id' or 'conversation'.",
    );
  }
  if (conversation !== undefined) throw missing("Conversation", conversation);
  const prompt = readObject(field(body, "prompt"));
  if (prompt !== undefined) throw missing("Prompt", prompt);
  if (id === undefined) return undefined;

  const previous = store.find(id, owner);
  if (previous !== undefined) return [...previous.input, ...previous.output];
  throw invalid(
    "previous_response_id",
    "previous_response_not_found",
    `Previous response with id '${id}' not found.`,
  );
}

function missing(what: string, value: Json): Error {
  const id = isJsonObject(value) ? value["id"] : value;
  return new ApiError(404, { message: `${what} with id '${jsonText(id)}' not found.` });
}

/** Cuts the conversation at its beginning until it fits, where that is allowed. */
export function fitContext(context: readonly Entry[], body: JsonObject, model: Model) {
  const instructions = readText(field(body, "instructions"));
  const head = instructions === undefined ? [] : [plainMessage("developer", instructions)];
  const toolsText = JSON.stringify(body["tools"] ?? []);
  const truncation = readChoice(field(body, "truncation"), ["auto", "disabled"]);

  let input = context;
  while (true) {
    const messages = [...head, ...messagesOf(input)];
    const prompt = countPromptTokens(messages, toolsText);
    const surplus = prompt.total - model.contextTokens;
    if (surplus <= 0) return { input, messages, prompt };
    const shorter = truncation === "auto" ? withoutOldest(input, surplus) : input;
    if (shorter.length === input.length) {
      throw invalid(
        "input",
        "context_length_exceeded",
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
      );
    }
    input = shorter;
  }
}

/** Without the oldest items that are no instructions, and without the calls and outputs that need them. */
function withoutOldest(input: readonly Entry[], surplus: number): readonly Entry[] {
  const gone = new Set<Entry>();
  let left = surplus;
  for (const entry of input.slice(0, -1)) {
    if (left <= 0) break;
    if (entry.messages.some(({ role }) => role === "system" || role === "developer")) continue;
    gone.add(entry);
    left -= countPromptTokens(entry.messages, "[]").total;
  }
  const calls = new Set([...gone].flatMap(({ callId, answersId }) => [callId, answersId]));
  return input.filter((entry) => {
    const partner = entry.callId ?? entry.answersId;
    return !gone.has(entry) && (partner === undefined || !calls.has(partner));
  });
}
