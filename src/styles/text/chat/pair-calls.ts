import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, textOf } from "#lib/values.ts";

const NO_RESULT = "There is no result: the call was not finished.";

/**
 * In this style the results of all calls of a message follow it at once, one
 * for each, and there is no result without a call. Conversations of other
 * styles may have them later, or not at all where somebody interrupted.
 */
export function pairCalls(messages: readonly JsonObject[]): readonly JsonObject[] {
  const results = new Map<string, JsonObject[]>();
  for (const message of messages) {
    if (message["role"] !== "tool") continue;
    const id = textOf(message["tool_call_id"]) ?? "";
    results.set(id, [...(results.get(id) ?? []), message]);
  }

  const paired: JsonObject[] = [];
  const used = new Set<JsonObject>();
  for (const message of joinCallers(messages)) {
    if (message["role"] === "tool") {
      if (!used.has(message)) paired.push(orphan(message));
      used.add(message);
      continue;
    }
    paired.push(message);
    for (const id of callIds(message)) {
      const result = results.get(id)?.find((one) => !used.has(one)) ?? missing(id);
      used.add(result);
      paired.push(result);
    }
  }
  return paired;
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
