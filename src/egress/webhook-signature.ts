import type { Channel } from "#core/channel.ts";
import { isSignedWith, type SignedMessage } from "#lib/standard-webhooks.ts";

interface WebhookSignature {
  readonly message: SignedMessage;
  /** Separated by spaces; empty if there are none. */
  readonly signatures: string;
}

/**
 * True if a webhook comes from the channel's vendor. Undefined if the channel
 * has no shared secret, so that it cannot be verified.
 */
export function isSignatureValid(
  { credentials }: Channel,
  secretIn: (credential: string) => string | undefined,
  { message, signatures }: WebhookSignature,
  nowSeconds: number,
): boolean | undefined {
  const secrets = credentials.flatMap((each) => secretIn(each.open()) ?? []);
  if (secrets.length === 0) return undefined;
  return secrets.some((secret) => isSignedWith(secret, message, signatures, nowSeconds));
}
