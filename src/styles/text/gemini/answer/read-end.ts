import type { AnswerEnd } from "#core/style.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { listOf, memberOf, textOf } from "#lib/values.ts";
import { parseFinish, reasonIn } from "../finish.ts";

/** Of a complete answer, or of a chunk. */
export function readEnd(part: JsonObject): AnswerEnd {
  const reasons = listOf(part["candidates"]).flatMap((candidate) => {
    const word = reasonIn(memberOf(candidate, "finishReason"));
    return word === undefined ? [] : [parseFinish(word, hasCalls(candidate))];
  });
  return { id: textOf(part["responseId"]), reasons };
}

function hasCalls(candidate: Json): boolean {
  const parts = listOf(memberOf(memberOf(candidate, "content"), "parts"));
  return parts.some((part) => memberOf(part, "functionCall") !== undefined);
}
