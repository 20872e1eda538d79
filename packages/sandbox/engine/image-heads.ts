/** Width and height in pixels. */
export type Sides = readonly [width: number, height: number];

/** Of a WebP file: lossy, lossless, or with an extended head. */
export function webpSides(view: DataView): Sides | undefined {
  if (view.byteLength < 30) return undefined;
  const kind = String.fromCharCode(...[12, 13, 14, 15].map((at) => view.getUint8(at)));
  if (kind === "VP8 ")
    return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff];
  if (kind === "VP8L") {
    const bits = view.getUint32(21, true);
    return [(bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1];
  }
  const threeBytes = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 65_536;
  return kind === "VP8X" ? [threeBytes(24) + 1, threeBytes(27) + 1] : undefined;
}

/** Of a BMP file, whose rows may lie upside down. */
export function bmpSides(view: DataView): Sides | undefined {
  if (view.byteLength < 26) return undefined;
  const isOld = view.getUint32(14, true) === 12;
  return isOld
    ? [view.getUint16(18, true), view.getUint16(20, true)]
    : [view.getInt32(18, true), Math.abs(view.getInt32(22, true))];
}

/** Of the first picture in a TIFF file, in either order of bytes. */
export function tiffSides(view: DataView): Sides | undefined {
  const isLittle = view.getUint8(0) === 0x49;
  const table = view.byteLength < 8 ? Infinity : view.getUint32(4, isLittle);
  if (table + 2 > view.byteLength) return undefined;
  const end = Math.min(view.byteLength, table + 2 + view.getUint16(table, isLittle) * 12);
  const sides = [WIDTH_TAG, HEIGHT_TAG].map((tag) => {
    for (let at = table + 2; at + 12 <= end; at += 12) {
      if (view.getUint16(at, isLittle) !== tag) continue;
      const isShort = view.getUint16(at + 2, isLittle) === 3;
      return isShort ? view.getUint16(at + 8, isLittle) : view.getUint32(at + 8, isLittle);
    }
    return undefined;
  });
  const [width, height] = sides;
  return width === undefined || height === undefined ? undefined : [width, height];
}

const WIDTH_TAG = 256;
const HEIGHT_TAG = 257;
