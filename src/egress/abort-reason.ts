import { GatewayError } from "#core/error.ts";
import type { CancelSignal } from "#lib/cancellation.ts";

/** The error behind an aborted signal: the gateway's own error, or a client disconnect. */
export function abortReason(signal: Pick<CancelSignal, "reason"> | undefined): GatewayError {
  const reason: unknown = signal?.reason;
  if (reason instanceof GatewayError) return reason;
  return new GatewayError("canceled", "The caller hung up.");
}
