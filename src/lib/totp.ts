import { createHmac, timingSafeEqual } from "node:crypto";

const STEP_MS = 30_000;
const DIGITS = 6;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** A one-time password from a counter. [RFC 4226] */
export function hotp(secret: Uint8Array, counter: number, digits = DIGITS): string {
  const moving = Buffer.alloc(8);
  moving.writeBigUInt64BE(BigInt(counter));
  const digest = createHmac("sha1", secret).update(moving).digest();
  const offset = (digest.at(-1) ?? 0) & 0xf;
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

/** The counter at a moment, Unix ms. [RFC 6238] */
export function stepAt(nowMs: number): number {
  return Math.floor(nowMs / STEP_MS);
}

/**
 * The time step of a code: the current one or a neighbour, because clocks
 * differ and typing takes time. The caller must store the accepted step and
 * refuse it and earlier ones later.
 */
export function findStep(secret: Uint8Array, code: string, nowMs: number): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const now = stepAt(nowMs);
  return [now, now - 1, now + 1].find((step) => isSame(hotp(secret, step), code));
}

/** The URI in an authenticator's QR code. */
export function otpauthUri(secret: Uint8Array, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  const parameters = `secret=${toBase32(secret)}&issuer=${encodeURIComponent(issuer)}`;
  return `otpauth://totp/${label}?${parameters}&algorithm=SHA1&digits=${DIGITS}&period=${STEP_MS / 1_000}`;
}

/** Without padding, as authenticators expect it. [RFC 4648] */
export function toBase32(bytes: Uint8Array): string {
  let out = "";
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff;
    bits += 8;
    for (; bits >= 5; bits -= 5) out += ALPHABET[(held >> (bits - 5)) & 31];
  }
  return bits === 0 ? out : out + (ALPHABET[(held << (5 - bits)) & 31] ?? "");
}

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
