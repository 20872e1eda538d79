import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

/** Closes what a caller carries about but may neither read nor change. */
export interface Seal {
  close(text: string, owner: string): string;
  /** `undefined` for what was changed, or was closed for another owner or by somebody else. */
  open(sealed: string, owner: string): string | undefined;
}

/** The key lives as long as the sandbox, so that content of another one is foreign. */
export function newSeal(): Seal {
  const key = randomBytes(32);

  function close(text: string, owner: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(owner));
    const secret = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return PREFIX + Buffer.concat([nonce, cipher.getAuthTag(), secret]).toString("base64url");
  }

  function open(sealed: string, owner: string): string | undefined {
    if (!sealed.startsWith(PREFIX)) return undefined;
    const bytes = Buffer.from(sealed.slice(PREFIX.length), "base64url");
    // Letters that the alphabet lacks would be skipped, and a changed text pass for the old one.
    const isAsWritten = PREFIX + bytes.toString("base64url") === sealed;
    if (!isAsWritten || bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES))
      .setAAD(Buffer.from(owner))
      .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    try {
      const secret = bytes.subarray(NONCE_BYTES + TAG_BYTES);
      return Buffer.concat([decipher.update(secret), decipher.final()]).toString("utf8");
    } catch {
      return undefined;
    }
  }

  return { close, open };
}

const PREFIX = "gAAAAA";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
