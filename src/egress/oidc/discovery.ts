import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from "jose";
import type { Clock } from "#lib/clock.ts";
import type { Json } from "#lib/json.ts";
import { flagOf, listOf, memberOf, textOf } from "#lib/values.ts";
import { unreachable, type Ask } from "./ask.ts";

/** What a provider says of itself. [OpenID Connect Discovery 1.0, section 3] */
export interface Metadata {
  readonly authorizationEndpoint: URL;
  readonly tokenEndpoint: string;
  readonly userinfoEndpoint: string | undefined;
  /** The secret goes into the body, since the provider takes it nowhere else. */
  readonly isSecretInBody: boolean;
  /** Says in its answers whose they are. [RFC 9207] */
  readonly isIssuerInAnswer: boolean;
  readonly keys: JWTVerifyGetKey;
}

const KEPT_MS = 3_600_000;
const KEYS_KEPT_MS = 600_000;
/** A key that nobody knows is asked for once in this time, whatever tokens say. */
const UNKNOWN_KEY_MS = 60_000;

/** Reads the provider's document when it is needed, and again when it is old. */
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
      // What held for an hour may hold for longer.
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
    throw unreachable(new Error("The document is another issuer's than the one configured."));
  }
  const authorizationEndpoint = URL.parse(text("authorization_endpoint"));
  const keysUri = URL.parse(text("jwks_uri"));
  // An issuer without encryption may have the rest without it, too; nobody has worse.
  const schemes = ["https:", issuer.protocol];
  if (authorizationEndpoint === null || keysUri === null) {
    throw unreachable(new Error("The document lacks an address."));
  }
  if (!schemes.includes(authorizationEndpoint.protocol)) {
    throw unreachable(new Error("The document would send browsers without encryption."));
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
