import type { JsonObject } from "#lib/json.ts";
import { betasFor } from "#styles/text/messages/request/betas.ts";
import { BASE_VERSION, newestVersionFor } from "#styles/text/messages/request/version.ts";
import type { ReadHeader, RequestContext } from "./provider.ts";

/**
 * Headers of a messages request. A client's own `anthropic-*` headers are forwarded unchanged,
 * because the upstream may know values that the gateway does not. Beta features of the body are
 * added.
 */
export function claudeHeaders(
  body: JsonObject,
  ofCaller: ReadHeader,
  context?: RequestContext,
): Readonly<Record<string, string>> {
  const version = ofCaller(VERSION) ?? versionOf(body, context);
  return { ...claudeHeadersWithoutVersion(body, ofCaller), [VERSION]: version };
}

/** The same for hosts that take the API version in the body. */
export function claudeHeadersWithoutVersion(
  body: JsonObject,
  ofCaller: ReadHeader,
): Readonly<Record<string, string>> {
  const headers = passedOn(ofCaller);
  const asked = (ofCaller(BETA) ?? "").split(",").map((word) => word.trim());
  const betas = new Set([...asked, ...betasFor(body, asked)].filter((word) => word !== ""));
  if (betas.size > 0) headers[BETA] = [...betas].join(",");
  return headers;
}

/**
 * The channel's configured version. Otherwise, at the vendor's own address, the newest version that
 * accepts the body; elsewhere the version that every server supports.
 */
function versionOf(body: JsonObject, context: RequestContext | undefined): string {
  const { options = {}, isVendors = false } = context ?? {};
  return options["version"] ?? (isVendors ? newestVersionFor(body) : BASE_VERSION);
}

export const VERSION = "anthropic-version";
const BETA = "anthropic-beta";
const PASSED = /^(anthropic|x-claude-code)-/;
/** Headers that may contain a client's credential for the gateway; they are never forwarded. */
const CREDENTIAL = /api-?key|admin-?key|authorization|auth-?token|secret|credential|cookie/;
const MAX_HEADERS = 32;
const MAX_VALUE_LENGTH = 4_096;

function passedOn(ofCaller: ReadHeader): Record<string, string> {
  const headers: Record<string, string> = {};
  let count = 0;
  for (const name of ofCaller.names?.() ?? []) {
    if (name === VERSION || name === BETA || !PASSED.test(name) || CREDENTIAL.test(name)) continue;
    const value = ofCaller(name);
    if (value === undefined || value.length > MAX_VALUE_LENGTH) continue;
    if (++count > MAX_HEADERS) break;
    headers[name] = value;
  }
  return headers;
}
