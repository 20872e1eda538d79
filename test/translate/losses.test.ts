import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { listOf, memberOf } from "#lib/values.ts";
import { said } from "#test/adapter/answer.ts";
import { json, stream } from "#test/adapter/vendor.ts";
import { CALLERS, openLosses, type Losses } from "./losses.ts";

let losses: Losses;
beforeAll(async () => {
  losses = await openLosses();
});
afterAll(async () => {
  await losses[Symbol.asyncDispose]();
});

type Caller = keyof typeof CALLERS;

function asked(caller: Caller, model: string, body: JsonObject): readonly [string, JsonObject] {
  return CALLERS[caller](model, body);
}

function ask(caller: Caller, model: string, body: JsonObject) {
  return losses.ask(...asked(caller, model, body));
}

/** The caller is told these names, and a strict caller is refused before the vendor is asked. */
async function expectLost(caller: Caller, model: string, body: JsonObject, lost: string[]) {
  const told = await ask(caller, model, body);
  expect([told.status, told.lost]).toEqual([200, lost]);
  const strict = await losses.askStrictly(...asked(caller, model, body));
  expect(strict).toEqual({ status: 400, isAsked: false });
  return told.sent;
}

/** Nothing is reported, and a strict caller is served. */
async function expectKept(caller: Caller, model: string, body: JsonObject) {
  const told = await ask(caller, model, body);
  expect([told.status, told.lost]).toEqual([200, []]);
  const strict = await losses.askStrictly(...asked(caller, model, body));
  expect(strict).toEqual({ status: 200, isAsked: true });
  return told.sent;
}

const user = (content: string | readonly JsonObject[]): JsonObject => ({ role: "user", content });

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PARAMETERS = { type: "object", properties: { n: { type: "integer" } } };
const FLAT_TOOL = { type: "function", name: "f", parameters: PARAMETERS, strict: false };

describe("items of the responses style", () => {
  test.each(["gpt-4o-mini", "claude-sonnet-4-5", "gemini-2.5-flash", "command-a"])(
    "tools that an item adds reach %s, with any role of the item",
    async (model) => {
      for (const role of ["developer", "critic"]) {
        const added = { type: "additional_tools", role, tools: [FLAT_TOOL] };
        const sent = await expectKept("responses", model, { input: [user("a"), added, user("b")] });

        expect(JSON.stringify(sent.body["tools"])).toContain('"name":"f"');
      }
    },
  );

  test.each(["gpt-4o-mini", "claude-sonnet-4-5", "gemini-2.5-flash", "command-a"])(
    "an item of an unknown type is reported on %s, with any role",
    async (model) => {
      const items = ["user", "critic"].map((role) => ({ type: "gossip", role, content: "x" }));

      await expectLost("responses", model, { input: [user("a"), ...items, user("b")] }, [
        "input[1]",
        "input[2]",
      ]);
    },
  );

  test.each(["gpt-4o-mini", "claude-sonnet-4-5", "gemini-2.5-flash", "command-a"])(
    "a message with an unknown role is refused on %s, by its position",
    async (model) => {
      const input = [user("a"), { role: "critic", content: "x" }, user("b")];
      const answer = await losses.gateway.post("/v1/responses", { model, input });

      expect([answer.status, await answer.text()]).toEqual([
        400,
        expect.stringContaining("'input[1].role'"),
      ]);
    },
  );
});

const TOOL = { type: "function", function: { name: "f", parameters: PARAMETERS } };
const CALL = { id: "call_1", type: "function", function: { name: "f", arguments: "{}" } };
const RESULT = { role: "tool", tool_call_id: "call_1", content: "1" };

describe("Cohere", () => {
  test.each([
    ["text beside calls", { content: "I will look it up." }],
    ["its own tool_plan", { content: null, tool_plan: "I will look it up." }],
  ])("gets %s as the plan", async (_, members) => {
    const spoken = { role: "assistant", ...members, tool_calls: [CALL] };
    const body = { messages: [user("a"), spoken, RESULT], tools: [TOOL] };
    const sent = await expectKept("chat", "command-a", body);

    expect(listOf(sent.body["messages"])[1]).toMatchObject({
      tool_plan: "I will look it up.",
      tool_calls: [{ id: "call_1" }],
    });
  });

  test.each([false, true])(
    "has its plan returned beside the calls (stream %p)",
    async (isStreamed) => {
      const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
      const events = [
        { type: "message-start", id: "m", delta: { message: { role: "assistant", content: [] } } },
        { type: "tool-plan-delta", delta: { message: { tool_plan: "I will " } } },
        { type: "tool-plan-delta", delta: { message: { tool_plan: "look." } } },
        { type: "tool-call-start", index: 0, delta: { message: { tool_calls: call } } },
        { type: "tool-call-end", index: 0 },
        {
          type: "message-end",
          delta: {
            finish_reason: "TOOL_CALL",
            usage: { tokens: { input_tokens: 1, output_tokens: 1 } },
          },
        },
      ];
      losses.play(() => stream(events.map((event) => `data: ${JSON.stringify(event)}\n\n`)));
      const answer = await losses.gateway.post("/v1/chat/completions", {
        model: "command-a",
        messages: [user("a")],
        tools: [TOOL],
        stream: isStreamed,
      });
      const answered = await said(answer);
      losses.play();

      expect(answered).toMatchObject({
        text: "I will look.",
        calls: [{ name: "f", arguments: {} }],
        finish: "tool_calls",
      });
    },
  );

  test("gets the images of a tool result, and not their base64 as text", async () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } };
    const result = { type: "tool_result", tool_use_id: "call_1" };
    for (const [content, text] of [
      [[{ type: "text", text: "A dot." }, image], "A dot."],
      [[image], "The result is shown in the next message."],
    ] as const) {
      const call = { type: "tool_use", id: "call_1", name: "f", input: {} };
      const sent = await expectKept("messages", "command-a", {
        messages: [
          user("a"),
          { role: "assistant", content: [call] },
          user([{ ...result, content }]),
        ],
        tools: [{ name: "f", input_schema: PARAMETERS }],
      });

      expect(listOf(sent.body["messages"]).slice(2)).toEqual([
        { role: "tool", tool_call_id: "call_1", content: text },
        {
          role: "user",
          content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } }],
        },
      ]);
    }
  });

  test("gets the text of a text file, and no file that it cannot read", async () => {
    const asked = (type: string, name: string): JsonObject => {
      const file = { filename: name, file_data: `data:${type};base64,aGVsbG8=` };
      return {
        messages: [
          user([
            { type: "text", text: "x" },
            { type: "file", file },
          ]),
        ],
      };
    };
    const sent = await expectKept("chat", "command-a", asked("text/plain", "a.txt"));
    const refused = await losses.gateway.post("/v1/chat/completions", {
      model: "command-a",
      ...asked("application/pdf", "a.pdf"),
    });

    expect(sent.body["documents"]).toEqual([{ data: { text: "hello", title: "a.txt" } }]);
    expect([refused.status, await refused.text()]).toEqual([400, expect.any(String)]);
  });

  test("gets the detail option of an image", async () => {
    const url = `data:image/png;base64,${PNG}`;
    const image = { type: "image_url", image_url: { url, detail: "high" } };
    const sent = await expectKept("chat", "command-a", { messages: [user([image])] });

    const [part] = listOf(memberOf(listOf(sent.body["messages"])[0], "content"));
    expect(part).toEqual(image);
  });

  test("loses earlier reasoning, with a report", async () => {
    const thought = { role: "assistant", content: "b", reasoning_content: "because" };

    await expectLost("chat", "command-a", { messages: [user("a"), thought, user("c")] }, [
      "reasoning",
    ]);
  });
});

describe("the web search option", () => {
  const asked = { messages: [user("a")], web_search_options: { search_context_size: "high" } };

  test.each(["gpt-4o", "claude-sonnet-4-5", "gemini-2.5-flash"])("reaches %s", async (model) => {
    const { sent, lost } = await ask("chat", model, asked);

    expect(JSON.stringify(sent.body["tools"])).toMatch(/"web_search|"googleSearch"/);
    expect(lost).toEqual(model.startsWith("gemini") ? ["web_search.context_size"] : []);
  });

  test("is a switch at a vendor with one", async () => {
    const sent = await expectLost("chat", "qwen-plus", asked, ["web_search.search_context_size"]);

    expect(sent.body).toMatchObject({ enable_search: true });
    expect(sent.body).not.toHaveProperty("web_search_options");
  });

  test.each(["llama-3.3-70b-versatile", "mistral-large-latest", "deepseek-v4-pro", "command-a"])(
    "is reported on %s, whose vendor has no search",
    async (model) => {
      const sent = await expectLost("chat", model, asked, ["web_search_options"]);

      expect(sent.body).not.toHaveProperty("web_search_options");
    },
  );
});

describe("members of messages", () => {
  const named = { messages: [{ role: "user", name: "ann", content: "a" }] };

  test.each(["gpt-4o-mini", "llama-3.3-70b-versatile"])("a name reaches %s", async (model) => {
    const sent = await expectKept("chat", model, named);

    expect(sent.body["messages"]).toEqual(named.messages);
  });

  test.each(["gpt-4o", "claude-sonnet-4-5", "gemini-2.5-flash", "command-a"])(
    "a name is reported on %s",
    async (model) => {
      await expectLost("chat", model, named, ["messages.name"]);
    },
  );

  const thought = { role: "assistant", content: "b", reasoning_content: "because" };
  const reasoned = { messages: [user("a"), thought, user("c")] };

  test.each(["gpt-4o-mini", "deepseek-v4-pro"])("reasoning reaches %s", async (model) => {
    const sent = await expectKept("chat", model, reasoned);

    expect(sent.body["messages"]).toEqual(reasoned.messages);
  });

  test.each([
    "gpt-4o",
    "claude-sonnet-4-5",
    "gemini-2.5-flash",
    "mistral-large-latest",
    "llama-3.3-70b-versatile",
  ])("reasoning is reported on %s", async (model) => {
    const sent = await expectLost("chat", model, reasoned, ["reasoning"]);

    expect(sent.text).not.toContain("because");
  });

  test("empty members that a vendor refuses are omitted without a report", async () => {
    const empty = { refusal: null, annotations: [], audio: null, reasoning_content: "" };
    const messages = [user("a"), { role: "assistant", content: "b", ...empty }, user("c")];
    const sent = await expectKept("chat", "mistral-large-latest", { messages });

    expect(listOf(sent.body["messages"])[1]).toEqual({ role: "assistant", content: "b" });
  });
});

describe("the detail option of an image", () => {
  const url = `data:image/png;base64,${PNG}`;
  const shown = (detail: string): JsonObject => ({
    messages: [user([{ type: "image_url", image_url: { url, detail } }])],
  });

  test("reaches vendors that support it", async () => {
    const sent = await expectKept("chat", "gpt-4o", shown("low"));

    expect(sent.text).toContain('"detail":"low"');
  });

  test.each(["claude-sonnet-4-5", "gemini-2.5-flash"])("is reported on %s", async (model) => {
    await expectLost("chat", model, shown("low"), ["messages.detail"]);
    const image = { type: "input_image", image_url: url, detail: "high" };
    await expectLost("responses", model, { input: [user([image])] }, [
      "input[0].content[0].detail",
    ]);
  });

  test.each(["claude-sonnet-4-5", "gemini-2.5-flash", "command-a"])(
    "is not reported on %s if it is auto, the default of all vendors",
    async (model) => {
      await expectKept("chat", model, shown("auto"));
    },
  );
});

const DOCUMENT = {
  type: "document",
  source: { type: "text", media_type: "text/plain", data: "d" },
};

describe("citations of documents", () => {
  const others = ["gpt-4o-mini", "gpt-4o", "gemini-2.5-flash", "command-a"];
  const searched = {
    type: "search_result",
    source: "https://example.com",
    title: "t",
    content: [{ type: "text", text: "d" }],
    citations: { enabled: true },
  };

  test.each(others)("in a request are reported on %s", async (model) => {
    const wanted = { ...DOCUMENT, citations: { enabled: true } };
    const call = { type: "tool_use", id: "c", name: "f", input: {} };
    const result = { type: "tool_result", tool_use_id: "c", content: [searched] };
    for (const messages of [
      [user([wanted])],
      [user([searched])],
      [user("a"), { role: "assistant", content: [call] }, user([result])],
    ]) {
      await expectLost("messages", model, { messages }, ["messages.content.citations"]);
    }
  });

  test("reach vendors of the style unchanged", async () => {
    const messages = [user([{ ...DOCUMENT, citations: { enabled: true } }])];
    const sent = await expectKept("messages", "claude-sonnet-4-5", { messages });

    expect(sent.body["messages"]).toEqual(messages);
  });

  test.each(others)("that were not requested are not reported on %s", async (model) => {
    const messages = [user([{ ...DOCUMENT, citations: { enabled: false } }])];

    await expectKept("messages", model, { messages });
  });
});

describe("an assistant prefix", () => {
  const messages = [user("a"), { role: "assistant", content: "{" }];

  test.each(["mistral-large-latest", "deepseek-v4-pro"])(
    "is marked as one for %s",
    async (model) => {
      const sent = await expectKept("messages", model, { messages });

      expect(listOf(sent.body["messages"]).at(-1)).toMatchObject({ content: "{", prefix: true });
    },
  );

  test.each(["claude-sonnet-4-5", "gemini-2.5-flash"])("is continued by %s", async (model) => {
    await expectKept("messages", model, { messages });
  });

  test.each(["gpt-4o-mini", "gpt-4o", "llama-3.3-70b-versatile", "command-a"])(
    "is reported on %s, which treats it as a normal turn",
    async (model) => {
      const contents = [
        { role: "user", parts: [{ text: "a" }] },
        { role: "model", parts: [{ text: "{" }] },
      ];

      await expectLost("messages", model, { messages }, ["messages.prefill"]);
      await expectLost("gemini", model, { contents }, ["contents.prefill"]);
    },
  );

  test("is reported on a Claude that refuses it", async () => {
    await expectLost("messages", "claude-opus-4-6", { messages }, ["messages.prefill"]);
    await expectLost("chat", "claude-opus-4-6", { messages }, ["messages.prefill"]);
  });

  test("is not one in styles whose vendors treat it as a turn: nothing is reported", async () => {
    await expectKept("chat", "gpt-4o", { messages });
    await expectKept("responses", "gpt-4o-mini", { input: messages });
  });
});

describe("a reasoning budget", () => {
  const native = (thinkingBudget: number): JsonObject => ({
    contents: [{ role: "user", parts: [{ text: "a" }] }],
    generationConfig: { thinkingConfig: { thinkingBudget } },
  });
  const own = (budget: number): JsonObject => ({
    messages: [user("a")],
    max_tokens: 50_000,
    thinking: { type: "enabled", budget_tokens: budget },
  });

  test("reaches vendors that support it", async () => {
    const claude = await expectKept("gemini", "claude-sonnet-4-5", native(2_000));
    const gemini = await expectKept("messages", "gemini-2.5-flash", own(2_000));

    expect(claude.text).toContain('"budget_tokens":2000');
    expect(gemini.text).toContain('"thinkingBudget":2000');
  });

  test("is reported if it is below or above the model's range", async () => {
    const claude = await expectLost("gemini", "claude-sonnet-4-5", native(100), [
      "reasoning.budget_tokens",
    ]);
    const gemini = await expectLost("messages", "gemini-2.5-flash", own(40_000), [
      "reasoning.budget_tokens",
    ]);
    const passed = await expectLost("gemini", "gemini-2.5-flash", native(40_000), [
      "generationConfig.thinkingConfig.thinkingBudget",
    ]);

    expect(claude.text).toContain('"budget_tokens":1024');
    for (const { text } of [gemini, passed]) expect(text).toContain('"thinkingBudget":24576');
  });

  test.each(["gpt-5", "gemini-3-pro-preview", "deepseek-v4-pro"])(
    "is reported on %s, which has effort levels",
    async (model) => {
      await expectLost("messages", model, own(2_000), ["reasoning.budget_tokens"]);
    },
  );
});

describe("schema constraints", () => {
  const schema = (bounds: JsonObject): JsonObject => ({
    type: "object",
    properties: { minimum: { type: "integer", ...bounds } },
    required: ["minimum"],
    additionalProperties: false,
  });
  const format = (bounds: JsonObject): JsonObject => ({
    messages: [user("a")],
    response_format: { type: "json_schema", json_schema: { name: "r", schema: schema(bounds) } },
  });
  const tool = (bounds: JsonObject): JsonObject => ({
    messages: [user("a")],
    tools: [
      { type: "function", function: { name: "f", strict: true, parameters: schema(bounds) } },
    ],
  });
  const BOUNDS = { minimum: 1, maximum: 5 };

  test("that become an instruction for Claude are reported", async () => {
    const answer = await expectLost("chat", "claude-sonnet-4-5", format(BOUNDS), [
      "response_format",
    ]);
    const called = await expectLost("chat", "claude-sonnet-4-5", tool(BOUNDS), ["tools.strict"]);

    for (const { text } of [answer, called]) expect(text).toContain("{minimum: 1, maximum: 5}");
  });

  test("reach vendors that support them", async () => {
    for (const model of ["gpt-4o", "gemini-2.5-flash"]) {
      const sent = await expectKept("chat", model, format(BOUNDS));

      expect(sent.text).toContain('"minimum":1,"maximum":5');
    }
  });

  test("are not searched in the names of members", async () => {
    await expectKept("chat", "claude-sonnet-4-5", format({}));
    await expectKept("chat", "claude-sonnet-4-5", tool({}));
  });
});

describe("empty turns", () => {
  const messages = [user(""), { role: "assistant", content: "a" }, user("b")];

  test("are omitted without a report", async () => {
    const silent = [user("a"), { role: "assistant", content: "" }, user("b")];
    for (const model of ["claude-sonnet-4-5", "gemini-2.5-flash", "command-a"]) {
      await expectKept("chat", model, { messages: silent });
    }
  });

  test("are reported if other text replaces them", async () => {
    const sent = await expectLost("chat", "claude-sonnet-4-5", { messages }, ["messages.content"]);
    await expectLost("responses", "claude-sonnet-4-5", { input: messages }, ["input[0].content"]);

    expect(listOf(sent.body["messages"])[0]).toEqual(user("..."));
  });
});

describe("reasoning items with a summary and no signature", () => {
  const thought = { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "s" }] };
  const call = { type: "function_call", call_id: "call_1", name: "f", arguments: "{}" };
  const result = { type: "function_call_output", call_id: "call_1", output: "1" };
  const input = [user("a"), thought, call, result];

  test("reach vendors that accept reasoning as text", async () => {
    const sent = await expectKept("responses", "deepseek-v4-pro", { input, tools: [FLAT_TOOL] });

    expect(listOf(sent.body["messages"])[1]).toMatchObject({ reasoning_content: "s" });
  });

  test.each([
    "gpt-5",
    "gpt-4o",
    "gpt-4o-mini",
    "claude-sonnet-4-5",
    "gemini-2.5-flash",
    "command-a",
  ])("are reported on %s", async (model) => {
    await expectLost("responses", model, { input, tools: [FLAT_TOOL] }, ["reasoning"]);
  });
});

describe("lost reasoning signatures, as after a restart", () => {
  const messages = [user("a"), { role: "assistant", content: null, tool_calls: [CALL] }, RESULT];
  const body = { messages, tools: [TOOL] };

  test.each(["gemini-3-pro-preview", "gpt-5"])("are reported on %s", async (model) => {
    await expectLost("chat", model, body, ["reasoning"]);
  });

  test.each(["gemini-3-pro-preview", "gpt-5"])(
    "are not reported on %s before the last user turn, where vendors need none",
    async (model) => {
      const ended = [...messages, { role: "assistant", content: "b" }, user("c")];

      await expectKept("chat", model, { ...body, messages: ended });
    },
  );

  test.each(["gemini-2.5-flash", "gpt-4o"])(
    "are not reported on %s, which has none",
    async (model) => {
      await expectKept("chat", model, body);
    },
  );
});

describe("a tool choice", () => {
  const validated = (allowedFunctionNames?: readonly string[]): JsonObject => ({
    contents: [{ role: "user", parts: [{ text: "a" }] }],
    tools: [{ functionDeclarations: [{ name: "f", parametersJsonSchema: PARAMETERS }] }],
    toolConfig: {
      functionCallingConfig: {
        mode: "VALIDATED",
        ...(allowedFunctionNames === undefined ? {} : { allowedFunctionNames }),
      },
    },
  });
  const others = ["gpt-4o-mini", "gpt-4o", "claude-sonnet-4-5", "command-a"];

  test.each(others)("VALIDATED is reported on %s", async (model) => {
    for (const names of [undefined, ["f"]]) {
      await expectLost("gemini", model, validated(names), [
        "toolConfig.functionCallingConfig.mode",
      ]);
    }
  });

  test("VALIDATED reaches Gemini", async () => {
    const sent = await expectKept("gemini", "gemini-2.5-flash", validated());

    expect(sent.body["toolConfig"]).toEqual({ functionCallingConfig: { mode: "VALIDATED" } });
  });

  test.each([...others, "gemini-2.5-flash", "mistral-large-latest"])(
    "that forces a call is reported on %s if there is no tool",
    async (model) => {
      const messages = [user("a")];
      await expectLost("chat", model, { messages, tool_choice: "required" }, ["tool_choice"]);
      if (!model.startsWith("claude")) {
        const choice = { type: "tool", name: "f" };
        await expectLost("messages", model, { messages, tool_choice: choice }, ["tool_choice"]);
      }
    },
  );

  test.each([...others, "gemini-2.5-flash", "mistral-large-latest"])(
    "with a default value is not reported on %s",
    async (model) => {
      for (const choice of ["auto", "none"]) {
        await expectKept("chat", model, { messages: [user("a")], tool_choice: choice });
      }
    },
  );
});

describe("calls without results, and results without calls", () => {
  const spoken = { role: "assistant", content: null, tool_calls: [CALL] };
  const interrupted = { messages: [user("a"), spoken, user("b")], tools: [TOOL] };
  const stray = {
    messages: [user("a"), { ...RESULT, tool_call_id: "other" }, user("b")],
    tools: [TOOL],
  };
  const MODELS = ["gpt-4o", "claude-sonnet-4-5", "gemini-2.5-flash", "command-a"];

  test.each(MODELS)("are reported on %s, which gets other text", async (model) => {
    await expectLost("chat", model, interrupted, ["messages.tool_calls"]);
    await expectLost("chat", model, stray, ["messages.tool_call_id"]);
  });

  test.each(["gpt-4o-mini", "mistral-large-latest"])("are reported on %s", async (model) => {
    const input = [
      user("a"),
      { type: "function_call", call_id: "call_1", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "other", output: "1" },
      user("b"),
    ];

    await expectLost("responses", model, { input, tools: [FLAT_TOOL] }, [
      "input.tool_calls",
      "input.tool_call_id",
    ]);
  });

  test.each(MODELS)("are not reported on %s if they belong together", async (model) => {
    await expectKept("chat", model, { messages: [user("a"), spoken, RESULT], tools: [TOOL] });
  });
});

describe("an answer whose vendor does not say why it ended", () => {
  const ofChat = (message: JsonObject, end: JsonObject): JsonObject => ({
    choices: [{ index: 0, message: { role: "assistant", ...message }, ...end }],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  });
  const content = [{ type: "text", text: "Hi." }];
  const ofMessages = { type: "message", role: "assistant", model: "m", content };
  const output = [
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi." }] },
  ];
  const QUESTIONS = {
    messages: { messages: [user("a")] },
    gemini: { contents: [{ role: "user", parts: [{ text: "a" }] }] },
    responses: { input: "a" },
  };

  async function answerTo(answer: JsonObject, caller: Caller, model: string, body: JsonObject) {
    losses.play(() => json(answer));
    try {
      return await ask(caller, model, body);
    } finally {
      losses.play();
    }
  }

  test.each<[string, keyof typeof QUESTIONS, JsonObject, string]>([
    ["empty", "messages", { finish_reason: "" }, '"stop_reason":"end_turn"'],
    ["null", "messages", { finish_reason: null }, '"stop_reason":"end_turn"'],
    ["absent", "gemini", {}, '"finishReason":"OTHER"'],
    ["absent", "responses", {}, '"status":"completed"'],
  ])("ends normally, and the reason is reported (%s, to %s)", async (_, caller, end, told) => {
    const answer = ofChat({ content: "Hi." }, end);
    const answered = await answerTo(answer, caller, "gpt-4o-mini", QUESTIONS[caller]);

    expect([answered.status, answered.lost]).toEqual([200, ["finish_reason"]]);
    expect(answered.text).toContain("Hi.");
    expect(answered.text).toContain(told);
  });

  test("calls its tools, and the reason is reported", async () => {
    const call = { id: "call_1", type: "function", function: { name: "f", arguments: "{}" } };
    const tools = [{ name: "f", input_schema: PARAMETERS }];
    const answer = ofChat({ content: "", tool_calls: [call] }, { finish_reason: "" });
    const asking = { ...QUESTIONS.messages, tools };
    const answered = await answerTo(answer, "messages", "gpt-4o-mini", asking);

    expect(answered.lost).toEqual(["finish_reason"]);
    expect(answered.text).toContain('"stop_reason":"tool_use"');
  });

  test.each<[string, JsonObject, string]>([
    ["messages", ofMessages, "claude-sonnet-4-5"],
    ["responses", { model: "m", output }, "gpt-4o"],
  ])("is reported if its style is %s", async (_, answer, model) => {
    const answered = await answerTo(answer, "chat", model, QUESTIONS.messages);

    expect([answered.status, answered.lost]).toEqual([200, ["finish_reason"]]);
    expect(answered.text).toContain('"finish_reason":"stop"');
  });

  test("is not reported to clients of the vendor's style, who see it", async () => {
    const answered = await answerTo(
      ofMessages,
      "messages",
      "claude-sonnet-4-5",
      QUESTIONS.messages,
    );

    expect([answered.status, answered.lost]).toEqual([200, []]);
  });
});

describe("the quality of an image", () => {
  const asked = (quality: string): JsonObject => ({ model: "dall-e-2", prompt: "a dot", quality });

  test("is reported on a model that has only one", async () => {
    const told = await losses.ask("/v1/images/generations", asked("hd"));
    const strict = await losses.askStrictly("/v1/images/generations", asked("hd"));

    expect([told.status, told.lost, told.sent.body["quality"]]).toEqual([
      200,
      ["quality"],
      undefined,
    ]);
    expect(strict).toEqual({ status: 400, isAsked: false });
  });

  test.each(["standard", "auto"])(
    "is not reported if it is %s, the model's only one",
    async (quality) => {
      const told = await losses.ask("/v1/images/generations", asked(quality));

      expect([told.status, told.lost]).toEqual([200, []]);
    },
  );
});
