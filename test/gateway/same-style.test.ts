import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { openSimulated } from "#test/harness.ts";

let gateway: Awaited<ReturnType<typeof openSimulated>>;

beforeAll(async () => {
  gateway = await openSimulated({
    channel: "models: [gpt-4o-mini, gpt-5.1, gpt-5-mini, o3]\nstyle: chat",
  });
});

afterAll(() => gateway[Symbol.asyncDispose]());

async function ask(fields: JsonObject, headers: Record<string, string> = {}) {
  const messages = [{ role: "user", content: "Say this is a test" }];
  const answer = await gateway.post("/v1/chat/completions", { messages, ...fields }, headers);
  const text = await answer.text();
  const lost = answer.headers.get("sluice-lossy");
  return { status: answer.status, lost: lost?.split(",").map((name) => name.trim()) ?? [], text };
}

describe("a request in the upstream's own style is adapted to its model and vendor", () => {
  test.each<[string, JsonObject, string[]]>([
    ["the older limit", { max_tokens: 500 }, []],
    ["the older limit, in a stream", { max_tokens: 500, stream: true }, []],
    ["a temperature", { temperature: 0.2 }, ["temperature"]],
    ["nucleus sampling", { top_p: 0.5 }, ["top_p"]],
    ["the usual temperature, which loses nothing", { temperature: 1 }, []],
    ["stop sequences, which the gateway keeps to", { stop: ["END"] }, []],
    ["penalties", { presence_penalty: 1 }, ["presence_penalty"]],
  ])("%s, for reasoning models", async (_, fields, lost) => {
    for (const model of ["o3", "gpt-5-mini", "gpt-5.1"]) {
      const effort = model === "gpt-5.1" ? { reasoning_effort: "low" } : {};
      const answer = await ask({ model, ...effort, ...fields });

      expect([model, answer.status, answer.lost]).toEqual([model, 200, lost]);
    }
  });

  test.each<[string, JsonObject, string[]]>([
    ["a client's own search", { search_parameters: { mode: "off" } }, ["search_parameters"]],
    ["an unknown field", { some_new_field: 1 }, ["some_new_field"]],
    ["an empty unknown field", { some_new_field: null, other: [] }, []],
    ["another vendor's sampling", { top_k: 3, min_p: 0.1 }, ["min_p", "top_k"]],
    ["reasoning that is switched off", { thinking: { type: "disabled" } }, []],
    ["another switch that is off", { enable_thinking: false }, []],
    ["sampling among the parameters", { parameters: { temperature: 0.3 } }, []],
    ["pieces among the parameters", { parameters: { incremental_output: true } }, []],
    ["lost parameters", { parameters: { asr_options: { a: 1 } } }, ["parameters"]],
    [
      "a vendor's object",
      { extra_body: { brand: { tools: [{ urlContext: {} }] } } },
      ["extra_body"],
    ],
    ["an image's form", { image_config: { aspect_ratio: "1:1" } }, ["image_config"]],
    ["a search that the model cannot make", { enable_search: true }, ["web_search"]],
    ["a search that is off", { enable_search: false }, []],
  ])("members that the vendor does not know: %s", async (_, fields, lost) => {
    const answer = await ask({ model: "gpt-4o-mini", ...fields });

    expect([answer.status, answer.lost.toSorted()]).toEqual([200, lost]);
  });

  const BUDGET = "reasoning.budget_tokens";
  test.each<[string, JsonObject, string[]]>([
    ["a switch and a budget", { enable_thinking: true, thinking_budget: 5_000 }, [BUDGET]],
    ["a type", { thinking: { type: "enabled", budget_tokens: 5_000 } }, [BUDGET]],
    ["an object", { reasoning: { effort: "low" } }, []],
    [
      "a vendor's object",
      { extra_body: { brand: { thinking_config: { thinking_budget: 500 } } } },
      [BUDGET],
    ],
    ["a level", { generationConfig: { thinkingConfig: { thinkingLevel: "LOW" } } }, []],
    ["a budget among the parameters", { parameters: { thinking_budget: 500 } }, [BUDGET]],
  ])("reasoning is requested by an effort: %s", async (_, fields, lost) => {
    const answer = await ask({ model: "gpt-5.1", ...fields });

    expect([answer.status, answer.lost]).toEqual([200, lost]);
    expect(answer.text).toMatch(/"reasoning_tokens":[1-9]/);
  });

  test("a strict client is refused if a field would be left out", async () => {
    const answer = await ask(
      { model: "gpt-4o-mini", search_parameters: {}, top_k: 4 },
      { "sluice-strict": "true" },
    );

    expect(answer.status).toBe(400);
    expect(answer.text).toContain("top_k");
  });

  test("a body without changes is sent as its client wrote it", async () => {
    const body = '{ "model":"gpt-4o-mini",  "messages":[{"role":"user","content":"hi"}]}';
    const answer = await gateway.post("/v1/chat/completions", body);

    expect([answer.status, answer.headers.get("sluice-lossy")]).toEqual([200, null]);
  });
});
