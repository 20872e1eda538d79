import { GatewayError, type FaultCode, type VendorFailure } from "#core/error.ts";
import type { UpstreamError } from "#core/style.ts";
import { isArray, isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { decimalOf, defined, integerOf, listOf, memberOf, objectOf, textOf } from "#lib/values.ts";
import { failureCode, type SaidFailure } from "./failure-code.ts";
import { refusedMember } from "./refused-member.ts";
import { scrub } from "./scrub.ts";

/** Codes of a single vendor, as patterns for lower case. The first match decides. */
export type Vocabulary = readonly (readonly [pattern: RegExp, code: FaultCode])[];

type ErrorParser = (status: number, body: string) => UpstreamError;

/** Parses an error response: its status, and a body in any server's error format. */
export function parseError(
  status: number,
  body: string,
  vocabulary: Vocabulary = [],
): UpstreamError {
  const json = parseJson(body) ?? parseJson(eventData(body));
  if (json !== undefined) return explain(status, tell(json), vocabulary);
  // A body that is not JSON is a proxy's page or a line of text.
  const line = body.trimStart();
  return explain(status, { words: [], message: line.startsWith("<") ? "" : line }, vocabulary);
}

/** A parser of error responses of a vendor with its own codes. */
export function errorParser(vocabulary: Vocabulary): ErrorParser {
  return (status, body) => parseError(status, body, vocabulary);
}

/**
 * A parser of error responses in a vendor's own format; `errorIn` is undefined for other formats,
 * which any server may send.
 */
export function ownErrorParser(
  errorIn: (body: JsonObject, status: number) => UpstreamError | undefined,
): ErrorParser {
  return (status, body) => {
    const json = parseJson(body);
    return (isObject(json) ? errorIn(json, status) : undefined) ?? parseError(status, body);
  };
}

/** Some servers refuse a stream with an event. */
function eventData(body: string): string {
  return /^data:([^\n]*)/m.exec(body)?.[1] ?? "";
}

interface SaidError extends SaidFailure {
  readonly retryAfterMs?: number;
  /** A status in the body. */
  readonly status?: number;
  /** The vendor's error code, unchanged. */
  readonly code?: string;
  readonly type?: string;
  readonly details?: JsonObject;
}

/** An error in the body of a success response. */
export function explainInside(body: JsonObject, vocabulary: Vocabulary = []): UpstreamError {
  const told = tell(body);
  const isCallers = told.words.includes("invalid_request_error");
  return explain(told.status ?? (isCallers ? 400 : 500), told, vocabulary);
}

/** Throws for an error in the body of a success response. */
export function throwIfFailed(body: JsonObject, vocabulary?: Vocabulary): void {
  if (isFilled(body["error"])) throw asGatewayError(explainInside(body, vocabulary));
}

export function asGatewayError(error: UpstreamError): GatewayError {
  const { code, message, ...details } = error;
  return new GatewayError(code, message, details);
}

/** Errors of the operator's account get a fixed message: a client cannot act on them. */
const OWN_WORDS: Partial<Record<FaultCode, string>> = {
  upstream_auth: "The upstream does not accept the gateway's account.",
  upstream_denied:
    "The upstream refused this request or the gateway's account; its answer does not say which.",
  upstream_model_missing: "The upstream does not serve this model.",
};

function explain(status: number, told: SaidError, vocabulary: Vocabulary): UpstreamError {
  const own = vocabulary.find(([pattern]) => told.words.some((word) => pattern.test(word)))?.[1];
  const failure = failureCode(status, told);
  // A vendor's generic code for an invalid parameter is less specific than the length in its
  // message.
  const isLength = failure === "context_length_exceeded" && own === "upstream_rejected";
  const code = isLength ? failure : (own ?? failure);
  const { message, param, retryAfterMs, details, code: vendorCode, type } = told;
  const known = inWords(code, message, status, vendorCode);
  const refused = code === "upstream_rejected" ? refusedMember({ ...told, param }) : undefined;
  return {
    ...known,
    ...defined({ param, retryAfterMs, details }),
    vendor: { ...known.vendor, ...defined({ type, refusedMember: refused }) },
  };
}

/** An error with a known code, with the vendor's message if clients may see it. */
export function inWords(
  code: FaultCode,
  message: string,
  status: number,
  vendorCode?: string,
): UpstreamError & { readonly vendor: VendorFailure } {
  const said = scrub(message);
  const fallback = said === "" ? `The upstream answered with status ${status}.` : said;
  return {
    code,
    message: OWN_WORDS[code] ?? fallback,
    vendor: {
      status,
      ...defined({
        code: nameIn(vendorCode),
        reason: said === "" ? undefined : said,
        said: said === message ? undefined : message.slice(0, MAX_SAID_CHARS),
      }),
    },
  };
}

/** Maximum length of a message that is sanitized. */
const MAX_SAID_CHARS = 4_000;

function tell(json: Json): SaidError {
  const outer = isArray(json) ? objectOf(json[0]) : objectOf(json);
  if (outer === undefined) return { words: [], message: textOf(json) ?? "" };
  const inner = objectOf(outer["error"]) ?? outer;
  const metadata = objectOf(inner["metadata"]);
  const passedOn = parseJson(textOf(metadata?.["raw"]) ?? "");
  // An aggregator's own message only says that a vendor behind it failed.
  if (isObject(passedOn))
    return { ...tell(passedOn), ...defined({ status: statusIn(outer, inner) }) };
  const details = [...listOf(inner["details"]), ...listOf(outer["detail"])];
  const named = [outer["code"], outer["type"], inner["code"], inner["type"], inner["status"]];
  named.push(outer["error_type"], inner["error_type"]);
  const deeper = [
    memberOf(inner["innererror"], "code"),
    ...details.map((one) => memberOf(one, "reason")),
  ];
  if (listOf(metadata?.["reasons"]).length > 0) named.push("content_filter");
  const words = [...named, ...deeper].filter((word) => typeof word === "string");
  const codes = [errorCodeIn(inner), inner["code"], outer["code"], ...deeper, inner["status"]];
  return {
    words: words.map((word) => word.toLowerCase()),
    message: messageOf(outer, inner, details),
    ...defined({
      param: (textOf(inner["param"]) ?? locationOf(details[0])) || undefined,
      retryAfterMs: details.map(delayIn).find((one) => one !== undefined),
      status: statusIn(outer, inner),
      code: codes.map(nameIn).find((code) => code !== undefined && !/^\d{3}$/.test(code)),
      type: nameIn(inner["type"] ?? outer["type"]),
      details: detailsIn(inner),
    }),
  };
}

/** A name without spaces: it is shown to clients and written to journals unchanged. */
function nameIn(value: Json | undefined): string | undefined {
  const text = decimalOf(value);
  return text !== undefined && /^[\w.:-]{1,64}$/.test(text) ? text : undefined;
}

function errorCodeIn(error: JsonObject): Json | undefined {
  return memberOf(error["details"], "error_code");
}

/** Clients of one vendor read these fields. */
function detailsIn(error: JsonObject): JsonObject | undefined {
  const { details } = error;
  if (!isObject(details) || nameIn(details["error_code"]) === undefined) return undefined;
  return JSON.stringify(details).length <= MAX_DETAILS_CHARS ? details : undefined;
}

const MAX_DETAILS_CHARS = 2_000;

function messageOf(outer: JsonObject, inner: JsonObject, details: readonly Json[]): string {
  const said = [outer["error"], inner["message"], outer["message"], outer["detail"]].find(
    (one) => typeof one === "string" && one !== "",
  );
  const found = details.map((one) => textOf(memberOf(one, "msg"))).find((one) => one !== undefined);
  return [textOf(said), found].filter((one) => one !== undefined).join(": ");
}

/** `["body", "messages", 0]`: the error location of validators of one family. */
function locationOf(detail: Json | undefined): string | undefined {
  const steps = listOf(memberOf(detail, "loc")).filter((step) => step !== "body");
  if (steps.length === 0) return undefined;
  return steps
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${textOf(step) ?? ""}`))
    .join("")
    .replace(".", "");
}

/** `{"retryDelay": "34.4s"}`: one vendor's retry delay, beside the error. */
function delayIn(detail: Json): number | undefined {
  const [, seconds] =
    /^(\d{1,6}(?:\.\d{1,9})?)s$/.exec(textOf(memberOf(detail, "retryDelay")) ?? "") ?? [];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1_000);
}

function statusIn(outer: JsonObject, inner: JsonObject): number | undefined {
  return [inner["status_code"], inner["code"], inner["status"], outer["code"]]
    .map(statusOf)
    .find(isStatus);
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
