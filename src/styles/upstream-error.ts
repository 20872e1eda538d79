import { GatewayError, type FaultCode } from "#core/error.ts";
import type { UpstreamError } from "#core/style.ts";
import { isArray, isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { scrub } from "./scrub.ts";
import { defined, integerOf, listOf, memberOf, objectOf, textOf } from "#lib/values.ts";

/** Codes that only one vendor has, by a pattern that they fit in small letters. The first one decides. */
export type Vocabulary = readonly (readonly [pattern: RegExp, code: FaultCode])[];

/** A failed answer: its status, and a body in whatever form its server has for failures. */
export function parseError(
  status: number,
  body: string,
  vocabulary: Vocabulary = [],
): UpstreamError {
  const json = parseJson(body);
  if (json !== undefined) return explain(status, tell(json), vocabulary);
  // What is not JSON is a proxy's page, or a line of text.
  const line = body.trimStart();
  return explain(status, { words: [], message: line.startsWith("<") ? "" : line }, vocabulary);
}

interface Told {
  /** Codes, types and states, in small letters. */
  readonly words: readonly string[];
  readonly message: string;
  readonly param?: string;
  readonly retryAfterMs?: number;
  /** A status that the body names. */
  readonly status?: number;
}

/** A failure that a body of success tells of. */
export function explainInside(body: JsonObject, vocabulary: Vocabulary = []): UpstreamError {
  const told = tell(body);
  const isCallers = told.words.includes("invalid_request_error");
  return explain(told.status ?? (isCallers ? 400 : 500), told, vocabulary);
}

export function asGatewayError({ code, message, param }: UpstreamError): GatewayError {
  return new GatewayError(code, message, param === undefined ? {} : { param });
}

/** The vendor's refusal of our own account is nothing a caller could act on. */
const OWN_WORDS: Partial<Record<FaultCode, string>> = {
  upstream_auth: "The upstream does not accept the gateway's account.",
  upstream_model_missing: "The upstream does not serve this model.",
};

function explain(status: number, told: Told, vocabulary: Vocabulary): UpstreamError {
  const own = vocabulary.find(([pattern]) => told.words.some((word) => pattern.test(word)));
  const code = own?.[1] ?? classify(status, told);
  const { message, param, retryAfterMs } = told;
  return { ...inWords(code, message, status), ...defined({ param, retryAfterMs }) };
}

/** A failure whose meaning is known already, in the vendor's words where a caller may see them. */
export function inWords(code: FaultCode, message: string, status: number): UpstreamError {
  const said = scrub(message);
  const fallback = said === "" ? `The upstream answered with status ${status}.` : said;
  return { code, message: OWN_WORDS[code] ?? fallback };
}

const ACCOUNT = [
  "invalid_api_key",
  "api_key_invalid",
  "authentication_error",
  "permission_error",
  "billing_error",
  "insufficient_quota",
  "insufficient_balance",
  "billing_hard_limit_reached",
  "billing_not_active",
  "account_deactivated",
  "arrearage",
];
const CONTEXT = [
  "context_length_exceeded",
  "exceed_context_size_error",
  "model_context_window_exceeded",
];
const CONTENT = [
  "content_filter",
  "content_policy_violation",
  "data_inspection_failed",
  "datainspectionfailed",
  "responsibleaipolicyviolation",
  "moderation_blocked",
];
const MODEL = [
  "model_not_found",
  "model_decommissioned",
  "deploymentnotfound",
  "not_found_error",
  "unknown_model",
];
const RATE = ["rate_limit_exceeded", "rate_limit_error", "resource_exhausted", "too_many_requests"];
const BUSY = [
  "overloaded_error",
  "engine_overloaded",
  "server_overloaded",
  "unavailable",
  "slow_down",
];
const LATE = ["timeout", "timeout_error", "deadline_exceeded"];

/** Words decide before the status, since servers disagree most on that. */
function classify(status: number, { words, message }: Told): FaultCode {
  const says = (known: readonly string[]): boolean => known.some((word) => words.includes(word));
  const isCallers = status === 400 || status === 413 || status === 422;
  if (says(CONTENT)) return "content_filtered";
  if (says(CONTEXT) || (isCallers && tellsOfLength(message))) return "context_length_exceeded";
  // Also of one model: another account of the same channel's may have it.
  if (says(ACCOUNT) || status === 401 || status === 402 || status === 403) return "upstream_auth";
  if (says(MODEL) || status === 404 || status === 410) return "upstream_model_missing";
  if (says(RATE) || status === 429) return "upstream_rate_limited";
  if (says(BUSY) || status === 503 || status === 529) return "upstream_overloaded";
  if (says(LATE) || status === 408 || status === 504) return "upstream_timeout";
  return isCallers || status === 415 ? "upstream_rejected" : "upstream_failed";
}

/** Several servers have no code for the most common mistake of all. */
const LENGTH_PHRASES = [
  "maximum context length",
  "context length exceeded",
  "exceeds the available context size",
  "context window",
  "prompt is too long",
  "input token count",
];

function tellsOfLength(message: string): boolean {
  const small = message.slice(0, 2_000).toLowerCase();
  return LENGTH_PHRASES.some((phrase) => small.includes(phrase));
}

function tell(json: Json): Told {
  const outer = isArray(json) ? objectOf(json[0]) : objectOf(json);
  if (outer === undefined) return { words: [], message: textOf(json) ?? "" };
  const inner = objectOf(outer["error"]) ?? outer;
  const details = [...listOf(inner["details"]), ...listOf(outer["detail"])];
  const named = [outer["code"], outer["type"], inner["code"], inner["type"], inner["status"]];
  const deeper = [
    memberOf(inner["innererror"], "code"),
    ...details.map((one) => memberOf(one, "reason")),
  ];
  const words = [...named, ...deeper].filter((word) => typeof word === "string");
  return {
    words: words.map((word) => word.toLowerCase()),
    message: messageOf(outer, inner, details),
    ...defined({
      param: textOf(inner["param"]) ?? placeOf(details[0]),
      retryAfterMs: details.map(delayIn).find((one) => one !== undefined),
      status: [inner["status_code"], inner["code"], inner["status"], outer["code"]]
        .map(statusOf)
        .find(isStatus),
    }),
  };
}

function messageOf(outer: JsonObject, inner: JsonObject, details: readonly Json[]): string {
  const said = [outer["error"], inner["message"], outer["message"], outer["detail"]].find(
    (one) => typeof one === "string" && one !== "",
  );
  const found = details.map((one) => textOf(memberOf(one, "msg"))).find((one) => one !== undefined);
  return [textOf(said), found].filter((one) => one !== undefined).join(": ");
}

/** `["body", "messages", 0]` is how validators of one family say where. */
function placeOf(detail: Json | undefined): string | undefined {
  const steps = listOf(memberOf(detail, "loc")).filter((step) => step !== "body");
  if (steps.length === 0) return undefined;
  return steps
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${textOf(step) ?? ""}`))
    .join("")
    .replace(".", "");
}

/** `{"retryDelay": "34.4s"}`, as one vendor says it beside the error. */
function delayIn(detail: Json): number | undefined {
  const [, seconds] =
    /^(\d{1,6}(?:\.\d{1,9})?)s$/.exec(textOf(memberOf(detail, "retryDelay")) ?? "") ?? [];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1_000);
}

function statusOf(value: Json | undefined): number | undefined {
  const status = typeof value === "string" ? Number(value) : value;
  return integerOf(status);
}

function isStatus(status: number | undefined): status is number {
  return status !== undefined && status >= 400 && status < 600;
}

export function isFilled(value: Json | undefined): value is Json {
  if (value === undefined || value === null || value === "" || value === false) return false;
  return !isObject(value) || Object.keys(value).length > 0;
}
