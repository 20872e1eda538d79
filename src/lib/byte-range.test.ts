import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SEED } from "#test/seed.ts";
import {
  formatByteRange,
  formatContentRange,
  parseByteRange,
  parseContentRange,
  spanOf,
  type ByteRange,
} from "./byte-range.ts";

describe("a Range header", () => {
  test.each<[string, ByteRange | "several" | undefined]>([
    ["bytes=0-0", { first: 0, last: 0 }],
    ["bytes=5-", { first: 5 }],
    ["bytes=-5", { suffix: 5 }],
    ["Bytes=1-2", { first: 1, last: 2 }],
    ["bytes= 1 - 2 ", { first: 1, last: 2 }],
    ["bytes=0-1,3-4", "several"],
    ["bytes=0-1,", "several"],
    ["bytes=2-1", undefined],
    ["bytes=-", undefined],
    ["bytes=+1-2", undefined],
    ["bytes=1.5-2", undefined],
    ["bytes=1-2-3", undefined],
    ["bytes=99999999999999999999-", undefined],
    ["items=0-1", undefined],
    ["", undefined],
  ])("'%s' requests %j", (header, expected) => {
    expect(parseByteRange(header)).toEqual(expected);
  });

  test("is written as it was parsed", () => {
    for (const header of ["bytes=0-0", "bytes=7-", "bytes=-9", "bytes=3-900"]) {
      const range = parseByteRange(header);
      expect(range !== undefined && range !== "several" && formatByteRange(range)).toBe(header);
    }
    expect(parseByteRange(null)).toBeUndefined();
  });
});

describe("a range of a file", () => {
  test.each<[ByteRange, number, ReturnType<typeof spanOf>]>([
    [{ first: 0, last: 9 }, 10, { start: 0, end: 10 }],
    [{ first: 0, last: 99 }, 10, { start: 0, end: 10 }],
    [{ first: 9 }, 10, { start: 9, end: 10 }],
    [{ first: 10 }, 10, undefined],
    [{ suffix: 3 }, 10, { start: 7, end: 10 }],
    [{ suffix: 30 }, 10, { start: 0, end: 10 }],
    [{ suffix: 0 }, 10, undefined],
    [{ suffix: 1 }, 0, undefined],
    [{ first: 0 }, 0, undefined],
  ])("%j of %i bytes is %j", (range, sizeBytes, expected) => {
    expect(spanOf(range, sizeBytes)).toEqual(expected);
  });

  test("is recovered from its Content-Range header", () => {
    const sizes = fc.integer({ min: 1, max: 1e12 });
    fc.assert(
      fc.property(sizes, sizes, fc.nat(), (sizeBytes, first, more) => {
        const span = spanOf({ first, last: first + more }, sizeBytes);
        if (span === undefined) return first >= sizeBytes;
        const read = parseContentRange(formatContentRange(span, sizeBytes));
        return read?.start === first && read.end === span.end && read.sizeBytes === sizeBytes;
      }),
      { seed: SEED },
    );
  });

  test.each([
    ["bytes 0-9/10", { start: 0, end: 10, sizeBytes: 10 }],
    ["bytes 0-9/*", { start: 0, end: 10, sizeBytes: undefined }],
    ["bytes 0-10/10", undefined],
    ["bytes 5-4/10", undefined],
    ["bytes */10", undefined],
    ["0-9/10", undefined],
    [undefined, undefined],
  ])("'%s' is parsed as %j", (header, expected) => {
    expect(parseContentRange(header)).toEqual(expected);
  });
});
