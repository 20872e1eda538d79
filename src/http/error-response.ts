import type { FaultCode, GatewayError } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";

/** An error as the client sees it. The body is already in the client's style. */
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
  // Official clients retry 409, 429 and every 5xx. A quota does not refill by itself, and a call
  // larger than a whole minute's limit never fits: both tell the client not to retry.
  const isWorthWaiting = PASSING.includes(error.code) && error.retryAfterMs !== undefined;
  const { blame } = error.fault;
  // Configuration errors need the operator, so a client's retry cannot help.
  const isFinal = error.mayRetry === false || blame === "client" || blame === "operator";
  if (isFinal && !isWorthWaiting) headers.set("x-should-retry", "false");
  return new Response(JSON.stringify(body), { status: error.fault.status, headers });
}

/** Caused by the client, and over after a while. */
const PASSING: readonly FaultCode[] = ["rate_limited", "still_running"];
