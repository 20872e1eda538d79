import type { JsonObject } from "#lib/json.ts";

/** An answer that is JSON, with the id by which its request can be asked about. */
export function json(body: JsonObject, requestId: string): Response {
  const headers = {
    "content-type": "application/json",
    "x-request-id": requestId,
    "request-id": requestId,
  };
  return new Response(JSON.stringify(body), { headers });
}
