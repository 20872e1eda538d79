import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

const VERSION = "v1";
const CIPHER = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/**
 * Text under a key of its own, which in turn is under `key` (32 bytes):
 * `v1.<key's id>.<wrapped key>.<iv>.<text>.<tag>` in base64url. It opens only
 * with the same `context`, which says where it belongs and is not kept in it.
 */
export function seal(text: string, key: Uint8Array, context: string): string {
  const own = randomBytes(KEY_BYTES);
  const around = [VERSION, idOf(key)];
  const wrapped = encrypt(own, key, bound(around, context));
  const { iv, body, tag } = encrypt(Buffer.from(text), own, bound(around, context));
  const wrappedKey = Buffer.concat([wrapped.iv, wrapped.body, wrapped.tag]);
  return [...around, ...[wrappedKey, iv, body, tag].map(write)].join(".");
}

/** Throws where a byte of it, the key or the context is another. */
export function unseal(sealed: string, key: Uint8Array, context: string): string {
  const [version = "", keyId = "", ...parts] = sealed.split(".");
  if (version !== VERSION || parts.length !== 4) throw new Error("This was not sealed here.");
  if (keyId !== idOf(key)) throw new Error("This was sealed under another key.");

  const [wrapped, iv, body, tag] = parts.map(read);
  if (wrapped === undefined || iv === undefined || body === undefined || tag === undefined)
    throw new Error("This was not sealed here.");
  const associated = bound([version, keyId], context);
  const own = decrypt(
    {
      iv: wrapped.subarray(0, IV_BYTES),
      body: wrapped.subarray(IV_BYTES, -TAG_BYTES),
      tag: wrapped.subarray(-TAG_BYTES),
    },
    key,
    associated,
  );
  return decrypt({ iv, body, tag }, own, associated).toString();
}

interface Encrypted {
  readonly iv: Buffer;
  readonly body: Buffer;
  readonly tag: Buffer;
}

function encrypt(text: Uint8Array, key: Uint8Array, associated: Buffer): Encrypted {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(associated);
  const body = Buffer.concat([cipher.update(text), cipher.final()]);
  return { iv, body, tag: cipher.getAuthTag() };
}

function decrypt({ iv, body, tag }: Encrypted, key: Uint8Array, associated: Buffer): Buffer {
  // A shorter tag would be easier to guess.
  const options = { authTagLength: TAG_BYTES };
  const decipher = createDecipheriv(CIPHER, key, iv, options).setAAD(associated).setAuthTag(tag);
  return Buffer.concat([decipher.update(body), decipher.final()]);
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
