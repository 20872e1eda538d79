import type { UpstreamError } from "#core/style.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { memberOf, objectOf, textOf } from "#lib/values.ts";
import { explainInside, isFilled } from "#styles/upstream-error.ts";

/** A failure inside an answer that began as a success; `undefined` where there is none. */
export function errorIn(body: JsonObject): UpstreamError | undefined {
  const { status, error } = body;
  if (isFilled(error)) return explained(error);
  if (status === "failed") return explained("The upstream aborted its response.");
  if (status === "cancelled") return explained("The upstream's answer was cancelled.");
  const isAnswer = body["output"] !== undefined || status !== undefined;
  const isReport = isFilled(body["message"]) || isFilled(body["detail"]);
  return !isAnswer && isReport ? explainInside(body) : undefined;
}

/** A failure that an event tells of: in itself, below itself, or in the response it holds. */
export function errorInEvent(event: JsonObject, type: string): UpstreamError | undefined {
  const response = objectOf(event["response"]);
  if (response !== undefined) {
    const found = errorIn(response);
    if (found !== undefined || type !== "response.failed") return found;
    return errorIn({ status: "failed" });
  }
  if (isFilled(event["error"])) return explained(event["error"]);
  if (type !== "error") return undefined;
  const { type: _, ...flat } = event;
  return explained(flat);
}

export { asGatewayError } from "#styles/upstream-error.ts";

/** What was wrong with the question, which no other server would answer either. */
const OF_CALLER: ReadonlySet<string> = new Set([
  "data_residency_mismatch",
  "invalid_image",
  "invalid_image_format",
  "invalid_base64_image",
  "invalid_image_url",
  "image_too_large",
  "image_too_small",
  "image_parse_error",
  "invalid_image_mode",
  "image_file_too_large",
  "unsupported_image_media_type",
  "empty_image_file",
  "failed_to_download_image",
  "image_file_not_found",
]);
const OF_CONTENT: ReadonlySet<string> = new Set([
  "invalid_prompt",
  "bio_policy",
  "cyber_policy",
  "image_content_policy_violation",
]);

/** The style's own codes in the words that all styles share. */
function explained(error: Json): UpstreamError {
  const code = textOf(memberOf(error, "code")) ?? "";
  if (!isObject(error)) return explainInside({ error });
  if (OF_CONTENT.has(code)) return explainInside({ error: { ...error, type: "content_filter" } });
  if (OF_CALLER.has(code)) {
    return explainInside({ error: { ...error, type: "invalid_request_error" } });
  }
  if (code === "server_is_overloaded") {
    return explainInside({ error: { ...error, type: "server_overloaded" } });
  }
  return explainInside({ error });
}
