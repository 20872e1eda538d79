import { getRandomValues } from "node:crypto";

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const POOL_BYTES = 4096;
const pool = new Uint8Array(POOL_BYTES);
let used = POOL_BYTES;

const TIME_CHARS = 10;
const RANDOM_CHARS = 16;
/** The characters of the next id; those of the time stay within a millisecond. */
const id = Buffer.alloc(TIME_CHARS + RANDOM_CHARS);
let lastMs = -1;

/** 26 characters that sort by time: 48 bits of milliseconds, then 80 random bits. */
export function ulid(nowMs: number): string {
  if (nowMs !== lastMs) writeTime(nowMs);
  const from = takeRandom(RANDOM_CHARS);
  for (let i = 0; i < RANDOM_CHARS; i++) {
    id[TIME_CHARS + i] = CROCKFORD.charCodeAt((pool[from + i] ?? 0) & 31);
  }
  // Erased, so that the same bytes cannot be read again.
  pool.fill(0, from, used);
  return id.toString("latin1");
}

function writeTime(nowMs: number): void {
  for (let rest = Math.floor(nowMs), i = TIME_CHARS - 1; i >= 0; i--) {
    id[i] = CROCKFORD.charCodeAt(rest % 32);
    rest = Math.floor(rest / 32);
  }
  lastMs = nowMs;
}

/** Random bytes from a pool, since a system call for each id would dominate its cost. */
export function randomBytes(count: number): Uint8Array {
  const from = takeRandom(count);
  const bytes = pool.slice(from, used);
  pool.fill(0, from, used);
  return bytes;
}

/** The position of unused random bytes in the pool. */
function takeRandom(count: number): number {
  if (used + count > POOL_BYTES) {
    getRandomValues(pool);
    used = 0;
  }
  const from = used;
  used += count;
  return from;
}

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Uniform base62 characters: bytes of 248 and above would bias the result, so they are skipped. */
export function randomBase62(length: number): string {
  let out = "";
  while (out.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && out.length < length) out += BASE62.charAt(byte % 62);
    }
  }
  return out;
}

export function toBase62(value: number, length: number): string {
  let out = "";
  for (let rest = value; out.length < length; rest = Math.floor(rest / 62)) {
    out = BASE62.charAt(rest % 62) + out;
  }
  return out;
}
