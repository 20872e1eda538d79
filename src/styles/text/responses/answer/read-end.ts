import type { AnswerEnd } from "#core/style.ts";
import type { JsonObject } from "#lib/json.ts";
import { listOf, memberOf, objectOf, textOf } from "#lib/values.ts";
import { parseFinish } from "../finish.ts";

const CALLS: ReadonlySet<unknown> = new Set(["function_call", "custom_tool_call"]);
const ENDED: ReadonlySet<unknown> = new Set(["completed", "incomplete"]);

/** Of a complete answer, or of an event that holds the response. */
export function readEnd(part: JsonObject): AnswerEnd {
  const response = objectOf(part["response"]) ?? part;
  if (response["object"] !== "response") return { reasons: [] };
  const hasCalls = listOf(response["output"]).some((item) => CALLS.has(memberOf(item, "type")));
  return {
    id: textOf(response["id"]),
    reasons: ENDED.has(response["status"]) ? [parseFinish(response, hasCalls)] : [],
  };
}
