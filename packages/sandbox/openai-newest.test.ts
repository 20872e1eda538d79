import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { parseJson, type JsonObject } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { answerTo, asObject, ask, at, post, textAt, WEATHER } from "./testing/chat.ts";
import {
  eventsOf,
  itemsOf,
  prompt,
  refusalOf,
  respond,
  send,
  WEATHER_TOOL,
} from "./testing/responses.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(() => sandbox.stop());

async function chatRefusal(body: JsonObject): Promise<string> {
  const response = await post(sandbox, body);
  const error = at(asObject(parseJson(await response.text())), "error");
  return [response.status, ...["param", "code", "message"].map((key) => textAt(error, key))].join(
    " | ",
  );
}

const TOOLS = { tools: [WEATHER] };

describe("chat completions of the newest models", () => {
  test.each(["gpt-5.4", "gpt-5.6-sol", "gpt-6-astra", "gpt-6-luna", "gpt-6.1-sol", "gpt-6.2-sol"])(
    "%s: refuses function tools while it reasons, with the vendor's message",
    async (model) => {
      const refusal = `400 | reasoning_effort |  | Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`;

      expect(await chatRefusal(ask("hi", { model, ...TOOLS }))).toBe(refusal);
      expect(await chatRefusal(ask("hi", { model, ...TOOLS, reasoning_effort: "low" }))).toBe(
        refusal,
      );
    },
  );

  test("tools are accepted at effort none by the models that have it", async () => {
    for (const model of ["gpt-5.4", "gpt-5.6-luna", "gpt-6-sol", "gpt-6.1-terra"]) {
      const body = ask("hi", { model, ...TOOLS, reasoning_effort: "none" });
      expect((await post(sandbox, body)).status).toBe(200);
    }
  });

  test.each<[string, JsonObject, string]>([
    ["gpt-6-astra", { reasoning_effort: "none" }, "reasoning_effort | unsupported_value"],
    ["gpt-6.1-sol", { reasoning_effort: "none" }, "reasoning_effort | unsupported_value"],
    ["gpt-6.1-sol", { reasoning_effort: "max" }, "reasoning_effort | unsupported_value"],
    ["gpt-5.6-sol", { reasoning_effort: "max" }, "reasoning_effort | unsupported_value"],
    ["gpt-6-sol", { reasoning_effort: "minimal" }, "reasoning_effort | unsupported_value"],
    ["gpt-6-luna", { max_tokens: 50 }, "max_tokens | unsupported_parameter"],
    ["gpt-6-luna", { temperature: 0.5 }, "temperature | unsupported_value"],
    ["gpt-6-luna", { top_p: 0.5 }, "top_p | unsupported_value"],
    ["gpt-6-luna", { logprobs: true }, "logprobs | unsupported_parameter"],
    ["gpt-6-luna", { stop: ["x"] }, "stop | unsupported_parameter"],
    ["gpt-6-sol", { web_search_options: {} }, "web_search_options | unsupported_parameter"],
    ["gpt-6-sol", { max_completion_tokens: 128_001 }, "max_completion_tokens | invalid_value"],
  ])("%s refuses %j", async (model, extra, refusal) => {
    expect(await chatRefusal(ask("hi", { model, ...extra }))).toStartWith(`400 | ${refusal} |`);
  });

  test("without reasoning they accept sampling options like the others", async () => {
    const body = ask("hi", { model: "gpt-6-sol", reasoning_effort: "none", temperature: 0.5 });
    expect((await post(sandbox, body)).status).toBe(200);
  });
});

describe("responses of the newest models", () => {
  test("accept tools, a search and every effort of the model", async () => {
    for (const effort of ["low", "xhigh", "max"]) {
      const body = prompt("Weather in Paris", {
        model: "gpt-6.1-sol",
        tools: [WEATHER_TOOL, { type: "web_search" }],
        reasoning: { effort },
      });
      const response = await respond(sandbox, body);
      expect(itemsOf(response, "function_call")).toHaveLength(1);
    }
  });

  test.each<[string, JsonObject, string]>([
    ["gpt-6-astra", { reasoning: { effort: "none" } }, "reasoning.effort | unsupported_value"],
    ["gpt-6-sol", { reasoning: { effort: "minimal" } }, "reasoning.effort | unsupported_value"],
    ["gpt-6-sol", { temperature: 0.5 }, "temperature | unsupported_parameter"],
  ])("%s refuses %j", async (model, extra, refusal) => {
    expect(
      await refusalOf(await send(sandbox, "", { body: prompt("hi", { model, ...extra }) })),
    ).toStartWith(`400 | ${refusal} |`);
  });

  test("return encrypted reasoning by default, complete only in the finished item", async () => {
    const events = await eventsOf(sandbox, prompt("Say hi", { model: "gpt-6-sol" }));
    const sealed = (type: string) =>
      events
        .filter((event) => event["type"] === `response.output_item.${type}`)
        .map((event) => textAt(event, "item", "encrypted_content"))
        .filter((each) => each !== "");
    const [opened = ""] = sealed("added");
    const [done = ""] = sealed("done");
    const asked = (encrypted_content: string) =>
      send(sandbox, "", {
        body: prompt(
          [
            { role: "user", content: "hi" },
            { type: "reasoning", summary: [], encrypted_content },
            { role: "assistant", content: "hi" },
            { role: "user", content: "again" },
          ],
          { model: "gpt-6-sol" },
        ),
      });

    expect((await asked(done)).status).toBe(200);
    expect(await refusalOf(await asked(opened))).toContain("invalid_encrypted_content");
  });

  test("accept the items and tools of autumn 2026", async () => {
    const input = [
      { role: "user", content: "hi" },
      { type: "configuration_update", reasoning: { effort: "low" } },
      { type: "program", id: "prog_1", code: "1" },
      { type: "program_output", id: "po_1", output: "1" },
      { role: "user", content: "again" },
    ];
    const tools = [{ type: "programmatic_tool_calling" }, { ...WEATHER_TOOL, async: true }];
    const body = prompt(input, { model: "gpt-6-sol", tools });

    expect((await send(sandbox, "", { body })).status).toBe(200);
  });
});

describe("the prompt cache", () => {
  const LONG = "word ".repeat(2_000);
  const marked = (mark: JsonObject, text = LONG): JsonObject => ({
    role: "user",
    content: [{ type: "input_text", text, prompt_cache_breakpoint: mark }],
  });
  const details = (response: JsonObject) => asObject(at(response, "usage", "input_tokens_details"));

  test("is written at the end by default, and read the next time", async () => {
    const body = prompt(`first ${LONG}`, { model: "gpt-6-sol" });
    const [first, second] = [await respond(sandbox, body), await respond(sandbox, body)];

    expect(details(first)).toMatchObject({ cached_tokens: 0 });
    expect(at(first, "usage", "input_tokens_details", "cache_write_tokens")).toBeGreaterThan(1_900);
    expect(details(second)).toMatchObject({ cache_write_tokens: 0 });
    expect(at(second, "usage", "input_tokens_details", "cached_tokens")).toBeGreaterThan(1_900);
  });

  test("is written only at breakpoints in that mode, for their lifetime", async () => {
    const rest = { role: "user", content: LONG };
    const written = async (mark: JsonObject, text: string) =>
      asObject(
        at(
          details(
            await respond(
              sandbox,
              prompt([marked(mark, text), rest], {
                model: "gpt-6-sol",
                prompt_cache_options: { mode: "explicit" },
              }),
            ),
          ),
          "cache_write_tokens_details",
        ),
      );

    expect(await written({ mode: "explicit", ttl: "12h" }, `a ${LONG}`)).toEqual({
      ttl_30m_tokens: 0,
      ttl_12h_tokens: 1_920,
    });
    expect(await written({ mode: "explicit" }, `b ${LONG}`)).toEqual({
      ttl_30m_tokens: 1_920,
      ttl_12h_tokens: 0,
    });
  });

  test("of chat completions counts writes, too", async () => {
    const part = { type: "text", text: `c ${LONG}`, prompt_cache_breakpoint: { mode: "explicit" } };
    const answer = await answerTo(sandbox, {
      model: "gpt-6-luna",
      messages: [{ role: "user", content: [part] }],
    });

    expect(at(answer, "usage", "prompt_tokens_details", "cache_write_tokens")).toBe(1_920);
  });

  test("is refused for older models and invalid values", async () => {
    const codes = async (body: JsonObject) =>
      (await refusalOf(await send(sandbox, "", { body }))).split(" | ").slice(0, 2).join(" ");
    const model = "gpt-6-sol";

    expect(await codes(prompt([marked({ mode: "explicit" })], { model: "gpt-5.4" }))).toBe(
      "400 prompt_cache_breakpoint",
    );
    expect(await codes(prompt([marked({ mode: "implicit" })], { model }))).toBe(
      "400 input[0].content[0].prompt_cache_breakpoint.mode",
    );
    expect(await codes(prompt([marked({ mode: "explicit", ttl: "1h" })], { model }))).toBe(
      "400 input[0].content[0].prompt_cache_breakpoint.ttl",
    );
    expect(await codes(prompt("hi", { model, prompt_cache_options: { ttl: "1h" } }))).toBe(
      "400 prompt_cache_options.ttl",
    );
  });
});
