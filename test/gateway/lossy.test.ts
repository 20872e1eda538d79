import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";

let sandbox: Sandbox;
let gateway: TestGateway;
beforeAll(async () => {
  sandbox = await startSandbox();
  gateway = await openTestGateway({
    yaml: `channels:
  - name: picky
    provider: groq
    base_url: ${sandbox.url}/openai/v1
    api_key: upstream-secret-of-the-operator
    models: [gpt-4o-mini]
`,
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await sandbox.stop();
});

const CHAT = { model: "gpt-4o-mini", messages: [{ role: "user", content: "hi" }] };
const PROBABLE = { ...CHAT, logprobs: true, top_logprobs: 2 };

const NO_TWO = /this vendor gives at most one answer/;

async function lossOf(path: string, body: object): Promise<string | null> {
  const answer = await gateway.post(path, body);
  await answer.text();
  expect([answer.status, Object.keys(sandbox.requests.at(-1)?.body as object)]).toEqual([
    200,
    expect.not.arrayContaining(["logprobs", "top_logprobs", "logit_bias"]),
  ]);
  return answer.headers.get("sluice-lossy");
}

describe("fields that a vendor would refuse are left out, and reported as lost", () => {
  test.each([true, false])("if the request passes through (stream %p)", async (stream) => {
    expect(await lossOf("/v1/chat/completions", { ...PROBABLE, stream })).toBe(
      "logprobs, top_logprobs",
    );
  });

  test("if it is translated", async () => {
    const asked = {
      model: "gpt-4o-mini",
      input: "hi",
      include: ["message.output_text.logprobs"],
      top_logprobs: 2,
    };

    expect(await lossOf("/v1/responses", asked)).toBe("logprobs, top_logprobs");
  });

  test("but not if the value has no effect", async () => {
    const usual = { logprobs: false, top_logprobs: null, logit_bias: {} };

    expect(await lossOf("/v1/chat/completions", { ...CHAT, ...usual })).toBeNull();
  });

  test.each([false, true])(
    "but several answers cannot be left out, so that they are refused (translated: %p)",
    async (isTranslated) => {
      const before = sandbox.requests.length;
      const answer = isTranslated
        ? await gateway.post("/v1beta/models/gpt-4o-mini:generateContent", {
            contents: [{ role: "user", parts: [{ text: "hi" }] }],
            generationConfig: { candidateCount: 2 },
          })
        : await gateway.post("/v1/chat/completions", { ...CHAT, n: 2 });

      expect([answer.status, await answer.text()]).toEqual([400, expect.stringMatching(NO_TWO)]);
      expect(sandbox.requests).toHaveLength(before);
      expect((await gateway.post("/v1/chat/completions", { ...CHAT, n: 1 })).status).toBe(200);
    },
  );

  test("and are refused for strict clients", async () => {
    const before = sandbox.requests.length;
    const answer = await gateway.post("/v1/chat/completions", PROBABLE, {
      "sluice-strict": "true",
    });
    const { error } = (await answer.json()) as { error: { message: string; param: string } };

    expect([answer.status, error.param]).toEqual([400, "logprobs"]);
    expect(error.message).toContain("'top_logprobs'");
    expect(sandbox.requests).toHaveLength(before);
  });
});
