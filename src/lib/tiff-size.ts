/**
 * Width and height of a TIFF file's first image; undefined if it is not TIFF or
 * is cut off too early.
 */
export function readTiffSize(
  bytes: Uint8Array,
): { readonly width: number; readonly height: number } | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.byteLength < HEADER_BYTES) return undefined;
  const isLittle = view.getUint16(0) === LITTLE;
  if (!isLittle && view.getUint16(0) !== BIG) return undefined;
  if (view.getUint16(2, isLittle) !== MAGIC) return undefined;

  const directory = view.getUint32(4, isLittle);
  if (directory + 2 > view.byteLength) return undefined;
  const entries = directory + 2;
  const end = entries + view.getUint16(directory, isLittle) * ENTRY_BYTES;
  let width = 0;
  let height = 0;
  for (let at = entries; at < end && at + ENTRY_BYTES <= view.byteLength; at += ENTRY_BYTES) {
    const tag = view.getUint16(at, isLittle);
    const isShort = view.getUint16(at + 2, isLittle) === SHORT;
    const value = isShort ? view.getUint16(at + 8, isLittle) : view.getUint32(at + 8, isLittle);
    if (tag === WIDTH) width = value;
    if (tag === HEIGHT) height = value;
  }
  return width > 0 && height > 0 ? { width, height } : undefined;
}

/** "II" and "MM": the byte order of numbers. */
const LITTLE = 0x4949;
const BIG = 0x4d4d;
const MAGIC = 42;
const HEADER_BYTES = 8;
const ENTRY_BYTES = 12;
const SHORT = 3;
const WIDTH = 256;
const HEIGHT = 257;
