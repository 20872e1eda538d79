import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SEED } from "#test/seed.ts";
import { checkVectors, readVector, toBase64 } from "./vectors.ts";

const finite = fc.float({ noNaN: true, noDefaultInfinity: true });

describe("an embedding", () => {
  test("[A4.8] is written as four bytes per number, in little-endian order", () => {
    // 1.0 is 0x3f800000, -2.0 is 0xc0000000.
    const bytes = [0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0];

    expect(toBase64(Float32Array.of(1, -2))).toBe(Buffer.from(bytes).toString("base64"));
  });

  test("is the same after encoding and decoding, in both encodings", () => {
    fc.assert(
      fc.property(fc.array(finite, { maxLength: 50 }), (numbers) => {
        const vector = Float32Array.from(numbers);

        expect(readVector(toBase64(vector))).toEqual(vector);
        expect(readVector(JSON.parse(JSON.stringify([...vector])))).toEqual(
          // JSON knows no negative zero.
          vector.map((value) => value + 0),
        );
      }),
      { seed: SEED },
    );
  });

  test.each([
    ["text that is no base64", "not base64!!"],
    ["three bytes", "AAAA"],
    ["a million characters of padding, and more after it", `${"=".repeat(1_000_000)}A`],
    ["a list with something else in it", [1, "2"]],
    ["an object", { values: [1] }],
    ["nothing", undefined],
  ])("is not read from %s", (_, wire) => {
    expect(() => readVector(wire)).toThrow("no vector");
  });
});

describe("a response is refused", () => {
  test.each([
    ["with fewer vectors than inputs", [[1]], "1 vectors for 2 inputs"],
    ["with more vectors than inputs", [[1], [2], [3]], "3 vectors for 2 inputs"],
    ["with vectors of different lengths", [[1], [1, 2]], "different lengths"],
    ["with empty vectors", [[], []], "empty"],
    ["with a value that is not a number", [[1], [NaN]], "numbers"],
    ["with a number too large for a vector", [[1], [1e39]], "numbers"],
  ])("%s", (_, vectors, why) => {
    const given = vectors.map((each) => Float32Array.from(each));

    expect(() => checkVectors(given, 2)).toThrow(why);
  });
});
