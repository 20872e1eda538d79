import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SEED } from "#test/seed.ts";
import { LongBase64 } from "./long-base64.ts";
import { shortenJson } from "./short-json.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

interface Reading {
  readonly value: unknown;
  /** What was not copied out of the document. */
  readonly longs: readonly LongBase64[];
}

async function read(text: string, longBytes = 4, maxRestBytes = Infinity): Promise<Reading> {
  const { bytes, revive } = await shortenJson(Buffer.from(text), longBytes, maxRestBytes);
  const longs: LongBase64[] = [];
  const value: unknown = JSON.parse(utf8.decode(bytes), (key, found) => {
    const each = revive?.(key, found) ?? found;
    if (each instanceof LongBase64) longs.push(each);
    return each;
  });
  return { value, longs };
}

/** As somebody sees it who knows nothing of what is not copied. */
const seen = (value: unknown): string => JSON.stringify(value);

const text = fc.oneof(
  fc.base64String({ maxLength: 80 }),
  fc.base64String({ maxLength: 40 }).map((base64) => `data:image/png;base64,${base64}`),
  fc.string({ unit: fc.constantFrom(...'ab+/=-_,:{}[]"\\ \n\u00e9d') }),
  fc.constantFrom("__proto__", "AAAAA", "AAAA=AAA", "=", "data:,AAAAAAAA"),
);
const document = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.constantFrom(null, true, 0, 123_456_789),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(text, tie("value"), { maxKeys: 4 }),
  ),
})).value;

describe("a document with its long base64 left in place", () => {
  test("has the same meaning for every minimum length", async () => {
    const property = fc.asyncProperty(
      document,
      fc.nat(60),
      fc.constantFrom(0, 1),
      async (value, longBytes, indent) => {
        const written = JSON.stringify(value, null, indent);
        expect(seen((await read(written, longBytes)).value)).toBe(seen(JSON.parse(written)));
      },
    );
    await fc.assert(property, { seed: SEED, numRuns: 1_000 });
  });

  test("is refused exactly if the original is invalid", async () => {
    const broken = fc
      .tuple(
        document,
        fc.nat(),
        fc.nat(),
        fc.constantFrom("", '"', "\\", ",", ":", "A", '"AAAAAAAA"'),
      )
      .map(([value, at, cut, put]) => {
        const written = JSON.stringify(value);
        const from = at % (written.length + 1);
        return written.slice(0, from) + put + written.slice(from + (cut % 3));
      });
    const property = fc.asyncProperty(broken, async (written) => {
      const expected = await outcome(async () => JSON.parse(written));
      expect(await outcome(async () => (await read(written)).value)).toBe(expected);
    });
    await fc.assert(property, { seed: SEED, numRuns: 3_000 });
  });

  test("treats only base64 in this way", async () => {
    const [uri, bare] = ["data:image/png;base64,AAAABBBB", "AAAA_-=="];
    const others = ["AAAA BBBB", "AAAAA", "AAAA\\u0041", "data:a\\u0062,AAAA", "http://a,b"];
    const { value, longs } = await read(
      `{"AAAABBBB": ["${uri}", "${bare}"], "o": [${others.map((each) => `"${each}"`).join()}]}`,
    );

    expect(longs.map(String)).toEqual([uri, bare]);
    expect(longs.map(({ head }) => head)).toEqual(["data:image/png;base64,", ""]);
    expect(seen(value)).toContain(`{"AAAABBBB":["${uri}","${bare}"],"o":["AAAA BBBB","AAAAA"`);
  });

  test("cannot reveal other parts of itself by crafted content", async () => {
    const { bytes, revive } = await shortenJson(Buffer.from('["AAAABBBB"]'), 4);
    const [name = ""] = JSON.parse(utf8.decode(bytes)) as string[];

    expect(String(revive?.("", name))).toBe("AAAABBBB");
    // The next one to be read knows nothing of the name.
    expect((await read(`["AAAABBBB", "${name} "]`)).longs.map(String)).toEqual(["AAAABBBB"]);
  });

  test("is parsed as it is if it has much other content", async () => {
    expect((await read('["AAAABBBB", "a b c d e f"]', 4, 10)).longs).toEqual([]);
  });
});

async function outcome(run: () => Promise<unknown>): Promise<string> {
  try {
    return seen(await run());
  } catch {
    return "refused";
  }
}
