import type { JsonObject } from "#lib/json.ts";

/** A JSON response with its request id, by which an operator can look up the call. */
export function json(body: JsonObject, requestId: string): Response {
  const headers = {
    "content-type": "application/json",
    "x-request-id": requestId,
    "request-id": requestId,
  };
  return new Response(JSON.stringify(body), { headers });
}
