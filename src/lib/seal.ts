import { decrypt, encrypt } from "./aead.ts";
import { deriveKey } from "./derive-key.ts";

/** Keeps short texts so that only this process, and others with the same secret, can read them. */
export interface Seal {
  /** Can be opened with the same context only. */
  close(bytes: Uint8Array, context: string): string;
  /** Undefined for what was not closed so. */
  open(sealed: string, context: string): Uint8Array | undefined;
}

const VERSION = "v1.";

/** With a key of its own for each label. */
export function openSeal(secret: Uint8Array, label: string): Seal {
  const key = deriveKey(secret, label);
  return {
    close: (bytes, context) =>
      VERSION + encrypt(bytes, key, Buffer.from(context)).toString("base64url"),
    open(sealed, context) {
      if (!sealed.startsWith(VERSION)) return undefined;
      const bytes = Buffer.from(sealed.slice(VERSION.length), "base64url");
      return decrypt(bytes, key, Buffer.from(context));
    },
  };
}
