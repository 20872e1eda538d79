/** A cyclic redundancy check, the highest bit first, that begins with zero. */
export function checksum(bytes: Uint8Array, bits: 8 | 16 | 32, polynomial: number): number {
  const table = tableFor(bits, polynomial);
  const mask = 2 ** bits - 1;
  let value = 0;
  for (const byte of bytes) {
    const top = (value >>> (bits - 8)) & 0xff;
    value = (((bits === 8 ? 0 : value << 8) ^ (table[top ^ byte] ?? 0)) & mask) >>> 0;
  }
  return value;
}

const TABLES = new Map<string, readonly number[]>();

function tableFor(bits: number, polynomial: number): readonly number[] {
  const key = `${bits} ${polynomial}`;
  const known =
    TABLES.get(key) ?? Array.from({ length: 256 }, (_, byte) => entry(byte, bits, polynomial));
  TABLES.set(key, known);
  return known;
}

function entry(byte: number, bits: number, polynomial: number): number {
  let value = byte * 2 ** (bits - 8);
  for (let step = 0; step < 8; step++) {
    const isSet = value >= 2 ** (bits - 1);
    value = (value * 2) % 2 ** bits;
    if (isSet) value = (value ^ polynomial) >>> 0;
  }
  return value;
}
