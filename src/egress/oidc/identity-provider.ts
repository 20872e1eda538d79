import { createHash } from "node:crypto";
import { GatewayError } from "#core/error.ts";
import type { Identity, IdentityProvider } from "#core/identity.ts";
import { isEmail } from "#core/user.ts";
import { hasClaim } from "#core/sign-on-rules.ts";
import type { Clock } from "#lib/clock.ts";
import { randomBase62 } from "#lib/ids.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { memberOf, textOf } from "#lib/values.ts";
import { openAsk, unreachable, type Ask } from "./ask.ts";
import { openDiscovery, type Metadata } from "./discovery.ts";
import { notValid, verifyIdToken } from "./id-token.ts";

interface IdentityProviderOptions {
  /** Exactly as the provider writes it. */
  readonly issuer: string;
  readonly clientId: string;
  /** Separated by spaces. */
  readonly scopes: string;
  readonly openSecret: () => string;
  /** The redirect URL for browsers. */
  readonly callback: string;
  /** Non-public networks that the provider may be in. */
  readonly allow: readonly string[];
  readonly clock: Clock;
}

/** Longer than the codes of any known provider. */
const MAX_CODE_CHARS = 4_096;

/** OpenID Connect's authorization code flow, with PKCE. */
export function openIdentityProvider(options: IdentityProviderOptions): IdentityProvider {
  const { issuer, clientId, callback, allow, clock } = options;
  const ask = openAsk(new URL(issuer), allow);
  const discover = openDiscovery(new URL(issuer), issuer, ask, clock);

  return {
    issuer,

    async begin() {
      const { authorizationEndpoint } = await discover();
      const pending = {
        state: randomBase62(32),
        nonce: randomBase62(32),
        verifier: randomBase62(64),
      };
      const url = new URL(authorizationEndpoint);
      const parameters = {
        response_type: "code",
        client_id: clientId,
        redirect_uri: callback,
        scope: options.scopes,
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: createHash("sha256").update(pending.verifier).digest("base64url"),
        code_challenge_method: "S256",
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return { url: url.href, pending };
    },

    async finish({ state, nonce, verifier }, answer, neededClaims) {
      if (answer.get("state") !== state) throw notValid("state");
      const metadata = await discover();
      const code = readCode(answer, issuer, metadata);
      const tokens = await trade(code, verifier, metadata, options, ask);
      const expected = { issuer, clientId, nonce, now: clock.now() };
      const claims = await verifyIdToken(tokens.idToken, metadata.keys, expected);
      const isWhole =
        typeof claims["email"] === "string" &&
        neededClaims.every((path) => hasClaim(claims as JsonObject, path));
      const more = isWhole ? {} : await readProfile(tokens.accessToken, claims.sub, metadata, ask);
      return identityOf(issuer, claims.sub, { ...(claims as JsonObject), ...more });
    },
  };
}

function readCode(answer: URLSearchParams, issuer: string, metadata: Metadata): string {
  const from = answer.get("iss") ?? (metadata.isIssuerInAnswer ? "nobody" : issuer);
  if (from !== issuer) throw notValid("iss");
  const error = answer.get("error");
  if (error !== null) {
    const word = /^[a-z_]{1,40}$/.test(error) ? error : "an error";
    throw new GatewayError("unauthenticated", `The identity provider answered with ${word}.`);
  }
  const code = answer.get("code") ?? "";
  if (code === "" || code.length > MAX_CODE_CHARS) throw notValid("code");
  return code;
}

/** Exchanges the code for tokens with the client secret and the PKCE verifier. */
async function trade(
  code: string,
  verifier: string,
  { tokenEndpoint, isSecretInBody }: Metadata,
  { clientId, openSecret, callback }: IdentityProviderOptions,
  ask: Ask,
): Promise<{ readonly idToken: string; readonly accessToken: string | undefined }> {
  const form = new URLSearchParams({
    grant_type: "authorization_code",
    code,
    redirect_uri: callback,
    code_verifier: verifier,
  });
  const headers: Record<string, string> = { "content-type": "application/x-www-form-urlencoded" };
  if (isSecretInBody) {
    form.set("client_id", clientId);
    form.set("client_secret", openSecret());
  } else {
    const pair = `${formEncoded(clientId)}:${formEncoded(openSecret())}`;
    headers["authorization"] = `Basic ${Buffer.from(pair).toString("base64")}`;
  }

  const { status, json } = await ask(tokenEndpoint, {
    method: "POST",
    headers,
    body: form.toString(),
  });
  if (status !== 200) throw refusalOf(status, json);
  const idToken = textOf(memberOf(json, "id_token"));
  if (idToken === undefined) throw notValid("no id token");
  return { idToken, accessToken: textOf(memberOf(json, "access_token")) };
}

function refusalOf(status: number, json: Json | undefined): GatewayError {
  const cause = new Error(`The token endpoint answered ${status}.`);
  const error = textOf(memberOf(json, "error"));
  if (status === 401 || error === "invalid_client" || error === "unauthorized_client") {
    return new GatewayError(
      "upstream_auth",
      "The identity provider refused this gateway's client id or secret.",
      {
        cause,
      },
    );
  }
  return status < 500 ? notValid(cause) : unreachable(cause);
}

/** Some providers put only the subject into the id token, and the other claims here. */
async function readProfile(
  accessToken: string | undefined,
  subject: string,
  { userinfoEndpoint }: Metadata,
  ask: Ask,
): Promise<JsonObject> {
  if (accessToken === undefined || userinfoEndpoint === undefined) return {};
  const headers = { authorization: `Bearer ${accessToken}` };
  const { status, json } = await ask(userinfoEndpoint, { headers });
  if (status !== 200 || !isObject(json)) throw unreachable(new Error(`Userinfo said ${status}.`));
  if (json["sub"] !== subject) throw notValid("another subject's profile");
  return json;
}

function identityOf(issuer: string, subject: string, claims: JsonObject): Identity {
  const email = textOf(claims["email"])?.toLowerCase();
  const displayName = printable(textOf(claims["name"]));
  const userName = textOf(claims["preferred_username"]);
  return {
    issuer,
    subject,
    isEmailVerified: claims["email_verified"] === true,
    claims,
    ...(email === undefined || !isEmail(email) ? {} : { email }),
    ...(displayName === "" ? {} : { displayName }),
    ...(userName === undefined ? {} : { userName }),
  };
}

function printable(text = ""): string {
  return text.replaceAll(/\p{C}/gu, "").trim().slice(0, 100);
}

/** Form-encoded, as the authentication scheme requires. [RFC 6749, section 2.3.1] */
function formEncoded(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}
