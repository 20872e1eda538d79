import { hkdfSync } from "node:crypto";

export const KEY_BYTES = 32;

/** A key of its own for each use of a secret, so that none says anything about another (HKDF, SHA-256). */
export function deriveKey(secret: Uint8Array, use: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, "", use, KEY_BYTES));
}
