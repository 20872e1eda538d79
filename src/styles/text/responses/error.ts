import type { FaultCode, GatewayError } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";
import { objectOf } from "#lib/values.ts";
import { errorWith } from "#styles/text/chat/error.ts";
import { messageOf, vendorCodeOf, type OverflowWords } from "#styles/told-failure.ts";

/** Before the first byte, clients of this style read failures as those of chat completions. */
export function buildError(error: GatewayError): JsonObject {
  const built = errorWith(error, messageOf(error, OVERFLOW));
  if (error.code !== "not_found" || error.param !== PREVIOUS) return built;
  return { error: { ...objectOf(built["error"]), code: "previous_response_not_found" } };
}

const PREVIOUS = "previous_response_id";

/** A failure as a response that failed holds it. */
export function buildFailure(error: GatewayError): JsonObject {
  const code = vendorCodeOf(error) ?? CODES[error.code];
  return { code, message: messageOf(error, OVERFLOW) };
}

const OVERFLOW: OverflowWords = {
  known: "exceeds the context window",
  intro: "Your input exceeds the context window of this model",
};

const SERVER = "server_error";
const PROMPT = "invalid_prompt";
const RATE = "rate_limit_exceeded";
/** Not among the vendor's published words, though it sends them and its own client acts on them. */
const BUSY = "server_is_overloaded";
const LENGTH = "context_length_exceeded";
const QUOTA = "insufficient_quota";

const CODES: Readonly<Record<FaultCode, string>> = {
  invalid_request: PROMPT,
  not_carried: PROMPT,
  context_length_exceeded: LENGTH,
  content_filtered: PROMPT,
  upstream_rejected: PROMPT,
  upstream_forbidden: PROMPT,
  upstream_not_found: PROMPT,
  unauthenticated: PROMPT,
  out_of_quota: QUOTA,
  forbidden: PROMPT,
  not_found: PROMPT,
  model_not_found: PROMPT,
  method_not_allowed: PROMPT,
  request_timeout: SERVER,
  still_running: PROMPT,
  answer_not_kept: PROMPT,
  revision_outdated: PROMPT,
  plan_outdated: PROMPT,
  range_not_satisfiable: PROMPT,
  content_gone: PROMPT,
  too_large: PROMPT,
  unsupported_media_type: PROMPT,
  key_reused: PROMPT,
  upgrade_refused: PROMPT,
  rate_limited: RATE,
  canceled: SERVER,
  internal: SERVER,
  upstream_refused: PROMPT,
  upstream_denied: SERVER,
  upstream_auth: SERVER,
  upstream_model_missing: SERVER,
  upstream_rate_limited: RATE,
  upstream_unreachable: SERVER,
  upstream_failed: SERVER,
  upstream_overloaded: BUSY,
  upstream_timeout: SERVER,
  overloaded: BUSY,
  unavailable: BUSY,
};
