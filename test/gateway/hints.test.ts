import { afterAll, beforeAll, expect, test } from "bun:test";
import { askWith, bearer, logIn, openWithRoot, ROOT, textIn } from "#test/accounts.ts";
import type { TestGateway } from "#test/harness.ts";

const LIMITED = "a-key-for-one-model-0123456789";

let opened: TestGateway;
beforeAll(async () => {
  opened = await openWithRoot({
    yaml: `sandbox: auto\nkeys: [{ name: one, key: ${LIMITED}, models: [gpt-4o] }]`,
  });
});
afterAll(() => opened[Symbol.asyncDispose]());

const QUESTION = [{ role: "user", content: "hi" }];

test.each([
  ["gpt-4o-mni", "gpt-4o-mini"],
  ["GPT-4o-Mini", "gpt-4o-mini"],
  ["gpt4o-mini", "gpt-4o-mini"],
])("the error for a misspelt model name suggests the right one: %s", async (model, meant) => {
  const calls: readonly [string, object][] = [
    ["/v1/chat/completions", { model, messages: QUESTION }],
    ["/v1/messages", { model, max_tokens: 9, messages: QUESTION }],
    ["/v1/messages/count_tokens", { model, messages: QUESTION }],
    [`/v1beta/models/${model}:generateContent`, { contents: [{ parts: [{ text: "hi" }] }] }],
  ];
  for (const [path, body] of calls) {
    const response = await opened.post(path, body);

    expect(response.status).toBe(404);
    expect(await response.text()).toContain(
      `The model '${model}' does not exist. Did you mean '${meant}'?`,
    );
  }
  expect(await (await opened.get(`/v1/models/${model}`)).text()).toContain(`'${meant}'?`);
});

test("a dissimilar name, or a model that the key may not use, gets no suggestion", async () => {
  const far = await opened.post("/v1/chat/completions", { model: "xyz", messages: QUESTION });
  const closed = await opened.post(
    "/v1/chat/completions",
    { model: "gpt-4o-mni", messages: QUESTION },
    bearer(LIMITED),
  );

  for (const response of [far, closed]) {
    expect(await response.text()).not.toContain("Did you mean");
  }
});

test("an access token that is used as an API key gets an error that names the mistake, not the token", async () => {
  const session = askWith(opened.url, await logIn(opened.url, ROOT));
  const token = textIn((await session("POST", "/api/user/token")).data, "token");

  const response = await opened.post("/v1/chat/completions", {}, bearer(token));

  expect(response.status).toBe(401);
  const text = await response.text();
  expect(text).toContain("it is a user's access token, which is for /api");
  expect(text).not.toContain(token.slice(0, 16));
});
