/** Writes bits, the highest first, as JPEG has them: a byte of ones is followed by one of zeros. */
export interface BitWriter {
  write(value: number, bits: number): void;
  /** All bytes; the last one is filled up with ones. */
  end(): Uint8Array;
}

export function bitWriter(): BitWriter {
  let bytes = new Uint8Array(65_536);
  let length = 0;
  let pending = 0;
  let pendingBits = 0;

  function push(byte: number): void {
    if (length + 2 > bytes.length) {
      const wider = new Uint8Array(bytes.length * 2);
      wider.set(bytes);
      bytes = wider;
    }
    bytes[length++] = byte;
    if (byte === 0xff) bytes[length++] = 0;
  }

  function write(value: number, bits: number): void {
    pending = (pending << bits) | value;
    pendingBits += bits;
    for (; pendingBits >= 8; pendingBits -= 8) push((pending >> (pendingBits - 8)) & 0xff);
    pending &= (1 << pendingBits) - 1;
  }

  return {
    write,
    end() {
      if (pendingBits > 0) write((1 << (8 - pendingBits)) - 1, 8 - pendingBits);
      return bytes.subarray(0, length);
    },
  };
}
