import { jwtVerify, type JWTPayload, type JWTVerifyGetKey } from "jose";
import { GatewayError } from "#core/error.ts";
import { isSubject } from "#core/identity.ts";

interface Expected {
  readonly issuer: string;
  readonly clientId: string;
  readonly nonce: string;
  /** Unix ms. */
  readonly now: number;
}

/** Asymmetric signature algorithms only: neither `none` nor our client secret as a key. */
const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];
/** Clock difference between the provider and the gateway. */
const TOLERANCE_S = 60;
/** Short, because the token comes directly from the provider. */
const MAX_AGE_S = 600;

/**
 * Verifies that an id token is for us and for this login, and returns its
 * claims. [OpenID Connect Core 1.0, section 3.1.3.7]
 */
export async function verifyIdToken(
  token: string,
  keys: JWTVerifyGetKey,
  { issuer, clientId, nonce, now }: Expected,
): Promise<JWTPayload & { readonly sub: string }> {
  const { payload } = await jwtVerify(token, keys, {
    issuer,
    audience: clientId,
    algorithms: ALGORITHMS,
    clockTolerance: TOLERANCE_S,
    maxTokenAge: MAX_AGE_S,
    currentDate: new Date(now),
    requiredClaims: ["exp", "iat", "sub", "nonce"],
  }).catch((cause: unknown) => {
    // The keys could not be fetched: this is not an invalid token.
    throw cause instanceof GatewayError ? cause : notValid(cause);
  });
  const { aud, azp, sub } = payload;
  const isShared = Array.isArray(aud) && aud.length > 1;
  if ((isShared || azp !== undefined) && azp !== clientId) throw notValid("azp");
  if (payload["nonce"] !== nonce) throw notValid("nonce");
  if (typeof sub !== "string" || !isSubject(sub)) throw notValid("sub");
  return { ...payload, sub };
}

export function notValid(cause: unknown): GatewayError {
  return new GatewayError("unauthenticated", "The identity provider's response is invalid.", {
    cause,
  });
}
