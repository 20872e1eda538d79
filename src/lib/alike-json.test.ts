import { expect, test } from "bun:test";
import fc from "fast-check";
import { AlikeJson } from "./alike-json.ts";
import { SEED } from "#test/seed.ts";

const chunk = (content: string, id = "a"): string =>
  JSON.stringify({ id, choices: [{ delta: { content } }] });

test("a text that differs in nothing but the string gives the string", () => {
  const alike = learned(chunk("Hel"));

  expect(alike.read(chunk("lo"))).toBe("lo");
  expect(alike.read(chunk(""))).toBe("");
  expect(alike.read(chunk('"\\\n\u2028 é 👍 \u0000'))).toBe('"\\\n\u2028 é 👍 \u0000');
});

test("whatever else differs, the text is not read", () => {
  const alike = learned(chunk("Hel"));

  expect(alike.read(chunk("lo", "b"))).toBeUndefined();
  expect(alike.read(chunk("lo").replace('"lo"', "null"))).toBeUndefined();
  expect(alike.read(chunk("lo").replace('"lo"', '"lo","role":"x"'))).toBeUndefined();
  expect(alike.read(chunk("lo").replace('"lo"', '"lo\\"'))).toBeUndefined();
  expect(alike.read(chunk("lo").replace('"lo"', '"l\no"'))).toBeUndefined();
  expect(alike.read(chunk("").slice(0, -8))).toBeUndefined();
});

test("what is read is what parsing finds, and what parsing refuses is not read", () => {
  const alike = learned(chunk("Hel"));
  const [before = "", after = ""] = chunk("|").split("|");

  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('"', "\\", "n", "u", "0", "\n", "é") }), (s) => {
      const text = before + s + after;
      let parsed: unknown;
      try {
        parsed = JSON.parse(text);
      } catch {}
      const read = alike.read(text);
      if (read !== undefined)
        expect(parsed).toEqual({ id: "a", choices: [{ delta: { content: read } }] });
      else if (parsed !== undefined) expect(chunk(contentOf(parsed))).not.toBe(text);
    }),
    { seed: SEED },
  );
});

test("a member that stands there twice, or is no string, teaches nothing", () => {
  const twice = '{"content":"a","delta":{"content":"a"}}';
  const spelt = '{"content":"a","c\\u006fntent":"b"}';

  expect(learned(twice, "a").read(twice)).toBeUndefined();
  expect(learned(spelt, "b").read(spelt)).toBeUndefined();
  expect(learned('{"content":1}', "1").read('{"content":1}')).toBeUndefined();
});

test("where every text is another, learning is given up", () => {
  const alike = new AlikeJson("content");
  for (let id = 0; id < 10; id++) alike.learn(chunk("a", `${id}`), "a");

  expect(alike.read(chunk("b", "9"))).toBeUndefined();
  expect(alike.read(chunk("b", "3"))).toBe("b");
});

function learned(text: string, value = "Hel"): AlikeJson {
  const alike = new AlikeJson("content");
  alike.learn(text, value);
  return alike;
}

function contentOf(parsed: unknown): string {
  return (
    (parsed as { choices?: { delta?: { content?: string } }[] }).choices?.[0]?.delta?.content ?? ""
  );
}
