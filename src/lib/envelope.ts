import { createHash, randomBytes } from "node:crypto";
import { decrypt, encrypt } from "./aead.ts";
import { KEY_BYTES } from "./derive-key.ts";

const VERSION = "v1";

/**
 * Encrypts text with its own key, which is encrypted with `key` (32 bytes):
 * `v1.<key's id>.<wrapped key>.<text>`, the last two in base64url. Decryption
 * needs the same `context`, which is bound to the result but not stored in it.
 */
export function seal(text: string, key: Uint8Array, context: string): string {
  const own = randomBytes(KEY_BYTES);
  const around = [VERSION, idOf(key)];
  const associated = bound(around, context);
  const parts = [encrypt(own, key, associated), encrypt(Buffer.from(text), own, associated)];
  return [...around, ...parts.map(write)].join(".");
}

/** Throws if any byte of the text, the key or the context differs. */
export function unseal(sealed: string, key: Uint8Array, context: string): string {
  const [version = "", keyId = "", ...parts] = sealed.split(".");
  const [wrapped, text, ...others] = parts.map(read);
  if (version !== VERSION || wrapped === undefined || text === undefined || others.length > 0) {
    throw new Error("The text is not in the format of this gateway.");
  }
  if (keyId !== idOf(key)) throw new Error("The text was encrypted with another key.");

  const associated = bound([version, keyId], context);
  const own = decrypt(wrapped, key, associated);
  const opened = own && decrypt(text, own, associated);
  if (opened === undefined)
    throw new Error("The text was encrypted for another context, or was changed.");
  return opened.toString();
}

/** With lengths, so that the parts are unambiguous. */
function bound(around: readonly string[], context: string): Buffer {
  return Buffer.from([...around, context].map((part) => `${part.length}:${part}`).join(""));
}

/** Identifies a key without revealing it. */
function idOf(key: Uint8Array): string {
  return createHash("sha256").update("key id").update(key).digest("base64url").slice(0, 8);
}

function write(bytes: Buffer): string {
  return bytes.toString("base64url");
}

/**
 * The decoder ignores some bits of the last character, so only the canonical
 * encoding is accepted.
 */
function read(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64url");
  return write(bytes) === text ? bytes : undefined;
}
