import type { UpstreamError } from "#core/style.ts";
import { type JsonObject } from "#lib/json.ts";
import { decimalOf, textOf } from "#lib/values.ts";
import { inWords, ownErrorParser } from "#styles/upstream-error.ts";
import { faultWords } from "../task-fields.ts";

/** The status is not specific: three account errors have the status of a rate limit. */
const CODES = faultWords([
  ["upstream_auth", "1000 1001 1002 1003 1004 1100 1101 1102 1304"],
  ["upstream_model_missing", "1103 1202 1203"],
  ["upstream_rejected", "1200 1201"],
  ["content_filtered", "1300 1301"],
  ["upstream_rate_limited", "1302 1303"],
  // The vendor may have created the task.
  ["upstream_failed", "5000 5001"],
  ["upstream_timeout", "5002"],
]);

export const parseError = ownErrorParser(errorIn);

/** Every response has a code; 0 means success. */
export function errorIn(body: JsonObject, status: number): UpstreamError | undefined {
  const code = decimalOf(body["code"]) ?? "0";
  if (code === "0") return undefined;
  const said = textOf(body["message"]) ?? "";
  const known = CODES.get(code);
  if (known !== undefined) return inWords(known, said, status, code);
  return status === 200 ? inWords("upstream_failed", said, status, code) : undefined;
}
