import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";

const FILE = "secret";
const PEPPER_BYTES = 32;

/**
 * The secret key (pepper) of the digests of API keys, so that a copy of the
 * database alone is useless. It comes from the configuration, or from a file
 * that the first start creates.
 */
export function loadPepper(dataDir: string, configured?: string): Uint8Array {
  if (configured !== undefined) return pepperOf(configured);

  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, FILE);
  const pepper = readPepper(path) ?? createPepper(path);
  if (pepper.length !== PEPPER_BYTES) {
    throw new Error(
      `The secret in ${path} is damaged: it has ${pepper.length} bytes instead of ` +
        `${PEPPER_BYTES}. Restore it from a backup; without it no API key can be recognised.`,
    );
  }
  return pepper;
}

/** The file of the secret, if it exists and is used. */
export function findSecretFile(dataDir: string, configured?: string): string | undefined {
  const path = join(dataDir, FILE);
  return configured === undefined && existsSync(path) ? path : undefined;
}

/** The pepper for read-only commands; undefined if none exists yet. */
export function findPepper(dataDir: string, configured?: string): Uint8Array | undefined {
  return configured === undefined ? readPepper(join(dataDir, FILE)) : pepperOf(configured);
}

/** The stored digest of a key's secret. */
export function digestOf(secret: string, pepper: Uint8Array): string {
  return digester(pepper)(secret);
}

/** A digest function for many secrets, with the pepper already applied. */
export function digester(pepper: Uint8Array): (secret: string) => string {
  const hmac = new Bun.CryptoHasher("sha256", pepper);
  return (secret) => hmac.copy().update(secret).digest("base64url");
}

function pepperOf(configured: string): Uint8Array {
  return createHash("sha256").update(configured).digest();
}

function readPepper(path: string): Uint8Array | undefined {
  try {
    return readFileSync(path);
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    throw cause;
  }
}

/** Creates the file atomically; of two processes that create it, one wins. */
function createPepper(path: string): Uint8Array {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  const file = openSync(draft, "wx", 0o600);
  try {
    writeSync(file, randomBytes(PEPPER_BYTES));
    chmodSync(draft, 0o600);
    fsyncSync(file);
    linkSync(draft, path);
  } catch (cause) {
    const isThere = cause instanceof Error && "code" in cause && cause.code === "EEXIST";
    if (!isThere) throw cause;
  } finally {
    closeSync(file);
    rmSync(draft, { force: true });
  }
  syncFolder(join(path, ".."));
  return readFileSync(path);
}

/** A file name is durable only once its folder is synced, too. */
function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
