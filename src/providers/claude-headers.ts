import type { JsonObject } from "#lib/json.ts";
import { betasFor } from "#styles/text/messages/betas.ts";
import { BASE_VERSION, newestVersionFor } from "#styles/text/messages/version.ts";
import type { ReadHeader, RequestContext } from "./provider.ts";

/**
 * Headers of a messages request. What a caller of the style says in the
 * vendor's own headers goes up as it was said: names that are not known here
 * may be known there. The body's features on trial are named as well.
 */
export function claudeHeaders(
  body: JsonObject,
  ofCaller: ReadHeader,
  context?: RequestContext,
): Readonly<Record<string, string>> {
  const version = ofCaller(VERSION) ?? versionOf(body, context);
  return { ...claudeHeadersWithoutVersion(body, ofCaller), [VERSION]: version };
}

/** The same for hosts that have the version of the interface in the body. */
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
 * The version that a channel is set to. Otherwise, at the vendor's own address,
 * the newest that takes the body; elsewhere the one that every server knows.
 */
function versionOf(body: JsonObject, context: RequestContext | undefined): string {
  const { options = {}, isVendors = false } = context ?? {};
  return options["version"] ?? (isVendors ? newestVersionFor(body) : BASE_VERSION);
}

export const VERSION = "anthropic-version";
const BETA = "anthropic-beta";
const PASSED = /^(anthropic|x-claude-code)-/;
/** Callers present their credentials to the gateway; those go no further. */
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
