import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from "jose";
import type { Clock } from "#lib/clock.ts";
import type { Json } from "#lib/json.ts";
import { flagOf, listOf, memberOf, textOf } from "#lib/values.ts";
import { unreachable, type Ask } from "./ask.ts";

/** A provider's metadata. [OpenID Connect Discovery 1.0, section 3] */
export interface Metadata {
  readonly authorizationEndpoint: URL;
  readonly tokenEndpoint: string;
  readonly userinfoEndpoint: string | undefined;
  /** The provider accepts the client secret only in the body. */
  readonly isSecretInBody: boolean;
  /** The provider adds its issuer to its responses. [RFC 9207] */
  readonly isIssuerInAnswer: boolean;
  readonly keys: JWTVerifyGetKey;
}

const KEPT_MS = 3_600_000;
const KEYS_KEPT_MS = 600_000;
/**
 * Minimum interval between two requests for unknown keys, so that invalid
 * tokens cannot trigger more.
 */
const UNKNOWN_KEY_MS = 60_000;

/** Reads the provider's document on first use, and again if it is outdated. */
export function openDiscovery(issuer: URL, written: string, ask: Ask, clock: Clock) {
  const url = `${written.replace(/\/$/, "")}/.well-known/openid-configuration`;
  let held: { readonly metadata: Metadata; readonly readAt: number } | undefined;
  let reading: Promise<Metadata> | undefined;

  return async function discover(): Promise<Metadata> {
    if (held !== undefined && clock.monotonic() - held.readAt < KEPT_MS) return held.metadata;
    reading ??= read().finally(() => (reading = undefined));
    try {
      return await reading;
    } catch (cause) {
      // If the refresh fails, the old metadata stay in use.
      if (held === undefined) throw cause;
      return held.metadata;
    }
  };

  async function read(): Promise<Metadata> {
    const { status, json } = await ask(url);
    if (status !== 200) throw unreachable(new Error(`${url} answered ${status}`));
    const metadata = readMetadata(json, issuer, written, ask);
    held = { metadata, readAt: clock.monotonic() };
    return metadata;
  }
}

function readMetadata(json: Json | undefined, issuer: URL, written: string, ask: Ask): Metadata {
  const text = (name: string): string => textOf(memberOf(json, name)) ?? "";
  if (text("issuer") !== written) {
    throw unreachable(new Error("The metadata document has a different issuer than configured."));
  }
  const authorizationEndpoint = URL.parse(text("authorization_endpoint"));
  const keysUri = URL.parse(text("jwks_uri"));
  // If the issuer has no encryption, its endpoints may do without too; otherwise they may not.
  const schemes = ["https:", issuer.protocol];
  if (authorizationEndpoint === null || keysUri === null) {
    throw unreachable(new Error("The metadata document lacks an endpoint."));
  }
  if (!schemes.includes(authorizationEndpoint.protocol)) {
    throw unreachable(
      new Error("The metadata document has an authorization endpoint without TLS."),
    );
  }
  const methods = listOf(memberOf(json, "token_endpoint_auth_methods_supported"));
  const inBody = methods.includes("client_secret_post");
  return {
    authorizationEndpoint,
    tokenEndpoint: text("token_endpoint"),
    userinfoEndpoint: textOf(memberOf(json, "userinfo_endpoint")),
    isSecretInBody: inBody && !methods.includes("client_secret_basic"),
    isIssuerInAnswer:
      flagOf(memberOf(json, "authorization_response_iss_parameter_supported")) ?? false,
    keys: createRemoteJWKSet(keysUri, {
      cooldownDuration: UNKNOWN_KEY_MS,
      cacheMaxAge: KEYS_KEPT_MS,
      timeoutDuration: 15_000,
      [customFetch]: async (url) => {
        const answer = await ask(url);
        return new Response(answer.text, { status: answer.status });
      },
    }),
  };
}
