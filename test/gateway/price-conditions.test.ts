import { expect, test } from "bun:test";
import { openBooks } from "#test/books.ts";
import { openTestGateway } from "#test/harness.ts";
import type { JsonObject } from "#lib/json.ts";

const MODEL = "claude-opus-5";

/** Of a thousand tokens of input and a hundred of output, in dollars per million. */
function nanoUsd(input: number, output: number, times = 1): number {
  return Math.round((1_000 * input + 100 * output) * 1_000 * times);
}

async function spentOn(
  path: string,
  body: JsonObject,
  answer: JsonObject | string,
  models = "",
): Promise<number> {
  await using vendor = openVendor(answer);
  await using gateway = await openTestGateway({
    yaml: `
channels:
  - { name: one, provider: anthropic, base_url: "${vendor.url}", api_key: upstream-secret, models: [${MODEL}] }
  - { name: two, provider: openai, base_url: "${vendor.url}", api_key: upstream-secret, models: [gpt-5.4] }
  - { name: three, provider: gemini, base_url: "${vendor.url}", api_key: upstream-secret, models: [gemini-2.5-pro] }
${models}`,
  });
  using books = openBooks(gateway.dataDir);
  const reply = await gateway.post(path, body);
  expect([reply.status, await reply.text()]).toMatchObject([200, expect.any(String)]);
  expect(await books.whenSettled()).toEqual([]);
  return books.spent();
}

function openVendor(answer: JsonObject | string) {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () =>
      typeof answer === "string"
        ? new Response(answer, { headers: { "content-type": "text/event-stream" } })
        : Response.json(answer),
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    [Symbol.asyncDispose]: async () => await server.stop(true),
  };
}

const messages = [{ role: "user", content: "Say hi." }];
const USED = { input_tokens: 1_000, output_tokens: 100 };

function message(usage: JsonObject): JsonObject {
  const content = [{ type: "text", text: "hi" }];
  return {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: MODEL,
    content,
    stop_reason: "end_turn",
    usage,
  };
}

function completion(more: JsonObject): JsonObject {
  const choices = [
    { index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" },
  ];
  const usage = { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 };
  return {
    id: "x",
    object: "chat.completion",
    created: 1,
    model: "gpt-5.4",
    choices,
    usage,
    ...more,
  };
}

test.each<[string, JsonObject, JsonObject, number]>([
  ["as usual", {}, {}, 1],
  ["fast, as it was asked", { speed: "fast" }, { speed: "fast" }, 2],
  ["fast, which the answer does not tell", { speed: "fast" }, {}, 2],
  [
    "at the usual speed though it was asked to be fast",
    { speed: "fast" },
    { speed: "standard" },
    1,
  ],
  ["in the region that it was asked for", { inference_geo: "us" }, { inference_geo: "us" }, 1.1],
  ["in a region that was not requested", {}, { inference_geo: "us" }, 1.1],
])("a call that was served %s has the price for that", async (_, asked, told, times) => {
  const spent = await spentOn(
    "/v1/messages",
    { model: MODEL, max_tokens: 100, messages, ...asked },
    message({ ...USED, ...told }),
  );

  expect(spent).toBe(nanoUsd(5, 25, times));
});

test.each<[string, JsonObject, JsonObject, number]>([
  ["flex", { service_tier: "flex" }, { service_tier: "flex" }, 0.5],
  ["the usual tier instead of flex", { service_tier: "flex" }, { service_tier: "default" }, 1],
  ["priority", { service_tier: "priority" }, { service_tier: "priority" }, 2],
  ["priority, by the account's own setting", {}, { service_tier: "priority" }, 2],
])("a call that was served as %s has the price for that", async (_, asked, told, times) => {
  const spent = await spentOn(
    "/v1/chat/completions",
    { model: "gpt-5.4", messages, ...asked },
    completion(told),
  );

  expect(spent).toBe(nanoUsd(2.5, 15, times));
});

test.each<[string, JsonObject, string | null, string]>([
  ["gpt-5.6-sol", { service_tier: "ultrafast" }, "service_tier", "ultrafast"],
  ["gpt-5.6-sol", { service_tier: "flex" }, null, "flex"],
  ["gpt-5.6-sol", { service_tier: "auto" }, null, "default"],
  ["gpt-6-astra", { service_tier: "ultrafast" }, null, "ultrafast"],
])("%s with %p: a missing separate price is reported (%p)", async (model, asked, said, served) => {
  const response = {
    id: "resp_1",
    object: "response",
    status: "completed",
    model,
    service_tier: served,
    output: [
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "hi" }] },
    ],
    usage: { input_tokens: 1_000, output_tokens: 100, total_tokens: 1_100 },
  };
  await using vendor = openVendor(response);
  await using gateway = await openTestGateway({
    yaml: `channels:
  - { name: two, provider: openai, base_url: "${vendor.url}", api_key: upstream-secret, models: [${model}] }
`,
  });

  const reply = await gateway.post("/v1/responses", { model, input: "hi", ...asked });

  expect([reply.status, reply.headers.get("sluice-unpriced")]).toEqual([200, said]);
});

test("a stream's tier is in the chunk with its usage", async () => {
  const chunk = (more: JsonObject): string =>
    `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "gpt-5.4", service_tier: "flex", choices: [], ...more })}\n\n`;
  const { choices: _, ...end } = completion({});
  const stream =
    chunk({
      choices: [{ index: 0, delta: { role: "assistant", content: "hi" }, finish_reason: null }],
    }) +
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }) +
    chunk({ usage: end["usage"] ?? null }) +
    "data: [DONE]\n\n";

  const spent = await spentOn(
    "/v1/chat/completions",
    { model: "gpt-5.4", messages, stream: true },
    stream,
  );

  expect(spent).toBe(nanoUsd(2.5, 15, 0.5));
});

test("an advisor model's tokens are charged at its own price, as part of the call's cost", async () => {
  const iterations = [
    { type: "message", ...USED },
    { type: "advisor_message", model: "claude-fable-5", ...USED },
  ];
  const spent = await spentOn(
    "/v1/messages",
    { model: MODEL, max_tokens: 100, messages },
    message({ ...USED, iterations }),
  );

  expect(spent).toBe(nanoUsd(5, 25) + nanoUsd(10, 50));
});

test("a response by another model is charged at that model's price", async () => {
  const candidates = [
    { content: { role: "model", parts: [{ text: "hi" }] }, finishReason: "STOP" },
  ];
  const usageMetadata = {
    promptTokenCount: 1_000,
    candidatesTokenCount: 100,
    totalTokenCount: 1_100,
  };
  const answer = { candidates, usageMetadata, modelVersion: "gemini-2.5-flash" };
  const ask = (models?: string): Promise<number> =>
    spentOn(
      "/v1beta/models/gemini-2.5-pro:generateContent",
      { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
      answer,
      models,
    );

  expect(await ask()).toBe(nanoUsd(0.3, 2.5));
  // Unless the operator has set a price for the name that was called.
  expect(await ask("models:\n  gemini-2.5-pro: { input: 7, output: 9 }")).toBe(nanoUsd(7, 9));
});

test("the operator's price may have variants, too", async () => {
  const models = `
models:
  gpt-5.4:
    input: 3
    output: 6
    variants:
      - { when: { service_tier: [flex, batch] }, input: 1, output: 2 }
      - { when: { hours: "sun-sat 00:00-24:00" }, factor: 3 }`;

  expect(
    await spentOn(
      "/v1/chat/completions",
      { model: "gpt-5.4", messages },
      completion({ service_tier: "flex" }),
      models,
    ),
  ).toBe(nanoUsd(1, 2, 3));
});
