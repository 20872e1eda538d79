import { expect, test } from "bun:test";
import { toJpeg } from "./jpeg.ts";
import { paint } from "./picture.ts";
import { readPng } from "./png-rows.ts";

/** Red, green and blue of all pixels. */
function coloursOf(png: Uint8Array): readonly number[] {
  const { width, height, sampleCount, palette, rows } = readPng(png);
  return Array.from({ length: width * height }, (_, at) => {
    const start = at * sampleCount + Math.floor(at / width) + 1;
    const from = (rows[start] ?? 0) * 3;
    const [red = 0, green = 0, blue = 0] =
      palette.length === 0 ? rows.subarray(start) : palette.subarray(from);
    return [red, green, blue];
  }).flat();
}

test.each([
  [64, 64],
  [100, 50],
  [9, 17],
  [1, 1],
])("an image of %d by %d is nearly the same in another decoder", async (width, height) => {
  const png = paint(width, height, "A fox");
  const decoded = await new Bun.Image(toJpeg(png)).png().bytes();

  const [before, after] = [coloursOf(png), coloursOf(decoded)];
  const errors = before.map((value, at) => Math.abs(value - (after[at] ?? Infinity)));
  expect(after).toHaveLength(before.length);
  expect(errors.reduce((sum, error) => sum + error) / errors.length).toBeLessThan(12);
});
