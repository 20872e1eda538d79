import type { GatewayError } from "#core/error.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { json } from "../json.ts";

/** Responses below this prefix are `{success, message, data}`. [Part A 4.1] */
export const API_PREFIX = "/api/";

/** Request bodies of the management API are small. */
export const MAX_BODY_BYTES = 256 * 1024;

export function succeed(requestId: string, message: string, data?: Json): Response {
  const body = { success: true, message, ...(data === undefined ? {} : { data }) };
  const response = json(body, requestId);
  // Some responses contain a secret that is shown once; caches must not store any of them.
  response.headers.set("cache-control", "no-store");
  return response;
}

export function renderFailure(error: GatewayError): JsonObject {
  const { message, details } = error;
  return { success: false, message, ...(details === undefined ? {} : { data: details }) };
}
