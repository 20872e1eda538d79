import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SEED } from "#test/seed.ts";
import { readPictureHead } from "./picture.ts";
import { readTiffSize } from "./tiff-size.ts";

const SHORT = 3;
const LONG = 4;
type Entry = readonly [tag: number, type: number, value: number];

/** A TIFF file of nothing but a directory, with `before` bytes in front of it. */
function tiff(isLittle: boolean, entries: readonly Entry[], before = 0): Uint8Array {
  const view = new DataView(new ArrayBuffer(8 + before + 2 + entries.length * 12));
  view.setUint16(0, isLittle ? 0x4949 : 0x4d4d);
  view.setUint16(2, 42, isLittle);
  view.setUint32(4, 8 + before, isLittle);
  view.setUint16(8 + before, entries.length, isLittle);
  for (const [index, [tag, type, value]] of entries.entries()) {
    const at = 8 + before + 2 + index * 12;
    view.setUint16(at, tag, isLittle);
    view.setUint16(at + 2, type, isLittle);
    view.setUint32(at + 4, 1, isLittle);
    if (type === SHORT) view.setUint16(at + 8, value, isLittle);
    else view.setUint32(at + 8, value, isLittle);
  }
  return new Uint8Array(view.buffer);
}

const SIZE: readonly Entry[] = [
  [254, LONG, 0],
  [256, SHORT, 640],
  [257, LONG, 480],
  [262, SHORT, 1],
];

describe("a TIFF file", () => {
  test.each([true, false])("has its size in either byte order (%p)", async (isLittle) => {
    const bytes = tiff(isLittle, SIZE, 100);

    expect(readTiffSize(bytes)).toEqual({ width: 640, height: 480 });
    expect(await readPictureHead(bytes)).toEqual({
      mediaType: "image/tiff",
      width: 640,
      height: 480,
    });
  });

  test("that is truncated, or has no size, gives undefined", () => {
    const bytes = tiff(true, SIZE, 100);

    for (let end = 0; end < 8 + 100 + 2 + 3 * 12; end++) {
      expect(readTiffSize(bytes.subarray(0, end))).toBeUndefined();
    }
    expect(readTiffSize(tiff(true, [[256, SHORT, 640]]))).toBeUndefined();
  });

  test("is the only kind of file with a result", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        const head = Uint8Array.of(0x49, 0x49, 42, 0, ...bytes);
        const found = readTiffSize(head);
        expect(found === undefined || found.width * found.height > 0).toBe(true);
        expect(readTiffSize(Uint8Array.of(1, ...bytes))).toBeUndefined();
      }),
      { seed: SEED },
    );
  });
});
