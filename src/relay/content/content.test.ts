import { describe, expect, test } from "bun:test";
import { answerWith } from "./content.ts";

const FILE = { sizeBytes: 100, mediaType: "video/mp4", etag: '"1"' };
const WHOLE = {
  head: { ...FILE, takesRanges: true, status: 200 },
  bytes: { start: 0, end: 100 },
};

describe("a file whose size is known", () => {
  test("is sent as a whole without a range", () => {
    expect<unknown>(answerWith(FILE, {})).toEqual(WHOLE);
    expect<unknown>(answerWith(FILE, { ifRange: '"1"' })).toEqual(WHOLE);
  });

  test("is sent in part if a range is requested, and has not changed", () => {
    const span = { start: 5, end: 10 };
    const part = { head: { ...WHOLE.head, status: 206, span }, bytes: span };
    const range = { first: 5, last: 9 };

    expect<unknown>(answerWith(FILE, { range })).toEqual(part);
    expect<unknown>(answerWith(FILE, { range, ifRange: '"1"' })).toEqual(part);
    expect<unknown>(answerWith(FILE, { range, ifRange: '"0"' })).toEqual(WHOLE);
  });

  test("is not sent if the range is outside of it", () => {
    expect<unknown>(answerWith(FILE, { range: { first: 100 } })).toEqual({
      head: { ...WHOLE.head, status: 416 },
      bytes: { start: 0, end: 0 },
    });
  });
});
