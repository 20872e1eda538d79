import { describe, expect, test } from "bun:test";
import { encodePicture } from "./encode-picture.ts";
import { paint } from "./picture.ts";
import { readPng } from "./png-rows.ts";

const PAPER = 16;
const INK = 17;

/** Where the letters are, as "column,row" of dots the size of the picture's letters. */
function ink(png: Uint8Array): readonly string[] {
  const { width, rows } = readPng(png);
  return [...rows.keys()]
    .filter((at) => rows[at] === INK)
    .map((at) => `${(at % (width + 1)) - 1},${Math.floor(at / (width + 1))}`);
}

const has = (png: Uint8Array, value: number) => readPng(png).rows.includes(value);

describe("an image", () => {
  test("is the same for the same prompt, and another for others", () => {
    expect(paint(64, 64, "a fox")).toEqual(paint(64, 64, "a fox"));
    expect(paint(64, 64, "a fox")).not.toEqual(paint(64, 64, "a dog"));
  });

  test("shows the prompt and its size, as large as they fit", () => {
    const shown = (prompt: string) => ink(paint(512, 512, prompt)).length;

    expect(has(paint(512, 512, "a fox"), PAPER)).toBe(true);
    expect(ink(paint(512, 512, "o"))).not.toEqual(ink(paint(512, 512, "x")));
    // The measures alone are written, too.
    expect(shown("")).toBeGreaterThan(100);
    expect(shown("two words")).toBeGreaterThan(shown("two"));
    // A text so long that its letters are small covers less than a short one's large letters would.
    expect(shown("word ".repeat(300))).toBeLessThan(shown("word ".repeat(8)) * 8);
  });

  test("breaks lines as in its text, and splits words that are too long", () => {
    const rows = (prompt: string) =>
      new Set(ink(paint(256, 256, prompt)).map((dot) => dot.split(",")[1])).size;

    expect(rows("one\ntwo")).toBeGreaterThan(rows("one two"));
    expect(rows("x".repeat(60))).toBeGreaterThan(rows("x"));
  });

  test.each([
    [1, 1],
    [8, 8],
    [40, 9],
    [64, 3_000],
    [3_000, 64],
  ])("of %d by %d is valid with any content", async (width, height) => {
    const picture = new Bun.Image(paint(width, height, "漢字 ".repeat(2_000) + "y".repeat(99)));

    await picture.jpeg().bytes();
    expect([picture.width, picture.height]).toEqual([width, height]);
  });

  test("keeps its text and loses its bands if the background is transparent", async () => {
    const pixels = async (png: Uint8Array) => (await new Bun.Image(png).metadata()).format;
    const plain = Buffer.from(paint(64, 64, "a fox"));
    const clear = Buffer.from(paint(64, 64, "a fox", "transparent"));

    expect([plain.includes("tRNS"), clear.includes("tRNS")]).toEqual([false, true]);
    expect(readPng(clear).rows).toEqual(readPng(plain).rows);
    expect(await pixels(clear)).toBe("png");
  });

  test.each(["png", "jpeg", "webp"] as const)("can be a %s file", async (format) => {
    const file = await encodePicture(paint(96, 64, "a fox"), format, 0);

    expect(await new Bun.Image(file).metadata()).toEqual({ width: 96, height: 64, format });
  });
});
