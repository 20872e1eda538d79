import type { UpstreamError } from "#core/style.ts";
import type { TaskFailure } from "#core/video.ts";
import { type JsonObject } from "#lib/json.ts";
import { numberOf, textOf } from "#lib/values.ts";
import { inWords, ownErrorParser, parseError as parseOther } from "#styles/upstream-error.ts";
import { CANCELLED, failureOf, faultWords } from "../task-fields.ts";

const WORDS = faultWords([
  [
    "upstream_rejected",
    "BadRequest FieldLacking FieldUnwanted FieldInvalid FieldItemCountOutOfRange " +
      "PageSizeOutOfRange ImageDownloadFailure ImageFormatInvalid ImageCheckBodyJointsFailed " +
      "ImageCheckFaceFailed ImageObjectsUndetected UserCancelled Conflict Canceled",
  ],
  ["content_filtered", "AuditSubmitIllegal TaskPromptPolicyViolation CreationPolicyViolation"],
  ["upstream_model_missing", "ModelUnavailable NotFound TaskNotFound CreationNotFound"],
  // An account without credit is the operator's responsibility.
  ["upstream_auth", "Unauthorized CreditInsufficient"],
  ["upstream_refused", "Forbidden"],
  ["upstream_rate_limited", "OperationInProcess QuotaExceeded TooManyRequests SystemThrottling"],
  ["upstream_overloaded", "InternalServiceFailure"],
]);

export const parseError = ownErrorParser(errorIn);

/** An error has its reason as a code word. */
export function errorIn(body: JsonObject, status: number): UpstreamError | undefined {
  const reason = textOf(body["reason"]) ?? "";
  const code = WORDS.get(reason);
  if (code !== undefined) return inWords(code, textOf(body["message"]) || reason, status, reason);
  const named = numberOf(body["code"]) ?? 0;
  if (reason === "" || named < 400) return undefined;
  return parseOther(named, JSON.stringify(body));
}

/** Codes of a failed task: the same words. */
export function failureBy(word: string): TaskFailure {
  if (word === "UserCancelled") return CANCELLED;
  const isContent = WORDS.get(word) === "content_filtered";
  return failureOf(isContent ? "content_filtered" : word, word);
}
