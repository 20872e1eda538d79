import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { KEY, openTestGateway, type TestGateway } from "#test/harness.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway({
    yaml: `
keys:
  - { name: expired, key: "expired-key-0123456789abcdefg", expires_at: 2020-12-31 }
`,
  });
});
afterAll(() => gateway[Symbol.asyncDispose]());

const list = (headers: Readonly<Record<string, string>>) =>
  fetch(`${gateway.url}/v1/models`, { headers });

describe("a key is read from", () => {
  test.each(["api-key", "x-api-key", "x-goog-api-key"])("the header %s", async (name) => {
    expect((await list({ [name]: KEY })).status).toBe(200);
    expect((await list({ [name]: "another-key" })).status).toBe(401);
  });

  test("one header only, if two contain different keys", async () => {
    expect((await list({ "api-key": KEY, authorization: "Bearer another-key" })).status).toBe(401);
    expect((await list({ "api-key": KEY, authorization: `Bearer ${KEY}` })).status).toBe(200);
  });
});

test.each([
  ["sk-unknown-0123456789", "this gateway does not know it"],
  ["expired-key-0123456789abcdefg", "it has expired"],
])("a wrong key is refused in the client's format, without the key: %s", async (key, why) => {
  const answer = await list({ authorization: `Bearer ${key}` });
  const text = await answer.text();

  expect(answer.status).toBe(401);
  expect(text).toContain(`"Incorrect API key provided: ${why}."`);
  expect(text).not.toContain(key);
});
