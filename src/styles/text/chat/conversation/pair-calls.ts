import type { LossReport } from "#core/lossy.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, textOf } from "#lib/values.ts";
import { CallPairs } from "#styles/text/call-pairs.ts";
import { DistinctIds } from "#styles/text/distinct-ids.ts";
import { fitId } from "./call-ids.ts";

const NO_RESULT: JsonObject = {
  role: "tool",
  content: "There is no result: the call was not finished.",
};

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
  const ids = new DistinctIds();
  const pairs = new CallPairs<JsonObject, JsonObject>((id) => fitId(ids.next(id)), report);
  const joined = joinCallers(messages.filter((one) => !isSilent(one)));
  for (const message of joined) {
    for (const call of callsIn(message)) pairs.addCall(idOf(call), call);
    if (isResult(message)) pairs.addResult(textOf(message["tool_call_id"]) ?? "", message);
  }
  return joined.flatMap((message): readonly JsonObject[] => {
    if (isResult(message)) {
      return pairs.ofResult(message) === undefined ? [orphan(message)] : [];
    }
    const calls = callsIn(message);
    if (calls.length === 0) return [message];
    const paired = calls.map((call) => ({ call, id: pairs.ofCall(call)?.id ?? idOf(call) }));
    const renamed = paired.map(({ call, id }) => ({ ...call, id }));
    const results = paired.map(({ call, id }) => ({
      ...(pairs.resultOf(call) ?? NO_RESULT),
      tool_call_id: id,
    }));
    return [{ ...message, tool_calls: renamed }, ...results];
  });
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

/** Calls that were made at once may stand in messages of their own, one after the other. */
function joinCallers(messages: readonly JsonObject[]): readonly JsonObject[] {
  const joined: JsonObject[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    const follows = last !== undefined && callsIn(last).length > 0 && isOnlyCalls(message);
    if (!follows) joined.push(message);
    else {
      const calls = [...listOf(last["tool_calls"]), ...listOf(message["tool_calls"])];
      joined[joined.length - 1] = { ...last, tool_calls: calls };
    }
  }
  return joined;
}

function isOnlyCalls(message: JsonObject): boolean {
  return callsIn(message).length > 0 && message["content"] === null && !isProven(message);
}

/** Reasoning belongs to the calls after it, and to no others. */
function isProven(message: JsonObject): boolean {
  return "reasoning_content" in message || "reasoning_details" in message;
}

function callsIn(message: JsonObject): readonly JsonObject[] {
  return message["role"] === "assistant" ? listOf(message["tool_calls"]).filter(isObject) : [];
}

function idOf(call: JsonObject): string {
  return textOf(call["id"]) ?? "";
}

function isResult({ role }: JsonObject): boolean {
  return role === "tool";
}

/** What a tool said that nobody called is told by the user instead. */
function orphan(message: JsonObject): JsonObject {
  const content: Json = message["content"] ?? "";
  return {
    role: "user",
    content: isArray(content) ? content : `Result of a tool: ${textOf(content) ?? ""}`,
  };
}
