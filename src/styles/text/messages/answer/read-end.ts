import type { AnswerEnd } from "#core/style.ts";
import type { JsonObject } from "#lib/json.ts";
import { listOf, memberOf, objectOf, textOf } from "#lib/values.ts";
import { readFinish } from "../finish.ts";

/** Of a complete answer, of the event that begins one, or of the one with its reason. */
export function readEnd(part: JsonObject): AnswerEnd {
  const message = objectOf(part["message"]) ?? part;
  const end = objectOf(part["delta"]) ?? message;
  const hasCalls = listOf(message["content"]).some((each) => memberOf(each, "type") === "tool_use");
  const hasEnded = typeof end["stop_reason"] === "string";
  return {
    id: textOf(message["id"]),
    reasons: hasEnded ? [readFinish(end, hasCalls).reason] : [],
  };
}
