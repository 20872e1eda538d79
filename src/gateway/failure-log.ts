import type { FaultCode, GatewayError } from "#core/error.ts";
import type { ThrottledLog } from "#lib/throttled-log.ts";

/** Other failures of the gateway itself are bugs. */
const NO_CAPACITY: readonly FaultCode[] = ["overloaded", "unavailable"];

/**
 * Upstream failures are common; only the gateway's own failures are errors. An
 * error's message may repeat data from the client or the vendor, so it is not
 * logged. The journal has the call under its request id.
 */
export function logFailure(log: ThrottledLog, error: GatewayError, requestId: string): void {
  const { code, fault, upstream } = error;
  const kind = `${code} ${upstream?.channel ?? ""}`;
  const fields = { requestId, code, ...upstream };
  if (fault.blame !== "gateway") {
    log.write("warn", kind, fields, "upstream request failed");
    return;
  }
  // For refusals at capacity the stack is useless.
  const cause = error.cause ?? (NO_CAPACITY.includes(code) ? undefined : error);
  const traced = cause === undefined ? fields : { ...fields, err: cause };
  const message = NO_CAPACITY.includes(code) ? "request refused: no capacity" : "request failed";
  log.write("error", kind, traced, message);
}
