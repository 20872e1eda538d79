import type { JsonObject } from "#lib/json.ts";

const HEADERS = { "content-type": "application/json" };

export function json(body: JsonObject, status = 200): Response {
  return new Response(JSON.stringify(body), { status, headers: HEADERS });
}
