import type { JsonObject } from "#lib/json.ts";

/** What a failure means: who caused it, its HTTP status, and what the router does next. */
interface Fault {
  readonly status: number;
  readonly blame: "client" | "operator" | "upstream" | "gateway";
  /**
   * `stop`: nobody else could do better. `once`: it is not known whether the
   * request or the account is at fault, so a second such answer ends the call.
   * `credential`: another credential of the same channel might do better.
   * `channel`: another channel might. All of them only hold before the first
   * byte of an answer has left.
   */
  readonly next: "stop" | "once" | "credential" | "channel";
  /** Counts against the channel in its circuit breaker. */
  readonly trips?: true;
}

/**
 * Every failure the gateway can report, in one row each. The router's retry,
 * the styles' error shapes and the manual all read this table.
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
  /** The request field at fault, as the caller would write it: `messages[2].content`. */
  readonly param?: string;
  /** How long the caller should wait before another try, in milliseconds. */
  readonly retryAfterMs?: number;
  /** What the caller's client acts on by itself, in the words of its style. */
  readonly details?: JsonObject;
  /** What the vendor itself said, for the journal. */
  readonly vendor?: VendorFailure;
  /** False if another try cannot help, whatever the status lets a client believe. */
  readonly mayRetry?: false;
  /** Only ever logged. */
  readonly cause?: unknown;
}

/** The attempt that failed, in words of the operator's alone. */
interface FailedUpstream {
  readonly channel: string;
  readonly model: string;
  /** Its label. */
  readonly credential: string;
  /** Of the upstream's answer, if there was one. */
  readonly status: number | null;
}

/** A failure as the vendor reported it. */
export interface VendorFailure {
  /** HTTP status of the answer, or the one that its body names. */
  readonly status: number;
  readonly code?: string;
  readonly type?: string;
  /** The vendor's message, scrubbed. Only operators may see it: it can describe their account. */
  readonly reason?: string;
  /** Member of the request that the vendor says it does not take: `thinking.display`. */
  readonly refusedMember?: string;
  /** The same as it came, if scrubbing changed it. The attempt removes it: it knows what the caller sent. */
  readonly said?: string;
}

/** The message is shown to the caller; the cause is only ever logged. */
export class GatewayError extends Error {
  override readonly name = "GatewayError";
  /** Where it happened, said by the attempt that failed; for the log. */
  upstream: FailedUpstream | undefined;
  readonly code: FaultCode;
  readonly param: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly details: JsonObject | undefined;
  readonly vendor: VendorFailure | undefined;
  readonly mayRetry: false | undefined;

  constructor(code: FaultCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.param = details.param;
    this.retryAfterMs = details.retryAfterMs;
    this.details = details.details;
    this.vendor = details.vendor;
    this.mayRetry = details.mayRetry;
  }

  /** The same, with how long the caller should wait. */
  withWait(retryAfterMs: number): GatewayError {
    const { param, details, vendor, mayRetry, cause } = this;
    const timed = new GatewayError(this.code, this.message, {
      retryAfterMs,
      cause,
      ...(param === undefined ? {} : { param }),
      ...(details === undefined ? {} : { details }),
      ...(vendor === undefined ? {} : { vendor }),
      ...(mayRetry === undefined ? {} : { mayRetry }),
    });
    timed.upstream = this.upstream;
    return timed;
  }

  get fault(): Fault {
    return FAULTS[this.code];
  }

  /** Anything unexpected becomes `internal`, and says nothing about itself. */
  static from(cause: unknown): GatewayError {
    if (cause instanceof GatewayError) return cause;
    return new GatewayError("internal", "The gateway failed to handle this request.", { cause });
  }
}

/** The one way to say that a field of the caller's request is wrong. */
export function invalid(param: string, message: string, cause?: unknown): GatewayError {
  const details = cause === undefined ? { param } : { param, cause };
  return new GatewayError("invalid_request", message, details);
}
