import { createHash, randomBytes } from "node:crypto";
import { decrypt, encrypt } from "./aead.ts";
import { KEY_BYTES } from "./derive-key.ts";

const VERSION = "v1";

/**
 * Text under a key of its own, which in turn is under `key` (32 bytes):
 * `v1.<key's id>.<wrapped key>.<text>`, the last two encrypted and in
 * base64url. It opens only with the same `context`, which says where it
 * belongs and is not kept in it.
 */
export function seal(text: string, key: Uint8Array, context: string): string {
  const own = randomBytes(KEY_BYTES);
  const around = [VERSION, idOf(key)];
  const associated = bound(around, context);
  const parts = [encrypt(own, key, associated), encrypt(Buffer.from(text), own, associated)];
  return [...around, ...parts.map(write)].join(".");
}

/** Throws where a byte of it, the key or the context is another. */
export function unseal(sealed: string, key: Uint8Array, context: string): string {
  const [version = "", keyId = "", ...parts] = sealed.split(".");
  const [wrapped, text, ...others] = parts.map(read);
  if (version !== VERSION || wrapped === undefined || text === undefined || others.length > 0) {
    throw new Error("This was not sealed here.");
  }
  if (keyId !== idOf(key)) throw new Error("This was sealed under another key.");

  const associated = bound([version, keyId], context);
  const own = decrypt(wrapped, key, associated);
  const opened = own && decrypt(text, own, associated);
  if (opened === undefined) throw new Error("This was sealed for another place, or was changed.");
  return opened.toString();
}

/** With lengths, so that no part can lend a character to its neighbour. */
function bound(around: readonly string[], context: string): Buffer {
  return Buffer.from([...around, context].map((part) => `${part.length}:${part}`).join(""));
}

/** Tells keys apart, and says nothing about them. */
function idOf(key: Uint8Array): string {
  return createHash("sha256").update("key id").update(key).digest("base64url").slice(0, 8);
}

function write(bytes: Buffer): string {
  return bytes.toString("base64url");
}

/** The last character has bits that the decoder leaves out: only one spelling is taken. */
function read(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64url");
  return write(bytes) === text ? bytes : undefined;
}
