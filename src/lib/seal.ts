import { decrypt, encrypt } from "./aead.ts";
import { deriveKey } from "./derive-key.ts";

/** Encrypts short texts for this process and others with the same secret. */
export interface Seal {
  /** Decryption needs the same context. */
  close(bytes: Uint8Array, context: string): string;
  /** Undefined if the text was not encrypted with this key and context. */
  open(sealed: string, context: string): Uint8Array | undefined;
}

const VERSION = "v1.";

/** Each label has its own key. */
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
