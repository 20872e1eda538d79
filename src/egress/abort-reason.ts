import { GatewayError } from "#core/error.ts";

/** The error behind an aborted signal: the gateway's own error, or a client disconnect. */
export function abortReason(signal: AbortSignal | undefined): GatewayError {
  const reason: unknown = signal?.reason;
  if (reason instanceof GatewayError) return reason;
  return new GatewayError("canceled", "The caller hung up.");
}
