import type { FaultCode } from "#core/error.ts";
import type { UpstreamError } from "#core/style.ts";
import { type JsonObject } from "#lib/json.ts";
import { decimalOf, memberOf, objectOf, textOf } from "#lib/values.ts";
import { inWords, ownErrorParser } from "#styles/upstream-error.ts";

export const SUCCESS = 10_000;

/** Codes of content moderation, for input or output. */
const CONTENT = new Set([50_411, 50_412, 50_413, 50_511, 50_512, 50_516, 50_517, 50_518, 50_519]);
/** Codes of invalid requests, or of a failed review. */
const REQUEST = new Set([50_215, 50_520, 50_521, 50_522]);
/** Temporary failures: no task was created. */
const MOMENT: ReadonlyMap<number, FaultCode> = new Map([
  [50_429, "upstream_rate_limited"],
  [50_430, "upstream_rate_limited"],
  [50_500, "upstream_overloaded"],
  [50_501, "upstream_overloaded"],
]);
const ACCOUNT: ReadonlyMap<number, FaultCode> = new Map([
  [50_400, "upstream_auth"],
  [30_403, "upstream_auth"],
  [30_404, "upstream_model_missing"],
]);

export const parseError = ownErrorParser(errorIn);

/** A failure of the service, or of the layer before it, which checks signatures. */
export function errorIn(body: JsonObject, status: number): UpstreamError | undefined {
  const refused = objectOf(memberOf(body["ResponseMetadata"], "Error"));
  if (refused !== undefined) {
    const said = textOf(refused["Message"]) ?? textOf(refused["Code"]) ?? "";
    const word = textOf(refused["Code"]) ?? "";
    return inWords(codeAtTheGate(status, word), said, status, word);
  }
  const code = codeIn(body);
  if (code === undefined || code === SUCCESS) return undefined;
  return inWords(codeOf(code, status), textOf(body["message"]) ?? "", status, String(code));
}

/** Some resellers send the code as text. */
export function codeIn(body: JsonObject): number | undefined {
  const code = decimalOf(body["code"]) ?? "";
  return /^\d{1,9}$/.test(code) ? Number(code) : undefined;
}

/**
 * The failure of the polled task, if the code is about the task and not the poll; else undefined.
 */
export function verdictIn(body: JsonObject, status: number): "content" | "failed" | undefined {
  const code = codeIn(body);
  if (code === undefined || code === SUCCESS) return undefined;
  if (CONTENT.has(code)) return "content";
  if (MOMENT.has(code) || ACCOUNT.has(code)) return undefined;
  return REQUEST.has(code) || status === 200 || status === 400 ? "failed" : undefined;
}

function codeOf(code: number, status: number): FaultCode {
  if (CONTENT.has(code)) return "content_filtered";
  if (REQUEST.has(code)) return "upstream_rejected";
  const known = MOMENT.get(code) ?? ACCOUNT.get(code);
  if (known !== undefined) return known;
  if (status === 401) return "upstream_denied";
  if (status === 403) return "upstream_refused";
  if (status === 429) return "upstream_rate_limited";
  // An error code in place of a task: no task was created, unless the service itself failed.
  return status < 500 ? "upstream_rejected" : "upstream_failed";
}

const MISADDRESSED = /ActionOrVersion|InvalidAction|InvalidVersion/;
const BUSY = /FlowLimit|Throttl|TooManyRequests|RateLimit/;

function codeAtTheGate(status: number, word: string): FaultCode {
  if (MISADDRESSED.test(word) || status === 404) return "upstream_model_missing";
  if (BUSY.test(word) || status === 429) return "upstream_rate_limited";
  return status >= 500 ? "upstream_overloaded" : "upstream_auth";
}
