import { timingSafeEqual } from "node:crypto";

const NONCE_BYTES = 24;
const TAG_BYTES = 16;
const BLOCK_BYTES = 64;
const POLY_KEY_BYTES = 32;
const ROUNDS = 20;
/** "expand 32-byte k" */
const SIGMA = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574] as const;

/**
 * Opens a box of NaCl (`crypto_secretbox`: XSalsa20 and Poly1305) with its nonce in front, as
 * libsodium and PyNaCl write it. Undefined if the key is another one or the box was changed. It is
 * for reading small texts that other programs stored.
 */
export function openSecretbox(box: Uint8Array, key: Uint8Array): Uint8Array | undefined {
  if (box.length < NONCE_BYTES + TAG_BYTES || key.length !== 32) return undefined;
  const nonce = box.subarray(0, NONCE_BYTES);
  const tag = box.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const sealed = box.subarray(NONCE_BYTES + TAG_BYTES);
  const stream = keyStream(key, nonce, POLY_KEY_BYTES + sealed.length);
  const expected = poly1305(sealed, stream.subarray(0, POLY_KEY_BYTES));
  if (!timingSafeEqual(expected, tag)) return undefined;
  return sealed.map((byte, index) => byte ^ (stream[POLY_KEY_BYTES + index] ?? 0));
}

function keyStream(key: Uint8Array, nonce: Uint8Array, length: number): Uint8Array {
  const [n0 = 0, n1 = 0, n2 = 0, n3 = 0, n4 = 0, n5 = 0] = wordsOf(nonce);
  const mixed = doubleRounds(stateOf(wordsOf(key), [n0, n1, n2, n3]));
  const subkey = [0, 5, 10, 15, 6, 7, 8, 9].map((index) => mixed[index] ?? 0);
  const stream = new Uint8Array(Math.ceil(length / BLOCK_BYTES) * BLOCK_BYTES);
  const view = new DataView(stream.buffer);
  for (let block = 0; block * BLOCK_BYTES < length; block++) {
    const input = stateOf(subkey, [n4, n5, block, 0]);
    const output = doubleRounds(input);
    for (const [index, word] of output.entries()) {
      view.setUint32(block * BLOCK_BYTES + index * 4, (word + (input[index] ?? 0)) >>> 0, true);
    }
  }
  return stream;
}

/** The key in two halves around four words. */
function stateOf(key: readonly number[], middle: readonly number[]): Uint32Array {
  const [s0, s1, s2, s3] = SIGMA;
  return Uint32Array.from([s0, ...key.slice(0, 4), s1, ...middle, s2, ...key.slice(4, 8), s3]);
}

/** Indices of the quarter rounds, first of the columns, then of the rows. */
const QUARTERS: readonly (readonly [number, number, number, number])[] = [
  [0, 4, 8, 12],
  [5, 9, 13, 1],
  [10, 14, 2, 6],
  [15, 3, 7, 11],
  [0, 1, 2, 3],
  [5, 6, 7, 4],
  [10, 11, 8, 9],
  [15, 12, 13, 14],
];

function doubleRounds(input: Uint32Array): Uint32Array {
  const x = Uint32Array.from(input);
  const at = (index: number): number => x[index] ?? 0;
  for (let round = 0; round < ROUNDS; round += 2) {
    for (const [a, b, c, d] of QUARTERS) {
      x[b] = at(b) ^ rotated(at(a) + at(d), 7);
      x[c] = at(c) ^ rotated(at(b) + at(a), 9);
      x[d] = at(d) ^ rotated(at(c) + at(b), 13);
      x[a] = at(a) ^ rotated(at(d) + at(c), 18);
    }
  }
  return x;
}

function rotated(sum: number, bits: number): number {
  const word = sum >>> 0;
  return ((word << bits) | (word >>> (32 - bits))) >>> 0;
}

const PRIME = (1n << 130n) - 5n;
const CLAMP = 0x0ffffffc0ffffffc0ffffffc0fffffffn;

function poly1305(message: Uint8Array, key: Uint8Array): Uint8Array {
  const r = numberOf(key.subarray(0, 16)) & CLAMP;
  let sum = 0n;
  for (let i = 0; i < message.length; i += 16) {
    const block = message.subarray(i, i + 16);
    sum = ((sum + numberOf(block) + (1n << BigInt(8 * block.length))) * r) % PRIME;
  }
  let tag = (sum + numberOf(key.subarray(16, 32))) % (1n << 128n);
  return Uint8Array.from({ length: TAG_BYTES }, () => {
    const byte = Number(tag & 0xffn);
    tag >>= 8n;
    return byte;
  });
}

/** Little-endian. */
function numberOf(bytes: Uint8Array): bigint {
  return bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}

function wordsOf(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.length / 4 }, (_, index) => view.getUint32(index * 4, true));
}
