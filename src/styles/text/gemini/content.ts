import { isObject, type Json } from "#lib/json.ts";
import { listOf, memberOf } from "#lib/values.ts";
import { isSaid } from "#styles/text/first-content.ts";
import { bodiesIn } from "./failure.ts";

/** Whether a chunk holds any of the answer: a part that says something. */
export function holdsContent(chunk: Json): boolean {
  return bodiesIn(chunk)
    .flatMap((body) => listOf(memberOf(body, "candidates")))
    .flatMap((candidate) => listOf(memberOf(memberOf(candidate, "content"), "parts")))
    .some((part) => isObject(part) && isSaid(part));
}
