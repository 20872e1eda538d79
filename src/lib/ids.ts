import { getRandomValues } from "node:crypto";

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const POOL_BYTES = 4096;
const pool = new Uint8Array(POOL_BYTES);
let used = POOL_BYTES;

/** 26 characters that sort by time: 48 bits of milliseconds, then 80 random bits. */
export function ulid(nowMs: number): string {
  const bytes = randomBytes(16);
  let random = "";
  for (let i = 0; i < 16; i++) random += CROCKFORD[(bytes[i] ?? 0) & 31];
  return timeOf(nowMs) + random;
}

let lastMs = -1;
let lastTime = "";

/** Cached, because many ids are created within one millisecond. */
function timeOf(nowMs: number): string {
  if (nowMs === lastMs) return lastTime;
  let time = "";
  for (let rest = Math.floor(nowMs), i = 0; i < 10; i++) {
    time = CROCKFORD.charAt(rest % 32) + time;
    rest = Math.floor(rest / 32);
  }
  lastMs = nowMs;
  lastTime = time;
  return time;
}

/** Random bytes from a pool, since a system call for each id would dominate its cost. */
export function randomBytes(count: number): Uint8Array {
  if (used + count > POOL_BYTES) {
    getRandomValues(pool);
    used = 0;
  }
  const bytes = pool.slice(used, used + count);
  // Erased, so that the same bytes cannot be read again.
  pool.fill(0, used, used + count);
  used += count;
  return bytes;
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
