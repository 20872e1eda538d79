import { createHash, createHmac } from "node:crypto";

/**
 * What the vendor signs or encrypts and wants back unchanged: the signature of
 * a thought, a redacted thought, the content of a search result. Bound to what
 * was shown with it, so that any change shows.
 */
export function seal({ kind, owner, shown, hidden }: Sealed): string {
  const digest = createHash("sha256").update(hidden).digest();
  return Buffer.concat([HEAD, digest, mac({ kind, owner, shown }, digest)]).toString("base64");
}

/** False for a seal that was changed, or was made for something else, or elsewhere. */
export function isSeal(token: string, sealed: Omit<Sealed, "hidden">): boolean {
  const bytes = Buffer.from(token, "base64");
  if (bytes.length !== HEAD.length + 64 || bytes.toString("base64") !== token) return false;
  const digest = bytes.subarray(HEAD.length, HEAD.length + 32);
  return mac(sealed, digest).equals(bytes.subarray(HEAD.length + 32));
}

export interface Sealed {
  readonly kind: "thinking" | "redacted_thinking" | "search_result" | "citation";
  /** The model whose thought it is. */
  readonly owner: string;
  readonly shown: string;
  /** What only the vendor could read out of it. */
  readonly hidden: string;
}

/** Such tokens of the vendor begin with "E". */
const HEAD = Buffer.from([0x12, 0x40, 0x0a]);

/** A sandbox has no secrets; another process of it must accept what this one made. */
const KEY = "sandbox";

function mac({ kind, owner, shown }: Omit<Sealed, "hidden">, digest: Uint8Array): Buffer {
  const text = JSON.stringify([kind, owner, shown]);
  return createHmac("sha256", KEY).update(text).update(digest).digest();
}
