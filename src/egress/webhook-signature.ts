import type { Channel } from "#core/channel.ts";
import { isSignedWith, type SignedMessage } from "#lib/standard-webhooks.ts";

interface NoticeProof {
  readonly message: SignedMessage;
  /** With spaces between them; empty where there is none. */
  readonly signatures: string;
}

/**
 * Whether a notice comes from the vendor of a channel: undefined where no
 * secret was agreed on with it, so that nobody can tell.
 */
export function isProven(
  { credentials }: Channel,
  secretIn: (credential: string) => string | undefined,
  { message, signatures }: NoticeProof,
  nowSeconds: number,
): boolean | undefined {
  const secrets = credentials.flatMap((each) => secretIn(each.open()) ?? []);
  if (secrets.length === 0) return undefined;
  return secrets.some((secret) => isSignedWith(secret, message, signatures, nowSeconds));
}
