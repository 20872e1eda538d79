import { afterAll, beforeAll, expect, test } from "bun:test";
import { ROUTES } from "#http/registry.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, objectOf } from "#lib/values.ts";
import { askWith, bearer, openWithRoot, tokenOf, type Ask } from "#test/accounts.ts";
import type { TestGateway } from "#test/harness.ts";

const SECRET = "hunter2";
const PIN = 20_241_123;
const WRONG: readonly Json[] = [
  SECRET,
  PIN,
  [SECRET],
  [PIN],
  [{ key: SECRET }],
  { key: SECRET },
  `${SECRET} `.repeat(2_000),
  ` ${SECRET}`,
  true,
];

let opened: TestGateway;
let ask: Ask;
beforeAll(async () => {
  opened = await openWithRoot();
  ask = askWith(opened.url, bearer(await tokenOf(opened.url, "somebody", "admin")));
});
afterAll(() => opened[Symbol.asyncDispose]());

/** Names of the members that a schema declares as secret. */
function secretsIn(schema: JsonObject): readonly string[] {
  const members = Object.entries(objectOf(schema["properties"]) ?? {});
  const isHidden = (one: Json | undefined): boolean =>
    isObject(one) && (one["writeOnly"] === true || listOf(one["anyOf"]).some(isHidden));
  return members.filter(([, one]) => isHidden(one)).map(([name]) => name);
}

const fields = ROUTES.flatMap((route) => {
  const schema = route.requestSchema?.() ?? {};
  return [...secretsIn(schema)].map((name) => [route.method, route.path, name, schema] as const);
});

test("the list has fields for passwords, codes, tokens, credentials, destinations and settings", () => {
  expect(new Set(fields.map(([, , name]) => name))).toEqual(
    new Set(["password", "current_password", "code", "token", "api_key", "secret", "url", "value"]),
  );
});

test.each(fields)("%s %s never quotes '%s'", async (method, path, name, schema) => {
  const required = listOf(schema["required"]).filter((each) => typeof each === "string");
  const rest = Object.fromEntries(required.map((each) => [each, "x"]));
  for (const value of WRONG) {
    const { body } = await ask(method, path.replaceAll(/:\w+/g, "999"), { ...rest, [name]: value });

    expect(JSON.stringify(body)).not.toMatch(/hunter2|20241123/);
  }
});

test("the error for a short password has only the bounds", async () => {
  const { status, body } = await ask("POST", "/api/user", { username: "new", password: SECRET });

  expect([status, body.message]).toEqual([
    400,
    "'password' is too short: use 12 to 256 characters.",
  ]);
});

test("a channel's credential in the wrong field, or in the wrong shape, is not quoted", async () => {
  const channel = { name: "x", provider: "openai" };
  for (const more of [
    { base_url: PIN },
    { base_url: `http://me:${SECRET}@127.0.0.1` },
    { base_url: SECRET },
    { options: SECRET },
    { options: { key: SECRET }, provider: "none" },
    { api_key: { key: SECRET } },
    { api_keys: SECRET },
    { api_keys: [SECRET, { key: SECRET }] },
    { api_keys: [PIN] },
  ]) {
    const { status, body } = await ask("POST", "/api/channel", { ...channel, ...more });

    expect(status).toBe(400);
    expect(JSON.stringify(body)).not.toMatch(/hunter2|20241123/);
  }
});
