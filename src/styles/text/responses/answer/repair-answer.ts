import type { AnswerContext, RequestFacts } from "#core/style.ts";
import { randomBase62 } from "#lib/ids.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { argumentsOf, listOf, textOf } from "#lib/values.ts";
import { missingMembers } from "./complete-answer.ts";

/**
 * A whole answer that breaks the grammar of its own style: the members to set.
 * `undefined` for nearly all answers.
 */
export function repairAnswer(
  body: JsonObject,
  _facts: RequestFacts,
  context?: AnswerContext,
): JsonObject | undefined {
  const output = listOf(body["output"]);
  const repaired = output.map(repairCall);
  const calls = repaired.some((item, at) => item !== output[at]) ? { output: repaired } : undefined;
  const missing = missingMembers(body, context);
  return missing === undefined ? calls : { ...missing, ...calls };
}

function repairCall(item: Json): Json {
  return repairItem(item, "{}", newCallId);
}

export function newCallId(): string {
  return `call_${randomBase62(24)}`;
}

/** With an id and a text for its arguments. `newId` is for a call whose item has no id either. */
export function repairItem(item: Json, noArguments: string, newId: () => string): Json {
  if (!isObject(item) || item["type"] !== "function_call") return item;
  const { call_id: callId, id, arguments: args } = item;
  const hasId = (textOf(callId) ?? "") !== "";
  if (hasId && typeof args === "string") return item;
  return {
    ...item,
    call_id: hasId ? (callId ?? "") : textOf(id) || newId(),
    arguments: argumentsOf(args) || noArguments,
  };
}
