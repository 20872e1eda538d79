import { GatewayError, type FaultCode } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";

const MAX_MESSAGE_CHARS = 500;

/** The vendor's error code decides, because its status is not specific. The first match applies. */
const KINDS: readonly (readonly [pattern: RegExp, code: FaultCode])[] = [
  [
    /Signature|AccessKey|Credential|Timestamp|RequestExpired|SecurityToken|Unauthorized/i,
    "upstream_auth",
  ],
  [/^(AccessDenied|Forbidden|InvalidActionOrVersion|ServiceNotFound)/i, "upstream_auth"],
  [/NotFound|NotExist/i, "not_found"],
  [/NotReady|InProgress|Processing/i, "still_running"],
  [/Throttl|FlowLimit|RateLimit|TooManyRequests|ExceedsQps/i, "upstream_rate_limited"],
  [/^(Internal|ServiceUnavailable|ServerBusy|Timeout)/i, "upstream_failed"],
  [/Sensitive|ContentRestricted|RiskDetection/i, "content_filtered"],
];

/** Maps an error response; without an error object, the status decides. */
export function asError(status: number, failure: JsonObject): GatewayError {
  const said = textOf(failure["Code"]) ?? "";
  const code = codeOf(status, said);
  const cause = `status ${status} ${said.slice(0, 128)}`;
  if (code === "upstream_auth") {
    return new GatewayError(code, "The upstream does not accept the gateway's account.", { cause });
  }
  if (code === "upstream_failed" || said === "") {
    return new GatewayError(code, "The upstream failed to handle this request.", { cause });
  }
  const message = textOf(failure["Message"])?.slice(0, MAX_MESSAGE_CHARS) || said;
  // The vendor's error code is more specific than the gateway's.
  const details = { Code: said.slice(0, 128) };
  return new GatewayError(code, message, { cause, details });
}

function codeOf(status: number, said: string): FaultCode {
  const found = KINDS.find(([pattern]) => pattern.test(said));
  if (found !== undefined && said !== "") return found[1];
  if (said !== "" && status < 500) return "upstream_rejected";
  if (status === 401 || status === 403) return "upstream_auth";
  if (status === 404) return "not_found";
  if (status === 429) return "upstream_rate_limited";
  return status >= 400 && status < 500 ? "upstream_rejected" : "upstream_failed";
}
