import type { JsonObject } from "#lib/json.ts";
import type { ExceededLimit } from "./limits.ts";

/** The meaning of a failure: who caused it, its HTTP status, and how the router continues. */
interface Fault {
  readonly status: number;
  readonly blame: "client" | "operator" | "upstream" | "gateway";
  /**
   * `stop`: no other upstream can do better. `once`: either the request or the
   * account may be at fault, so a second such response ends the call.
   * `credential`: try another credential of the same channel. `channel`: try
   * another channel. The router acts on it only before the first byte of a
   * response was sent.
   */
  readonly next: "stop" | "once" | "credential" | "channel";
  /** Counts against the channel in its circuit breaker. */
  readonly trips?: true;
}

/**
 * Every failure that the gateway can report, one row each. The router's retry,
 * the styles' error formats and the manual use this table.
 */
export const FAULTS = {
  invalid_request: { status: 400, blame: "client", next: "stop" },
  not_carried: { status: 400, blame: "client", next: "stop" },
  context_length_exceeded: { status: 400, blame: "client", next: "stop" },
  content_filtered: { status: 400, blame: "client", next: "stop" },
  upstream_rejected: { status: 400, blame: "client", next: "stop" },
  upstream_forbidden: { status: 403, blame: "client", next: "stop" },
  upstream_not_found: { status: 404, blame: "client", next: "stop" },
  unauthenticated: { status: 401, blame: "client", next: "stop" },
  out_of_quota: { status: 402, blame: "client", next: "stop" },
  forbidden: { status: 403, blame: "client", next: "stop" },
  not_found: { status: 404, blame: "client", next: "stop" },
  model_not_found: { status: 404, blame: "client", next: "stop" },
  method_not_allowed: { status: 405, blame: "client", next: "stop" },
  request_timeout: { status: 408, blame: "client", next: "stop" },
  still_running: { status: 409, blame: "client", next: "stop" },
  answer_not_kept: { status: 409, blame: "client", next: "stop" },
  revision_outdated: { status: 409, blame: "client", next: "stop" },
  plan_outdated: { status: 409, blame: "client", next: "stop" },
  content_gone: { status: 410, blame: "upstream", next: "stop" },
  too_large: { status: 413, blame: "client", next: "stop" },
  range_not_satisfiable: { status: 416, blame: "client", next: "stop" },
  unsupported_media_type: { status: 415, blame: "client", next: "stop" },
  key_reused: { status: 422, blame: "client", next: "stop" },
  upgrade_refused: { status: 426, blame: "client", next: "stop" },
  rate_limited: { status: 429, blame: "client", next: "stop" },
  canceled: { status: 499, blame: "client", next: "stop" },
  internal: { status: 500, blame: "gateway", next: "stop" },
  upstream_refused: { status: 403, blame: "upstream", next: "once" },
  upstream_denied: { status: 502, blame: "operator", next: "once" },
  upstream_auth: { status: 502, blame: "operator", next: "credential" },
  upstream_model_missing: { status: 502, blame: "operator", next: "channel" },
  upstream_rate_limited: { status: 429, blame: "upstream", next: "credential" },
  upstream_unreachable: { status: 502, blame: "upstream", next: "channel", trips: true },
  upstream_failed: { status: 502, blame: "upstream", next: "channel", trips: true },
  upstream_overloaded: { status: 503, blame: "upstream", next: "channel", trips: true },
  upstream_timeout: { status: 504, blame: "upstream", next: "channel", trips: true },
  overloaded: { status: 503, blame: "gateway", next: "stop" },
  unavailable: { status: 503, blame: "gateway", next: "stop" },
} as const satisfies Record<string, Fault>;

export type FaultCode = keyof typeof FAULTS;

interface ErrorDetails {
  /** The invalid request field, in the client's notation: `messages[2].content`. */
  readonly param?: string;
  /** How long the client should wait before a retry, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Details that the client library acts on, in the terms of its style. */
  readonly details?: JsonObject;
  /** The limit or budget that refused the call, for the journal. */
  readonly limit?: ExceededLimit;
  /** The vendor's own report, for the journal. */
  readonly vendor?: VendorFailure;
  /** False if a retry cannot help, even if the status suggests one. */
  readonly mayRetry?: false;
  /** Logged only, never shown. */
  readonly cause?: unknown;
}

/** The failed attempt, described only with the operator's own names. */
interface FailedUpstream {
  readonly channel: string;
  readonly model: string;
  /** The credential's label. */
  readonly credential: string;
  /** Status of the upstream's response, if it answered. */
  readonly status: number | null;
}

/** A failure as the vendor reported it. */
export interface VendorFailure {
  /** HTTP status of the response, or the status that its body names. */
  readonly status: number;
  readonly code?: string;
  readonly type?: string;
  /** The vendor's message, scrubbed. For operators only: it can describe their account. */
  readonly reason?: string;
  /** The request field that the vendor does not accept: `thinking.display`. */
  readonly refusedMember?: string;
  /**
   * The unscrubbed message, if scrubbing changed it. The attempt knows the
   * client's request and removes it.
   */
  readonly said?: string;
}

/** Clients see the message; the cause is only logged. */
export class GatewayError extends Error {
  override readonly name = "GatewayError";
  /** The upstream that failed, set by the attempt; for the log. */
  upstream: FailedUpstream | undefined;
  readonly code: FaultCode;
  readonly param: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly details: JsonObject | undefined;
  readonly limit: ExceededLimit | undefined;
  readonly vendor: VendorFailure | undefined;
  readonly mayRetry: false | undefined;

  constructor(code: FaultCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.param = details.param;
    this.retryAfterMs = details.retryAfterMs;
    this.details = details.details;
    this.limit = details.limit;
    this.vendor = details.vendor;
    this.mayRetry = details.mayRetry;
  }

  /** The same error with a wait for the client. */
  withWait(retryAfterMs: number): GatewayError {
    const { param, details, limit, vendor, mayRetry, cause } = this;
    const timed = new GatewayError(this.code, this.message, {
      retryAfterMs,
      cause,
      ...(param === undefined ? {} : { param }),
      ...(details === undefined ? {} : { details }),
      ...(limit === undefined ? {} : { limit }),
      ...(vendor === undefined ? {} : { vendor }),
      ...(mayRetry === undefined ? {} : { mayRetry }),
    });
    timed.upstream = this.upstream;
    return timed;
  }

  get fault(): Fault {
    return FAULTS[this.code];
  }

  /** Unexpected errors become `internal` without details. */
  static from(cause: unknown): GatewayError {
    if (cause instanceof GatewayError) return cause;
    return new GatewayError("internal", "The gateway failed to handle this request.", { cause });
  }
}

/** Creates every error about an invalid field of the client's request. */
export function invalid(param: string, message: string, cause?: unknown): GatewayError {
  const details = cause === undefined ? { param } : { param, cause };
  return new GatewayError("invalid_request", message, details);
}
