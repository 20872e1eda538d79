import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SEED } from "#test/seed.ts";
import { LongBase64, writeJson } from "./long-base64.ts";
import { PIECE_BYTES, Pieces } from "./pieces.ts";

const HEAD = "data:image/png;base64,";

const joined = (pieces: Iterable<string | Uint8Array>): Buffer =>
  Buffer.concat(Array.from(pieces, (each) => Buffer.from(each as string)));

async function longOf(base64: string): Promise<LongBase64> {
  const long = await LongBase64.read(Buffer.from(base64));
  if (long === undefined) throw new Error("It is not base64.");
  return long;
}

describe("long base64", () => {
  const sizes = [0, 1, 2, 3, 49_151, 49_152, 393_215, 393_216, 393_217, 2_097_152];
  test.each(sizes)("of %d bytes is decoded to its content, in steps", async (size) => {
    const content = Buffer.alloc(size, "a picture");
    const base64 = content.toString("base64");
    const read = await longOf(base64);
    const written = LongBase64.write(content);

    for (const long of [read, written]) {
      expect(long.sizeBytes).toBe(size);
      expect(long.content.sizeBytes).toBe(size);
      expect(joined(long.content).equals(content)).toBe(true);
      expect(joined(long.behind(HEAD).text).equals(Buffer.from(HEAD + base64))).toBe(true);
      expect(long.behind(HEAD).length).toBe(HEAD.length + base64.length);
      expect(Buffer.from(long.start(100)).equals(content.subarray(0, 100))).toBe(true);
      expect(long.behind(HEAD).toString()).toBe(HEAD + base64);
      expect(Math.max(0, ...Array.from(long.text, (each) => each.length))).toBeLessThanOrEqual(
        PIECE_BYTES,
      );
    }
    expect(Math.max(0, ...Array.from(read.content, (each) => each.length))).toBeLessThan(
      PIECE_BYTES,
    );
  });

  test("is a view of the bytes that contain it", async () => {
    const body = Buffer.from('{"image":"AAAABBBB"}');

    const [piece] = (await LongBase64.read(body.subarray(10, 18)))?.text ?? [];

    expect((piece as Uint8Array).buffer).toBe(body.buffer);
  });

  test("is recognised only if a decoder accepts every character", async () => {
    const property = fc.asyncProperty(
      fc.string({ unit: fc.constantFrom(...'AbY9+/-_= \n\u00e9"'), maxLength: 12 }),
      async (text) => {
        const isBase64 = /^[A-Za-z\d+/_-]*={0,2}$/.test(text);
        const isWhole = text.replace(/={1,2}$/, "").length % 4 !== 1;
        const long = await LongBase64.read(Buffer.from(text));
        expect(long !== undefined).toBe(isBase64 && isWhole);
        expect(long === undefined || joined(long.content).equals(Buffer.from(text, "base64"))).toBe(
          true,
        );
      },
    );
    await fc.assert(property, { seed: SEED, numRuns: 2_000, examples: [["A==="], ["AAAA==="]] });
  });
});

describe("a document with long base64 in it", () => {
  test("is written in pieces that form the same document", async () => {
    const base64 = "AAAA".repeat(600_000);
    const long = await longOf(base64);
    const document = (image: unknown) => ({ é: 'a"', images: [image, { b: image }], c: undefined });

    const written = writeJson(document(long.behind(HEAD)));

    if (typeof written === "string") throw new Error("It was put together.");
    expect(joined(written).toString()).toBe(JSON.stringify(document(HEAD + base64)));
    expect(written.sizeBytes).toBe(joined(written).length);
  });

  test("is one text without long base64, and for code that does not support pieces", async () => {
    expect(writeJson({ a: ["é"] })).toBe('{"a":["é"]}');
    expect(JSON.stringify({ a: await longOf("AAAA") })).toBe('{"a":"AAAA"}');
  });

  test("is written in slices without copies", () => {
    const bytes = Buffer.alloc(2 * PIECE_BYTES + 1, 7);

    const slices = Array.from(new Pieces(["head", bytes]));

    expect(slices.map(({ length }) => length)).toEqual([4, PIECE_BYTES, PIECE_BYTES, 1]);
    expect(slices.slice(1).every((each) => (each as Uint8Array).buffer === bytes.buffer)).toBe(
      true,
    );
  });
});
