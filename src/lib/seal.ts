import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** Keeps short texts so that only this process, and others with the same secret, can read them. */
export interface Seal {
  /** Can be opened with the same context only. */
  close(bytes: Uint8Array, context: string): string;
  /** Undefined for what was not closed so. */
  open(sealed: string, context: string): Uint8Array | undefined;
}

const ALGORITHM = "aes-256-gcm";
const VERSION = "v1.";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM, with a key of its own for each label. */
export function openSeal(secret: Uint8Array, label: string): Seal {
  const key = new Uint8Array(hkdfSync("sha256", secret, "", label, 32));

  return {
    close(bytes, context) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(context));
      const sealed = Buffer.concat([iv, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
      return VERSION + sealed.toString("base64url");
    },

    open(sealed, context) {
      const all = Buffer.from(sealed.slice(VERSION.length), "base64url");
      if (!sealed.startsWith(VERSION) || all.length < IV_BYTES + TAG_BYTES) return undefined;
      const decipher = createDecipheriv(ALGORITHM, key, all.subarray(0, IV_BYTES))
        .setAAD(Buffer.from(context))
        .setAuthTag(all.subarray(-TAG_BYTES));
      try {
        const opened = decipher.update(all.subarray(IV_BYTES, -TAG_BYTES));
        return Buffer.concat([opened, decipher.final()]);
      } catch {
        return undefined;
      }
    },
  };
}
