import type { FaultCode, GatewayError } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";

const INVALID = 1201;
const BROKEN = 5000;

const CODES: Partial<Record<FaultCode, number>> = {
  content_filtered: 1301,
  unauthenticated: 1002,
  out_of_quota: 1102,
  forbidden: 1103,
  not_found: 1203,
  model_not_found: 1203,
  method_not_allowed: 1202,
  rate_limited: 1302,
  upstream_rate_limited: 1302,
  overloaded: 5001,
  unavailable: 5001,
  upstream_overloaded: 5001,
  upstream_timeout: 5002,
};

/** With the vendor's codes, which both styles share. */
export function buildError({ code, message, fault }: GatewayError): JsonObject {
  return { code: CODES[code] ?? (fault.blame === "client" ? INVALID : BROKEN), message };
}

/** The envelope of success responses. */
export function succeeded(data: JsonObject | readonly JsonObject[]): JsonObject {
  return { code: 0, message: "SUCCEED", data };
}
