import { expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import { either, integer, list, object, tagged, text } from "#lib/rules.ts";
import { withoutSecrets } from "./without-secrets.ts";

const secret = text({ isSecret: true });
const RULE = object({
  "name!": text(),
  age: integer(0, 9),
  password: secret,
  codes: list(secret, 10),
  pair: { ...either(text(), integer(0, 9)), isSecret: true },
  upstream: object({ url: text(), api_key: secret }),
  login: tagged(
    "by",
    { password: object({ word: secret }), name: object({ word: text() }) },
    { closed: true },
  ),
});

function shown(body: JsonObject): JsonObject {
  return withoutSecrets(body, schemaOf(RULE));
}

test("fields are kept unchanged, and secrets are removed at any depth", () => {
  expect(
    shown({
      name: "ada",
      age: 7,
      password: "hunter2",
      codes: ["hunter2", null],
      pair: 7,
      upstream: { url: "https://example.com", api_key: "hunter2" },
    }),
  ).toEqual({
    name: "ada",
    age: 7,
    password: "[secret]",
    codes: ["[secret]", null],
    pair: "[secret]",
    upstream: { url: "https://example.com", api_key: "[secret]" },
  });
});

test("a field that is secret in one case of a union is treated as secret in all", () => {
  expect(shown({ login: { by: "name", word: "hunter2" } })).toEqual({
    login: { by: "name", word: "[secret]" },
  });
});

test.each([
  ["a misspelt name", { pasword: "hunter2" }],
  ["something else in a secret's place", { password: { of: ["hunter2"] } }],
  ["a number for a secret", { password: 4_711_2 }],
  ["an object instead of a text", { name: { of: "hunter2" } }],
  ["a text instead of a number", { age: "hunter2" }],
  ["a list instead of a text", { name: ["hunter2"] }],
  ["a name that every object has", { constructor: "hunter2" }],
])("%s is not shown", (_, body) => {
  const text = JSON.stringify(shown(body));

  expect(text).not.toContain("hunter2");
  expect(text).not.toContain("47112");
  expect(text).toContain("[secret]");
});

test("a body without a schema is reduced to its field names", () => {
  expect(withoutSecrets({ a: "hunter2", b: { c: 1 } }, undefined)).toEqual({
    a: "[secret]",
    b: "[secret]",
  });
});

test("long values are truncated, and a body that is still too long is reduced to field names", () => {
  const items = object({ names: list(text(), 1_000), more: object({}) });
  const long = { names: Array.from({ length: 100 }, () => "x".repeat(1_000)) };

  const kept = withoutSecrets(long, schemaOf(items));
  const most = withoutSecrets(
    Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`n${i}`, long.names])),
    schemaOf(
      object(
        Object.fromEntries(
          Array.from({ length: 100 }, (_, i) => [`n${i}`, items.members.get("names") ?? text()]),
        ),
      ),
    ),
  );

  expect(JSON.stringify(kept).length).toBeLessThan(12_000);
  expect(JSON.stringify(kept)).toContain("x[cut]");
  expect(Object.values(most)).toEqual(Array.from({ length: 50 }, () => "[cut]"));
});

test.each([
  ["https://me:word@host/v1", "https://[secret]@host/v1"],
  ["https://host/v1?key=word#word", "https://host/v1?[secret]"],
  ["//me@host", "//[secret]@host"],
  ["https://host/v1/a@b", "https://host/v1/a@b"],
  ["who is it? me@host", "who is it? me@host"],
])("of the address %p, %p is kept", (url, kept) => {
  expect(shown({ upstream: { url } })).toEqual({ upstream: { url: kept } });
});
