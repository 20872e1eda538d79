import { expect, test } from "bun:test";
import fc from "fast-check";
import { JsonTemplate } from "./json-template.ts";
import { SEED } from "#test/seed.ts";

const chunk = (content: string, id = "a"): string =>
  JSON.stringify({ id, choices: [{ delta: { content } }] });

test("a text that differs only in the string returns the string", () => {
  const alike = learned(chunk("Hel"));

  expect(alike.read(chunk("lo"))).toBe("lo");
  expect(alike.read(chunk(""))).toBe("");
  expect(alike.read(chunk('"\\\n\u2028 é 👍 \u0000'))).toBe('"\\\n\u2028 é 👍 \u0000');
});

test("a text that differs anywhere else is not read", () => {
  const alike = learned(chunk("Hel"));

  expect(alike.read(chunk("lo", "b"))).toBeUndefined();
  expect(alike.read(chunk("lo").replace('"lo"', "null"))).toBeUndefined();
  expect(alike.read(chunk("lo").replace('"lo"', '"lo","role":"x"'))).toBeUndefined();
  expect(alike.read(chunk("lo").replace('"lo"', '"lo\\"'))).toBeUndefined();
  expect(alike.read(chunk("lo").replace('"lo"', '"l\no"'))).toBeUndefined();
  expect(alike.read(chunk("").slice(0, -8))).toBeUndefined();
});

test("the result equals that of parsing, and invalid texts are not read", () => {
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

test("a field that occurs twice, or is not a string, is not learned", () => {
  const twice = '{"content":"a","delta":{"content":"a"}}';
  const spelt = '{"content":"a","c\\u006fntent":"b"}';

  expect(learned(twice, "a").read(twice)).toBeUndefined();
  expect(learned(spelt, "b").read(spelt)).toBeUndefined();
  expect(learned('{"content":1}', "1").read('{"content":1}')).toBeUndefined();
});

test("if every text differs, learning stops", () => {
  const alike = new JsonTemplate("content");
  for (let id = 0; id < 10; id++) alike.learn(chunk("a", `${id}`), "a");

  expect(alike.read(chunk("b", "9"))).toBeUndefined();
  expect(alike.read(chunk("b", "3"))).toBe("b");
});

function learned(text: string, value = "Hel"): JsonTemplate {
  const alike = new JsonTemplate("content");
  alike.learn(text, value);
  return alike;
}

function contentOf(parsed: unknown): string {
  return (
    (parsed as { choices?: { delta?: { content?: string } }[] }).choices?.[0]?.delta?.content ?? ""
  );
}
