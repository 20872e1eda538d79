import { GatewayError } from "#core/error.ts";

/** Why a signal fired: the gateway says so in an error of its own, a caller who hangs up says nothing. */
export function abortReason(signal: AbortSignal | undefined): GatewayError {
  const reason: unknown = signal?.reason;
  if (reason instanceof GatewayError) return reason;
  return new GatewayError("canceled", "The caller hung up.");
}
