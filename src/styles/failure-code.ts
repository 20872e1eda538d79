import type { FaultCode } from "#core/error.ts";

/** A vendor's error, as far as its body could be parsed. */
export interface SaidFailure {
  /** Codes, types and states, in lower case. */
  readonly words: readonly string[];
  readonly message: string;
  /** The request field at fault. */
  readonly param?: string;
}

/**
 * Maps a vendor's error to a code. Error codes decide before the message, and both before the
 * status, because vendors differ most in the status. A refusal (401, 402 or 403) blames the account
 * or the request only if its text says so. Vendors also answer a flagged prompt or a stale file
 * with the status of a wrong key.
 */
export function failureCode(status: number, said: SaidFailure): FaultCode {
  const says = (known: ReadonlySet<string>): boolean => said.words.some((word) => known.has(word));
  const message = said.message.slice(0, MAX_READ_CHARS).toLowerCase();
  const isCallers = status === 400 || status === 413 || status === 422;
  const isRefusal = status === 401 || status === 402 || status === 403;

  if (says(CONTENT) || (isRefusal && FLAGGED.test(message))) return "content_filtered";
  if (says(CONTEXT) || (isCallers && tellsOfLength(message))) return "context_length_exceeded";
  if ((status === 429 || status === 413 || says(RATE)) && TOO_LARGE.test(message)) {
    return "too_large";
  }
  if (says(ACCOUNT)) return "upstream_auth";
  if ((isRefusal || status === 400) && ACCOUNT_PHRASES.some((each) => each.test(message))) {
    return "upstream_auth";
  }
  // Another credential of the same channel may have access to the model.
  if (isRefusal && (says(MODEL) || NO_ACCESS_TO_MODEL.test(message))) return "upstream_auth";
  if (isRefusal || says(PERMISSION)) return refusalCode(status, said, message);
  if (says(MODEL) || status === 404 || status === 410) {
    const isRequests = says(REFERENCE) || REQUEST_PARTS.some((each) => each.test(message));
    if (!isRequests) return "upstream_model_missing";
    return status === 404 || status === 410 ? "upstream_not_found" : "upstream_rejected";
  }
  if (says(RATE) || status === 429) return "upstream_rate_limited";
  if (says(BUSY) || status === 503 || status === 529) return "upstream_overloaded";
  if (says(LATE) || status === 408 || status === 504) return "upstream_timeout";
  if (status === 413) return "too_large";
  return isCallers || status === 415 ? "upstream_rejected" : "upstream_failed";
}

/** For a refusal that is not certainly about the account. */
function refusalCode(status: number, { param }: SaidFailure, message: string): FaultCode {
  const isRequests = param !== undefined || REFUSED_PARTS.some((each) => each.test(message));
  if (isRequests)
    return status === 401 || status === 402 ? "upstream_rejected" : "upstream_forbidden";
  return status === 401 || status === 402 ? "upstream_denied" : "upstream_refused";
}

const MAX_READ_CHARS = 2_000;

const CONTENT = new Set([
  "content_filter",
  "content_policy_violation",
  "data_inspection_failed",
  "datainspectionfailed",
  "responsibleaipolicyviolation",
  "moderation_blocked",
]);
const CONTEXT = new Set([
  "context_length_exceeded",
  "exceed_context_size_error",
  "model_context_window_exceeded",
  "too_many_tokens",
]);
const ACCOUNT = new Set([
  "invalid_api_key",
  "api_key_invalid",
  "authentication_error",
  "unauthenticated",
  "billing",
  "billing_error",
  "insufficient_quota",
  "insufficient_balance",
  "billing_hard_limit_reached",
  "billing_not_active",
  "account_deactivated",
  "arrearage",
  "unsupported_country_region_territory",
  // Reasons of google.rpc.ErrorInfo.
  "api_key_expired",
  "api_key_service_blocked",
  "api_key_http_referrer_blocked",
  "api_key_ip_address_blocked",
  "access_token_expired",
  "access_token_scope_insufficient",
  "access_token_type_unsupported",
  "account_state_invalid",
  "billing_disabled",
  "consumer_invalid",
  "consumer_suspended",
  "credentials_missing",
  "service_disabled",
  "user_project_denied",
]);
/** A code that vendors use for both kinds of refusal. */
const PERMISSION = new Set(["permission_error", "permission_denied"]);
const MODEL = new Set([
  "model_not_found",
  "model_decommissioned",
  "deploymentnotfound",
  "not_found_error",
  "unknown_model",
  "invalid_model",
]);
/** Codes for a referenced object that the vendor does not have. */
const REFERENCE = new Set([
  "previous_response_not_found",
  "thread_not_found",
  "file_not_found",
  "prompt_not_found",
  "conversation_not_found",
  "container_not_found",
]);
const RATE = new Set([
  "rate_limit_exceeded",
  "rate_limit_error",
  "resource_exhausted",
  "too_many_requests",
]);
const BUSY = new Set([
  "overloaded_error",
  "engine_overloaded",
  "server_overloaded",
  "unavailable",
  "slow_down",
]);
const LATE = new Set(["timeout", "timeout_error", "deadline_exceeded"]);

/**
 * Beginnings of messages about an account. Only beginnings count: further on, a message can quote
 * the client's text, and a client must not be able to disable a credential by such a quote.
 */
const ACCOUNT_PHRASES: readonly RegExp[] = [
  /^(incorrect|invalid|wrong|missing|no|expired|unknown) (x-)?(api[ _-]?key|auth|credential|access token|subscription key|token[.!]?$)/,
  /^(your |the |this )?(api[ _-]?key|access token|credential)s? (provided )?(is|was|has|not|has been) /,
  /^(your )?authentication (fail|error|required)/,
  /^access denied due to invalid subscription key/,
  /^(the security token included|signature (expired|not yet current))/,
  /^(insufficient|not enough|no) (account )?(balance|credit|fund|quota)/,
  /^(your |the |this )?(credit )?balance (is |was )?(too low|insufficient|exhausted)/,
  /^your (team|account|organi[sz]ation|project) .{0,60}(deactivated|disabled|suspended|locked|blocked|run out|balance|credit|overdue|arrears)/,
  /^(this|the) (account|organi[sz]ation|project) (has been|is|was) (deactivated|disabled|suspended|locked|blocked)/,
  /^(key|credit|spend|spending|monthly)( limit)? (limit )?exceeded/,
];
const NO_ACCESS_TO_MODEL =
  /^(project|you|your|this|the) .{0,120}\b(no|not have|n't have|without) access to (the |this )?model\b/;

/** Moderation without an error code of its own. */
const FLAGGED = /\bflagged\b|requires moderation|\bviolat\w+ .{0,40}\b(guideline|polic)/;

/** A single request above the limit: a retry cannot help. */
const TOO_LARGE = /^request too large|^(this|the|your) request (is|was) too large/;

/** Messages that show that a refusal is about one request. */
const REFUSED_PARTS: readonly RegExp[] = [
  /cached ?content/,
  /\bfiles?\b|\bfileuri\b/,
  /\bbetas?\b/,
  /fewer max_tokens|prompt tokens limit|max_tokens/,
  /must be verified to (stream|generate|use this (feature|parameter|tool|option))/,
  /\b(mcp|vector store|container|skill|cache|tool)s?\b/,
  /previous response|\b(response|prompt|conversation) with id\b/,
];

/** Messages about an object of the request that the server did not find. */
const REQUEST_PARTS: readonly RegExp[] = [
  /cached ?content/,
  /\bfiles?\b(?! or directory)/,
  /(previous response|\b(response|prompt|item|conversation|container|vector store|skill|thread|file|cache|batch)) (with )?(id\b|['"`])/,
  /^(previous response|prompt|container|vector store|skill|thread|conversation|cache)\b.{0,120}\bnot found/,
  /endpoints found that (support|can handle)/,
  /no allowed providers/,
];

/** Several servers have no error code for exceeding the context length. */
const LENGTH_PHRASES = [
  "maximum context length",
  "context length exceeded",
  "context_length_exceeded",
  "exceeds the available context size",
  "context window",
  "prompt is too long",
  "input is too long",
  "input token count",
  "maximum prompt length",
  "exceeded model token limit",
  "range of input length",
  "prompt exceeds max length",
  "reduce the length of the messages",
  "greater than the context length",
];

function tellsOfLength(message: string): boolean {
  return LENGTH_PHRASES.some((phrase) => message.includes(phrase));
}

/**
 * Error codes in lower case that more than one vendor uses, so they reveal nothing about a request.
 */
export function isKnownFailureWord(word: string): boolean {
  return KNOWN.has(word);
}

const KNOWN: ReadonlySet<string> = new Set([
  ...[CONTENT, CONTEXT, ACCOUNT, PERMISSION, MODEL, REFERENCE, RATE, BUSY, LATE].flatMap((each) => [
    ...each,
  ]),
  "invalid_request_error",
  "invalid_argument",
  "failed_precondition",
  "not_found",
  "internal",
  "api_error",
  "server_error",
  "request_too_large",
  "unsupported_parameter",
  "unsupported_value",
  "unknown_parameter",
  "invalid_value",
  "invalid_type",
  "missing_required_parameter",
]);
