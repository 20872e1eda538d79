import type { FaultCode, GatewayError } from "#core/error.ts";
import type { ThrottledLog } from "#lib/throttled-log.ts";

/** Other failures of the gateway's own are bugs. */
const TURNED_AWAY: readonly FaultCode[] = ["overloaded", "unavailable"];

/**
 * Upstreams fail every day; only what is the gateway's own fault is an error.
 * An error's message may repeat what the caller or the vendor said, so it is
 * not logged: the journal has the call by its request id.
 */
export function logFailure(log: ThrottledLog, error: GatewayError, requestId: string): void {
  const { code, fault, upstream } = error;
  const kind = `${code} ${upstream?.channel ?? ""}`;
  const fields = { requestId, code, ...upstream };
  if (fault.blame !== "gateway") {
    log.write("warn", kind, fields, "upstream request failed");
    return;
  }
  // If calls are turned away for want of room, where in the code that happens helps nobody.
  const cause = error.cause ?? (TURNED_AWAY.includes(code) ? undefined : error);
  const traced = cause === undefined ? fields : { ...fields, err: cause };
  const message = TURNED_AWAY.includes(code) ? "request turned away" : "request failed";
  log.write("error", kind, traced, message);
}
