import { afterAll, beforeAll, expect, test } from "bun:test";
import { isJsonObject, parseJson, type Json, type JsonObject } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { asObject, at, textAt } from "./testing/chat.ts";
import { blocksOf, FORECAST, messageTo, postMessages, say } from "./testing/messages.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(() => sandbox.stop());

const OPUS = "claude-opus-5-5";
const thinking = { type: "adaptive", display: "summarized" };
const CONTROLS = { "anthropic-beta": "thinking-binding-controls-2026-08-01" };
const BOUND =
  'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".';

async function refusal(body: JsonObject, headers: Record<string, string> = {}): Promise<string> {
  const response = await postMessages(sandbox, body, headers);
  const text = textAt(asObject(parseJson(await response.text())), "error", "message");
  return `${response.status} ${text}`.trim();
}

/** A conversation that called a tool, to be changed and sent back. */
async function conversation(model = OPUS, extra: JsonObject = {}) {
  const base = say("Weather in Oslo?", { model, thinking, tools: [FORECAST], ...extra });
  const first = blocksOf(await messageTo(sandbox, base)).filter(isJsonObject);
  const call = first.find((block) => block["type"] === "tool_use");
  const result = { type: "tool_result", tool_use_id: call?.["id"] ?? "", content: "rain" };
  return (changes: JsonObject = {}): JsonObject => ({
    ...base,
    messages: [
      { role: "user", content: "Weather in Oslo?" },
      { role: "assistant", content: first },
      { role: "user", content: [result] },
    ],
    ...changes,
  });
}

test("reasoning continues if everything before it is unchanged", async () => {
  const goOn = await conversation();
  const cached = { ...FORECAST, cache_control: { type: "ephemeral" } };

  expect(await refusal(goOn())).toBe("200");
  expect(await refusal(goOn({ max_tokens: 100, tools: [cached] }))).toBe("200");
});

test("a changed system prompt, tool or earlier message invalidates the reasoning", async () => {
  const goOn = await conversation();
  const told = `400 ${BOUND} That setting requires the \`thinking-binding-controls-2026-08-01\` value in the \`anthropic-beta\` header.`;
  const [, ...later] = goOn()["messages"] as Json[];
  const edited = [{ role: "user", content: "Weather in Rome?" }, ...later];

  expect(await refusal(goOn({ system: "Be brief." }))).toBe(told);
  expect(await refusal(goOn({ tools: [{ ...FORECAST, description: "Other" }] }))).toBe(told);
  expect(await refusal(goOn({ messages: edited }))).toBe(told);
  expect(await refusal(goOn({ messages: edited }), CONTROLS)).toBe(`400 ${BOUND}`);
});

test("the reasoning is dropped instead if the request allows it, and the response reports that", async () => {
  const goOn = await conversation();
  const block_binding = { prefix_mismatch_behavior: "drop_block" };
  const body = goOn({ system: "Be brief.", thinking: { ...thinking, block_binding } });
  const answer = await messageTo(sandbox, body, CONTROLS);

  expect(at(answer, "input_transformations")).toEqual([
    {
      type: "thinking_dropped",
      path: "messages.1.content.0",
      reason: "prefix_binding_mismatch",
    },
  ]);
  const intact = await messageTo(sandbox, goOn(), CONTROLS);
  expect(at(intact, "input_transformations")).toEqual([]);
  expect(await refusal(body)).toBe(
    "400 thinking.adaptive.block_binding: Extra inputs are not permitted",
  );
});

test("models before 5.1 do not check the context of reasoning", async () => {
  const goOn = await conversation("claude-opus-4-8");

  expect(await refusal(goOn({ system: "Be brief." }))).toBe("200");
});

test("reasoning of a later model is silently omitted", async () => {
  const goOn = await conversation();
  const answer = await messageTo(sandbox, goOn({ model: "claude-sonnet-5-5" }), CONTROLS);

  expect(at(answer, "input_transformations", 0, "reason")).toBe("model_binding_mismatch");
});

test("reasoning of haiku 5.5 belongs to the account that made it", async () => {
  const goOn = await conversation("claude-haiku-5-5");
  const reasons = async (key: string) => {
    const answer = await messageTo(sandbox, goOn(), { ...CONTROLS, "x-api-key": key });
    return blocksOf({ content: answer["input_transformations"] ?? null }).map((each) =>
      textAt(each, "reason"),
    );
  };

  expect(await reasons("sk-test")).toEqual([]);
  expect(await reasons("sk-other")).toEqual(["organization_binding_mismatch"]);
});

const ALWAYS_THINKS = (type: string): string =>
  `400 "thinking.type.${type}" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`;

test.each([
  ["thinking that is off", { thinking: { type: "disabled" } }, ALWAYS_THINKS("disabled")],
  [
    "thinking that is measured out",
    { thinking: { type: "enabled", budget_tokens: 1_024 } },
    ALWAYS_THINKS("enabled"),
  ],
  [
    "thinking between tools",
    { thinking: { type: "between_tools" } },
    '400 "thinking.type.between_tools" is not supported for this model.',
  ],
  [
    "a forced tool",
    { tools: [FORECAST], tool_choice: { type: "any" } },
    "400 `tool_choice` that forces tool use is not supported for this model.",
  ],
  ["a temperature", { temperature: 0.2 }, "400 `temperature` is deprecated for this model."],
] as const)("opus 5.5 refuses %s", async (_, extra, expected) => {
  expect(await refusal(say("hi", { model: OPUS, ...extra }))).toBe(expected);
});

test("sonnet 5.5 thinks between tools, but not with the highest efforts", async () => {
  const ask = (effort: string) =>
    refusal(
      say("hi", {
        model: "claude-sonnet-5-5",
        thinking: { type: "between_tools" },
        output_config: { effort },
      }),
    );

  expect(await ask("high")).toBe("200");
  expect(await ask("max")).toStartWith("400 ");
});

const LATEST = { "anthropic-version": "2026-10-21" };

test("the newest version refuses sampling options on every model, even default values", async () => {
  for (const name of ["temperature", "top_p", "top_k"]) {
    const body = say("hi", { [name]: 1 });
    expect(await refusal(body)).toBe("200");
    expect(await refusal(body, LATEST)).toBe(`400 ${name}: Extra inputs are not permitted`);
  }
});

test("the newest version refuses assistant documents and user citations", async () => {
  const document = {
    type: "document",
    source: { type: "text", media_type: "text/plain", data: "x" },
  };
  const citation = {
    type: "char_location",
    cited_text: "x",
    document_index: 0,
    document_title: null,
    start_char_index: 0,
    end_char_index: 1,
  };
  const cited = { type: "text", text: "x", citations: [citation] };
  const talk = (role: string, block: JsonObject): JsonObject =>
    say("", {
      messages: [
        { role: "user", content: role === "user" ? [block] : "hi" },
        { role: "assistant", content: role === "user" ? "yes" : [block] },
        { role: "user", content: "and?" },
      ],
    });

  expect(await refusal(talk("assistant", document))).toBe("200");
  expect(await refusal(talk("assistant", document), LATEST)).toStartWith("400 messages.1.");
  expect(await refusal(talk("user", cited))).toBe("200");
  expect(await refusal(talk("user", cited), LATEST)).toBe(
    "400 messages.0.content.0.citations: Extra inputs are not permitted",
  );
  expect(await refusal(talk("assistant", cited), LATEST)).toBe("200");
});

test("members of beta features are refused without their beta, and accepted with it", async () => {
  const rows: readonly (readonly [string, JsonObject])[] = [
    ["server-side-fallback-2026-07-01", { fallbacks: "default" }],
    [
      "task-budgets-2026-03-13",
      { output_config: { task_budget: { type: "tokens", total: 5_000 } } },
    ],
    ["compact-2026-01-12", { context_management: { edits: [{ type: "compact_20260112" }] } }],
    ["thinking-display-updates-2026-08-18", { thinking: { type: "adaptive", display: "updates" } }],
    ["skills-2025-10-02", { container: { skills: [] } }],
    [
      "mid-conversation-output-config-2026-07-01",
      {
        messages: [
          { role: "user", content: "hi" },
          { role: "system", output_config: { effort: "low" } },
        ],
      },
    ],
  ];
  for (const [beta, extra] of rows) {
    const body = say("hi", { model: OPUS, ...extra });
    expect(`${beta} ${await refusal(body)}`).toStartWith(`${beta} 400`);
    expect(`${beta} ${await refusal(body, { "anthropic-beta": beta })}`).toBe(`${beta} 200`);
  }
});

test("a request for zero tokens only fills the cache", async () => {
  const answer = await messageTo(sandbox, say("hi", { max_tokens: 0 }));

  expect(answer).toMatchObject({ content: [], usage: { output_tokens: 0 } });
});
