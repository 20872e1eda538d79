import { hkdfSync } from "node:crypto";

export const KEY_BYTES = 32;

/** A separate key for each use of a secret, so that no key reveals another (HKDF, SHA-256). */
export function deriveKey(secret: Uint8Array, use: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, "", use, KEY_BYTES));
}
