import type { LossReport } from "#core/lossy.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, textOf } from "#lib/values.ts";
import { DistinctIds } from "#styles/text/distinct-ids.ts";
import { fitId } from "./call-ids.ts";

const NO_RESULT = "There is no result: the call was not finished.";

/**
 * In this style the results of all calls of a message follow it at once, one
 * for each, every id is used once, and there is no result without a call.
 * Conversations of other styles may have results later, or not at all where
 * somebody interrupted, and ids that come again.
 */
export function pairCalls(
  messages: readonly JsonObject[],
  report: LossReport,
): readonly JsonObject[] {
  const results = new Results(messages);
  const ids = new DistinctIds();
  const paired: JsonObject[] = [];
  for (const message of joinCallers(messages.filter((one) => !isSilent(one)))) {
    if (message["role"] === "tool") {
      if (!results.use(message)) continue;
      report.lose("messages.tool_call_id");
      paired.push(orphan(message));
      continue;
    }
    const written = callIds(message);
    const given = written.map((id) => fitId(ids.next(id)));
    paired.push(withIds(message, given));
    for (const [index, id] of written.entries()) {
      const own = given[index] ?? id;
      const result = results.next(id);
      if (result === undefined) report.lose("messages.tool_calls");
      paired.push(result === undefined ? missing(own) : { ...result, tool_call_id: own });
    }
  }
  return paired;
}

/**
 * An assistant that says nothing. Some clients keep the empty end of a stream
 * as a turn of its own, between a call and its result: behind the result, a
 * model would take it for its answer.
 */
function isSilent({ role, content, ...rest }: JsonObject): boolean {
  if (role !== "assistant" || (content ?? "") !== "") return false;
  return Object.values(rest).every((member) => member === undefined);
}

/** What tools said, each of it for one call. */
class Results {
  readonly #used = new Set<JsonObject>();
  readonly #byId = new Map<string, { readonly results: JsonObject[]; next: number }>();

  constructor(messages: readonly JsonObject[]) {
    for (const message of messages) {
      if (message["role"] !== "tool") continue;
      const id = textOf(message["tool_call_id"]) ?? "";
      const queue = this.#byId.get(id);
      if (queue === undefined) this.#byId.set(id, { results: [message], next: 0 });
      else queue.results.push(message);
    }
  }

  /** Whether nobody has used it before. */
  use(result: JsonObject): boolean {
    const isNew = !this.#used.has(result);
    this.#used.add(result);
    return isNew;
  }

  /** The first for this call that is not used yet. */
  next(id: string): JsonObject | undefined {
    const queue = this.#byId.get(id);
    if (queue === undefined) return undefined;
    while (queue.next < queue.results.length) {
      const result = queue.results[queue.next++];
      if (result !== undefined && this.use(result)) return result;
    }
    return undefined;
  }
}

function withIds(message: JsonObject, ids: readonly string[]): JsonObject {
  if (ids.length === 0) return message;
  const calls = listOf(message["tool_calls"])
    .filter(isObject)
    .map((call, index) => ({ ...call, id: ids[index] ?? "" }));
  return { ...message, tool_calls: calls };
}

/** Calls that were made at once may stand in messages of their own, one after the other. */
function joinCallers(messages: readonly JsonObject[]): readonly JsonObject[] {
  const joined: JsonObject[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    const follows = last !== undefined && callIds(last).length > 0 && isOnlyCalls(message);
    if (!follows) joined.push(message);
    else {
      const calls = [...listOf(last["tool_calls"]), ...listOf(message["tool_calls"])];
      joined[joined.length - 1] = { ...last, tool_calls: calls };
    }
  }
  return joined;
}

function isOnlyCalls(message: JsonObject): boolean {
  return callIds(message).length > 0 && message["content"] === null && !isProven(message);
}

/** Reasoning belongs to the calls after it, and to no others. */
function isProven(message: JsonObject): boolean {
  return "reasoning_content" in message || "reasoning_details" in message;
}

function callIds(message: JsonObject): readonly string[] {
  if (message["role"] !== "assistant") return [];
  return listOf(message["tool_calls"])
    .filter(isObject)
    .map((call) => textOf(call["id"]) ?? "");
}

function missing(id: string): JsonObject {
  return { role: "tool", tool_call_id: id, content: NO_RESULT };
}

/** What a tool said that nobody called is told by the user instead. */
function orphan(message: JsonObject): JsonObject {
  const content: Json = message["content"] ?? "";
  return {
    role: "user",
    content: isArray(content) ? content : `Result of a tool: ${textOf(content) ?? ""}`,
  };
}
