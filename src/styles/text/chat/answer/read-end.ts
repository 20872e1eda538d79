import type { AnswerEnd } from "#core/style.ts";
import type { JsonObject } from "#lib/json.ts";
import { listOf, memberOf, textOf } from "#lib/values.ts";
import { parseFinish } from "../finish.ts";

/** Of a complete answer, or of a chunk. */
export function readEnd(part: JsonObject): AnswerEnd {
  const words = listOf(part["choices"]).map((choice) => textOf(memberOf(choice, "finish_reason")));
  return {
    id: textOf(part["id"]),
    reasons: words.filter((word) => word !== undefined).map(parseFinish),
  };
}
