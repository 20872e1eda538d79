import { importPKCS8, SignJWT } from "jose";
import type { TokenExchange, TokenRequest } from "#core/authorize.ts";
import { GatewayError } from "#core/error.ts";
import { isObject, parseJson } from "#lib/json.ts";
import { numberOf, textOf } from "#lib/values.ts";

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const TOKEN_URL = "https://oauth2.googleapis.com/token";
const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const ALGORITHM = "RS256";
/** The vendor's maximum. */
const ASSERTION_S = 3_600;

/**
 * The key file of a service account, exchanged for access tokens by a signed assertion:
 * https://developers.google.com/identity/protocols/oauth2/service-account
 */
export const serviceAccount: TokenExchange = {
  request(secret, at) {
    return secret.startsWith("{") ? requestToken(secret, at) : undefined;
  },
  read(answer) {
    const value = textOf(answer["access_token"]);
    const lifetimeS = numberOf(answer["expires_in"]);
    if (value === undefined || value === "" || lifetimeS === undefined || !(lifetimeS > 0)) {
      return undefined;
    }
    return { value, lifetimeMs: lifetimeS * 1_000 };
  },
};

async function requestToken(secret: string, at: number): Promise<TokenRequest> {
  const account = parseJson(secret);
  const file = isObject(account) ? account : {};
  const email = textOf(file["client_email"]);
  const key = textOf(file["private_key"]);
  if (email === undefined || key === undefined) throw malformed();

  const audience = textOf(file["token_uri"]) ?? TOKEN_URL;
  const url = URL.parse(audience);
  if (url === null || !/^https?:$/.test(url.protocol)) throw malformed();
  const body = new URLSearchParams({
    grant_type: GRANT,
    assertion: await assertionOf(email, key, audience, textOf(file["private_key_id"]), at),
  });
  return {
    url,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: body.toString(),
  };
}

async function assertionOf(
  email: string,
  key: string,
  audience: string,
  keyId: string | undefined,
  at: number,
): Promise<string> {
  const issuedAt = Math.floor(at / 1_000);
  try {
    return await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({
        alg: ALGORITHM,
        typ: "JWT",
        ...(keyId === undefined ? {} : { kid: keyId }),
      })
      .setIssuer(email)
      .setAudience(audience)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + ASSERTION_S)
      .sign(await importPKCS8(key, ALGORITHM));
  } catch {
    // Hide the cause: its message might contain part of the key.
    throw malformed();
  }
}

function malformed(): GatewayError {
  return new GatewayError(
    "upstream_auth",
    "The gateway's credential for this upstream is malformed.",
  );
}
