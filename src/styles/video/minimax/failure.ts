import type { UpstreamError } from "#core/style.ts";
import type { TaskFailure } from "#core/video.ts";
import { type Json, type JsonObject } from "#lib/json.ts";
import { decimalOf, memberOf, objectOf, textOf } from "#lib/values.ts";
import { inWords, ownErrorParser, parseError as parseOther } from "#styles/upstream-error.ts";
import { failureOf, faultWords } from "../task-fields.ts";

const CODES = faultWords([
  ["content_filtered", "1026 1027"],
  ["upstream_rejected", "2013"],
  ["upstream_auth", "1004 1008 2049"],
  ["upstream_rate_limited", "1002 1039"],
  // The vendor does not say whether it had created the task.
  ["upstream_timeout", "1001"],
  ["upstream_failed", "1000 1013"],
]);
const MODERATION = /moderation|sensitive/i;

export const parseError = ownErrorParser(errorIn);

/** Older paths return errors with a success status, and a code of their own. */
export function errorIn(body: JsonObject, status: number): UpstreamError | undefined {
  const base = objectOf(body["base_resp"]);
  const code = decimalOf(base?.["status_code"]) ?? "0";
  if (code !== "0") {
    const said = textOf(base?.["status_msg"]) ?? "";
    const known = CODES.get(code);
    return known === undefined ? unknown(said, status, code) : inWords(known, said, status, code);
  }
  const error = objectOf(body["error"]);
  return error === undefined ? undefined : explained(error, status, body);
}

function explained(error: JsonObject, status: number, body: JsonObject): UpstreamError {
  const said = textOf(error["message"]) ?? "";
  const known = CODES.get(decimalOf(error["code"]) ?? "");
  if (known !== undefined) return inWords(known, said, status, decimalOf(error["code"]));
  const word = textOf(error["type"]) ?? "";
  if (status === 422 || MODERATION.test(word))
    return inWords("content_filtered", said, status, word);
  const named = Number(textOf(error["http_code"]) ?? Number.NaN);
  return parseOther(named >= 400 && named < 600 ? named : status, JSON.stringify(body));
}

/** An error code in place of a task: no task was created. */
function unknown(said: string, status: number, code: string): UpstreamError {
  return inWords(status < 500 ? "upstream_rejected" : "upstream_failed", said, status, code);
}

/** Codes of a failed task: the same list. */
export function failureIn(error: Json | undefined): TaskFailure {
  const code = decimalOf(memberOf(error, "code")) ?? "task_failed";
  const isContent = CODES.get(code) === "content_filtered";
  return failureOf(isContent ? "content_filtered" : code, memberOf(error, "message"));
}
