/** Bits in the order and the codes of H.264's syntax tables (ITU-T H.264, clauses 7.2 and 9.1). */
export interface BitWriter {
  bits(value: number, length: number): void;
  /** `ue(v)`: an Exp-Golomb code, short for small numbers. */
  unsigned(value: number): void;
  /** Zeros up to the next whole byte. */
  align(): void;
  /** Whole bytes, where the next bit begins one. */
  bytes(source: Uint8Array): void;
  /** All that was written, with the bit that ends it and made whole. */
  finish(): Uint8Array;
}

export function bitWriter(): BitWriter {
  let buffer = new Uint8Array(1_024);
  let length = 0;
  let pending = 0;
  let pendingBits = 0;

  function room(more: number): void {
    if (length + more <= buffer.length) return;
    const bigger = new Uint8Array(Math.max(buffer.length * 2, length + more));
    bigger.set(buffer);
    buffer = bigger;
  }

  function bits(value: number, count: number): void {
    for (let left = count; left > 0;) {
      const taken = Math.min(left, 8 - pendingBits);
      pending = (pending << taken) | ((value >>> (left - taken)) & ((1 << taken) - 1));
      pendingBits += taken;
      left -= taken;
      if (pendingBits < 8) continue;
      room(1);
      buffer[length++] = pending;
      pending = 0;
      pendingBits = 0;
    }
  }

  function align(): void {
    if (pendingBits > 0) bits(0, 8 - pendingBits);
  }

  return {
    bits,
    unsigned(value) {
      const size = 32 - Math.clz32(value + 1);
      bits(0, size - 1);
      bits(value + 1, size);
    },
    align,
    bytes(source) {
      room(source.length);
      buffer.set(source, length);
      length += source.length;
    },
    finish() {
      bits(1, 1);
      align();
      return buffer.slice(0, length);
    },
  };
}
