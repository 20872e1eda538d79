import type { FaultCode, GatewayError } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";

/** A failure as the caller sees it. The body is already in the caller's style. */
export function errorResponse(error: GatewayError, body: JsonObject, requestId: string): Response {
  const headers = new Headers({
    "content-type": "application/json",
    "x-request-id": requestId,
    "request-id": requestId,
  });
  if (error.retryAfterMs !== undefined) {
    headers.set("retry-after", String(Math.ceil(error.retryAfterMs / 1_000)));
  }
  if (error.code === "unauthenticated") headers.set("www-authenticate", "Bearer");
  // Official clients try a 409, a 429 and any 5xx again; a quota does not come back by itself,
  // and a call that is larger than a whole minute of its limit never gets smaller.
  const isWorthWaiting = PASSING.includes(error.code) && error.retryAfterMs !== undefined;
  const { blame } = error.fault;
  // Whoever runs the gateway has to act on what is theirs: no client waits for that.
  const isFinal = error.mayRetry === false || blame === "client" || blame === "operator";
  if (isFinal && !isWorthWaiting) headers.set("x-should-retry", "false");
  return new Response(JSON.stringify(body), { status: error.fault.status, headers });
}

/** A caller's doing, and over by itself after a while. */
const PASSING: readonly FaultCode[] = ["rate_limited", "still_running"];
