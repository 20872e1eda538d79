import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { at, textAt, WEATHER } from "./testing/chat.ts";
import { chatCaller, fieldOf } from "./testing/compatible.ts";

let sandbox: Sandbox;
const caller = (base: string) => chatCaller(() => sandbox, base);
const deepseek = caller("/deepseek/v1");
const beta = caller("/deepseek/beta");
const moonshot = caller("/moonshot/v1");
const zhipu = caller("/zhipu/api/paas/v4");
const minimax = caller("/minimax/v1");

beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.stop());

const user = { role: "user", content: "Count to 3" };
const ask = (model: string, extra: JsonObject = {}): JsonObject => ({
  model,
  messages: [user],
  ...extra,
});
const off = { thinking: { type: "disabled" } };

describe("DeepSeek", () => {
  test("has both of its model names, and thinks by default", async () => {
    const answer = await deepseek.answer(ask("deepseek-v4-flash"));
    const quiet = await deepseek.answer(ask("deepseek-flash", off));

    expect(textAt(answer, "choices", 0, "message", "content")).toBe("1, 2, 3");
    expect(textAt(answer, "choices", 0, "message", "reasoning_content")).not.toBe("");
    expect(at(quiet, "choices", 0, "message", "reasoning_content")).toBeUndefined();
  });

  test("requires the reasoning of every earlier turn beside tools", async () => {
    const messages = [user, { role: "assistant", content: "1" }, user];
    const told = [user, { role: "assistant", content: "1", reasoning_content: "" }, user];
    const body = ask("deepseek-flash", { tools: [WEATHER] });

    expect(await deepseek.refusal({ ...body, messages })).toContain("must be passed back");
    expect((await deepseek.send({ ...body, messages: told })).status).toBe(200);
  });

  test("takes sixteen stop sequences", async () => {
    const stop = Array.from({ length: 17 }, (_, index) => `end ${index}`);

    expect((await deepseek.send(ask("deepseek-flash", { stop: stop.slice(1) }))).status).toBe(200);
    expect(await deepseek.refusal(ask("deepseek-flash", { stop }))).toContain("at most 16");
  });

  test("has strict tools at its beta address only", async () => {
    const strict = {
      type: "function",
      function: {
        name: "f",
        strict: true,
        parameters: { type: "object", properties: {}, required: [], additionalProperties: false },
      },
    };
    const body = ask("deepseek-flash", { tools: [strict] });

    expect(await deepseek.refusal(body)).toContain("beta");
    expect((await beta.send(body)).status).toBe(200);
    expect(await beta.refusal({ ...body, tools: [strict, WEATHER] })).toContain("must be strict");
  });

  test("has no developer role", async () => {
    const messages = [{ role: "developer", content: "x" }, user];

    expect(await deepseek.refusal(ask("deepseek-flash", { messages }))).toContain("developer");
  });
});

describe("Kimi K3", () => {
  test.each<[JsonObject, string]>([
    [{ temperature: 0.2 }, "invalid temperature: only 1 is allowed for this model"],
    [{ top_p: 0.9 }, "invalid top_p"],
    [{ n: 2 }, "invalid n"],
    [{ reasoning_effort: "none" }, "invalid reasoning_effort"],
    [{ thinking: { type: "enabled" } }, "invalid thinking"],
  ])("refuses %j", async (extra, words) => {
    expect(await moonshot.refusal(ask("kimi-k3.1-pro", extra))).toContain(words);
  });

  test.each(["low", "high", "max"])("accepts the effort %s", async (reasoning_effort) => {
    const sent = ask("kimi-k3", { reasoning_effort, temperature: 1 });

    expect((await moonshot.send(sent)).status).toBe(200);
  });
});

describe("GLM-5.3", () => {
  test("refuses disabled thinking, and an output limit above its maximum", async () => {
    expect(await zhipu.refusal(ask("glm-5.3", off))).toContain("disabled");
    expect(await zhipu.refusal(ask("glm-5.3", { max_tokens: 131_073 }))).toContain("[1, 131072]");
  });

  test("streams the arguments of a call on request", async () => {
    const question = [{ role: "user", content: "What is the weather in Paris?" }];
    const count = async (extra: JsonObject) => {
      const body = ask("glm-5.3", { messages: question, tools: [WEATHER], ...extra });
      const chunks = await zhipu.chunks(body);
      return chunks.filter((chunk) => at(chunk, "choices", 0, "delta", "tool_calls") !== undefined)
        .length;
    };

    expect(await count({})).toBe(1);
    expect(await count({ tool_stream: true })).toBeGreaterThan(1);
  });
});

describe("MiniMax", () => {
  test("puts reasoning into the text unless they are split", async () => {
    const mixed = await minimax.chunks(ask("MiniMax-M3"));
    const split = await minimax.chunks(ask("MiniMax-M3", { reasoning_split: true }));

    expect(fieldOf(mixed, "content")).toMatch(/^<think>[^]+<\/think>\s+1, 2, 3$/);
    expect(fieldOf(split, "content")).toBe("1, 2, 3");
    expect(fieldOf(split, "reasoning_content")).not.toBe("");
  });

  test("accepts its own thinking options", async () => {
    const enabled = { thinking: { type: "enabled" } };

    expect(await minimax.refusal(ask("MiniMax-M3", enabled))).toContain("adaptive or disabled");
    expect(await minimax.refusal(ask("MiniMax-M3.1-Flash", off))).toContain("adaptive thinking");
    expect((await minimax.send(ask("MiniMax-M3", off))).status).toBe(200);
  });

  test("supports messages as well, under its own name", async () => {
    const response = await fetch(`${sandbox.url}/minimax/anthropic/v1/messages`, {
      method: "POST",
      headers: { authorization: "Bearer k", "anthropic-version": "2023-06-01" },
      body: JSON.stringify(ask("MiniMax-M3", { max_tokens: 100 })),
    });
    const answer = JSON.parse(await response.text()) as JsonObject;

    expect(answer["model"]).toBe("MiniMax-M3");
    expect(textAt(answer, "content", 0, "text")).toBe("1, 2, 3");
  });
});
