import { expect, test } from "bun:test";
import { inflateSync } from "node:zlib";
import { draw, type Drawing } from "./drawing.ts";

const FOX: Drawing = { width: 512, height: 256, prompt: "A fox", given: 0, isMarked: false };

/** The rows of a picture, as bytes. */
function rowsOf(drawing: Drawing): Buffer {
  const file = Buffer.from(draw(drawing));
  const parts: Buffer[] = [];
  for (let at = 8; at < file.length; at += 12 + file.readUInt32BE(at)) {
    const name = file.toString("latin1", at + 4, at + 8);
    if (name === "IDAT") parts.push(file.subarray(at + 8, at + 8 + file.readUInt32BE(at)));
  }
  return inflateSync(Buffer.concat(parts));
}

/** Where two pictures differ, in rows and columns, and with what. */
function changes(plain: Drawing, other: Drawing) {
  const [before, after] = [rowsOf(plain), rowsOf(other)];
  expect(after.length).toBe(before.length);
  const rowBytes = after.length / plain.height;
  const changed = [...after.keys()].filter((at) => after[at] !== before[at]);
  const rows = changed.map((at) => Math.floor(at / rowBytes));
  const columns = changed.map((at) => ((at % rowBytes) - 1) / ((rowBytes - 1) / plain.width));
  return { rows, columns, values: new Set(changed.map((at) => after[at])) };
}

test("a watermark changes only the lower right corner, with light and dark pixels", () => {
  const { rows, columns, values } = changes(FOX, { ...FOX, isMarked: true });

  expect(rows.length).toBeGreaterThan(300);
  expect(Math.min(...rows)).toBeGreaterThan(FOX.height * 0.9);
  expect(Math.min(...columns)).toBeGreaterThan(FOX.width * 0.8);
  expect(values.size).toBe(2);
});

test("the upper left corner shows the number of input images", () => {
  const { rows, columns } = changes(FOX, { ...FOX, given: 1 });
  const other = changes({ ...FOX, given: 2 }, { ...FOX, given: 3 });

  expect(Math.max(...rows)).toBeLessThan(FOX.height * 0.1);
  expect(Math.max(...columns)).toBeLessThan(FOX.width * 0.2);
  expect(other.rows.length).toBeGreaterThan(0);
  expect(Math.max(...other.columns) - Math.min(...other.columns)).toBeLessThan(5);
});

test.each([
  [64, 64],
  [8, 8],
  [2_048, 512],
])(
  "an image with a watermark of %d by %d is readable by another decoder",
  async (width, height) => {
    const picture = new Bun.Image(draw({ ...FOX, width, height, given: 14, isMarked: true }));

    expect(await picture.jpeg().bytes()).not.toBeEmpty();
    expect([picture.width, picture.height]).toEqual([width, height]);
  },
);
