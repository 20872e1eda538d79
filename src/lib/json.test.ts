import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SEED } from "#test/seed.ts";
import { outlineJson, parseJson, setMembers, type Json } from "./json.ts";

const DEPTH = 64;

/** What a member's range holds, parsed. */
function valueOf(text: string, key: string): Json | undefined {
  const member = outlineJson(text, DEPTH).members.get(key);
  return member && parseJson(text.slice(member.valueStart, member.end));
}

describe("the outline of a body", () => {
  const cases: [string, string, Json][] = [
    ["a plain member", '{"model":"m","stream":true}', "m"],
    ["white space everywhere", ' {\n "stream" : true , "model"\t:\r\n"m" } ', "m"],
    ["braces and quotes inside strings", '{"a":"}{\\"model\\":1","model":"m"}', "m"],
    ["a backslash before the closing quote", '{"a":"\\\\","model":"m"}', "m"],
    ["an escaped key", '{"\\u006dodel":"m"}', "m"],
    ["the same key deeper down", '{"a":{"model":"x"},"model":"m","b":[{"model":"y"}]}', "m"],
    ["a number as value, at the end", '{"model":12.5e3}', 12.5e3],
    ["an object as value", '{"model":{"x":[1,{"y":2}]}}', { x: [1, { y: 2 }] }],
  ];
  test.each(cases)("finds %s", (_what, text, expected) => {
    expect(valueOf(text, "model")).toEqual(expected);
  });

  test("finds every member of any object", () => {
    const property = fc.property(
      fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 8 }),
      (object) => {
        const text = JSON.stringify(object);
        for (const [key, value] of Object.entries(JSON.parse(text) as Record<string, Json>)) {
          expect(valueOf(text, key)).toEqual(value);
        }
      },
    );
    fc.assert(property, { seed: SEED, numRuns: 300 });
  });

  test("stops at excessive nesting", () => {
    const bomb = `{"a":${"[".repeat(100_000)}`;

    expect(outlineJson(bomb, DEPTH).depth).toBe(DEPTH + 1);
  });

  test("counts objects, arrays and members, and ignores the content of strings", () => {
    expect(outlineJson('{"a":[{"b":{}},[]],"c":":[{"}', DEPTH).parts).toBe(8);
  });

  test("stops at too many parts", () => {
    const bomb = `{"a":1${',"b":1'.repeat(1_000)}}`;

    expect(outlineJson(bomb, DEPTH, 100).parts).toBe(101);
    expect(outlineJson(bomb, DEPTH, 1_002).parts).toBe(1_002);
  });

  test("detects a duplicate key", () => {
    expect(outlineJson('{"model":"a","model":"b"}', DEPTH).repeated).toEqual(new Set(["model"]));
  });

  test("tolerates text that is not JSON", () => {
    const property = fc.property(
      fc.string({ unit: fc.constantFrom(...'{}[]",:\\a1 ') }),
      (text) => {
        outlineJson(text, DEPTH);
      },
    );
    fc.assert(property, { seed: SEED, numRuns: 1_000 });
  });
});

describe("setting members", () => {
  const set = (text: string, values: Record<string, Json | undefined>): string =>
    setMembers(text, outlineJson(text, DEPTH), values);

  test("changes the value and no other byte", () => {
    const text = '{ "big": 9007199254740993,\n\t"model" : "a", "z":1.0 }';

    expect(set(text, { model: "b" })).toBe(
      '{ "big": 9007199254740993,\n\t"model" : "b", "z":1.0 }',
    );
  });

  const cases: [string, string, Record<string, Json | undefined>, string][] = [
    ["adds to an empty object", "{}", { a: 1 }, '{"a":1}'],
    ["adds after the last member", '{"a":1}', { b: { c: 2 } }, '{"a":1,"b":{"c":2}}'],
    ["removes the first member", '{"a":1,"b":2}', { a: undefined }, '{"b":2}'],
    ["removes the last member", '{"a":1, "b":2 }', { b: undefined }, '{"a":1 }'],
    ["removes the only member and adds one", '{"a":1}', { a: undefined, b: 2 }, '{"b":2}'],
    ["leaves out what was never there", '{"a":1}', { b: undefined }, '{"a":1}'],
  ];
  test.each(cases)("%s", (_what, text, values, expected) => {
    expect(set(text, values)).toBe(expected);
  });

  test("is equivalent to assigning to the parsed object", () => {
    const change = fc.dictionary(
      fc.constantFrom("a", "b", "c", "d"),
      fc.option(fc.jsonValue(), { nil: undefined }),
    );
    const object = fc.dictionary(fc.constantFrom("a", "b", "c", "e"), fc.jsonValue());
    const property = fc.property(
      object,
      change,
      fc.constantFrom(0, 1, 4),
      (before, values, indent) => {
        const text = JSON.stringify(before, null, indent);
        const assigned = JSON.parse(JSON.stringify({ ...before, ...values })) as Record<
          string,
          Json
        >;

        const after = JSON.parse(set(text, values as Record<string, Json | undefined>)) as Record<
          string,
          Json
        >;
        expect(sorted(after)).toEqual(sorted(assigned));
      },
    );
    fc.assert(property, { seed: SEED, numRuns: 500 });
  });
});

function sorted(object: object): [string, unknown][] {
  return Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1));
}
