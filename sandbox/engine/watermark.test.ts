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

test("a mark changes the lower right corner, in light and dark, and nothing else", () => {
  const [plain, marked] = [rowsOf(FOX), rowsOf({ ...FOX, isMarked: true })];
  const rowBytes = marked.length / FOX.height;
  const changed = [...marked.keys()].filter((at) => marked[at] !== plain[at]);
  const rows = changed.map((at) => Math.floor(at / rowBytes));
  const columns = changed.map((at) => ((at % rowBytes) - 1) / ((rowBytes - 1) / FOX.width));

  expect(marked.length).toBe(plain.length);
  expect(changed.length).toBeGreaterThan(300);
  expect(Math.min(...rows)).toBeGreaterThan(FOX.height * 0.9);
  expect(Math.min(...columns)).toBeGreaterThan(FOX.width * 0.8);
  expect(new Set(changed.map((at) => marked[at])).size).toBe(2);
});

test.each([
  [64, 64],
  [8, 8],
  [2_048, 512],
])("a marked picture of %d by %d can be read by others", async (width, height) => {
  const picture = new Bun.Image(draw({ ...FOX, width, height, isMarked: true }));

  expect(await picture.jpeg().bytes()).not.toBeEmpty();
  expect([picture.width, picture.height]).toEqual([width, height]);
});
