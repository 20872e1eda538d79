import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/**
 * Signatures of https://www.standardwebhooks.com: HMAC-SHA256 over
 * `<id>.<timestamp>.<body>`, in base64 after `v1,`. A secret is `whsec_` and
 * the key in base64.
 */
export interface SignedMessage {
  readonly id: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly body: string | Uint8Array;
}

const PREFIX = "whsec_";
const TOLERANCE_SECONDS = 300;
const MAX_SIGNATURES = 10;

const SECRET_BYTES = 32;

export function createWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

export function signatureOf(secret: string, { id, timestamp, body }: SignedMessage): string {
  const digest = createHmac("sha256", keyOf(secret))
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest("base64");
  return `v1,${digest}`;
}

/** True if one of the space-separated signatures was made with the secret recently. */
export function isSignedWith(
  secret: string,
  message: SignedMessage,
  signatures: string,
  nowSeconds: number,
): boolean {
  const { timestamp } = message;
  if (!Number.isInteger(timestamp) || Math.abs(nowSeconds - timestamp) > TOLERANCE_SECONDS)
    return false;
  const expected = Buffer.from(signatureOf(secret, message));
  return signatures
    .split(" ", MAX_SIGNATURES)
    .map((each) => Buffer.from(each))
    .some((each) => each.length === expected.length && timingSafeEqual(each, expected));
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, "base64");
}
