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
 * The secret that digests of API keys are made with, so that a copy of the
 * database alone tells nothing: from the configuration, or else from a file
 * that is made on the first start.
 */
export function loadPepper(dataDir: string, configured?: string): Uint8Array {
  if (configured !== undefined) return pepperOf(configured);

  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, FILE);
  const pepper = readPepper(path) ?? createPepper(path);
  if (pepper.length !== PEPPER_BYTES) {
    throw new Error(
      `${path} is not the secret it was: it has ${pepper.length} bytes instead of ` +
        `${PEPPER_BYTES}. Restore it from a backup; without it no API key can be recognised.`,
    );
  }
  return pepper;
}

/** The file of the secret, if there is one and it is used. */
export function findSecretFile(dataDir: string, configured?: string): string | undefined {
  const path = join(dataDir, FILE);
  return configured === undefined && existsSync(path) ? path : undefined;
}

/** The same for whoever only reads: undefined where there is none yet. */
export function findPepper(dataDir: string, configured?: string): Uint8Array | undefined {
  return configured === undefined ? readPepper(join(dataDir, FILE)) : pepperOf(configured);
}

/** What is kept of a key's secret. */
export function digestOf(secret: string, pepper: Uint8Array): string {
  return digester(pepper)(secret);
}

/** The same for many secrets: the pepper is taken in once. */
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

/** The file appears whole or not at all; of two processes that make it, one wins. */
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

/** A file's name is only safe once its folder is on disk, too. */
function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
