import { afterAll, beforeAll, expect, test } from "bun:test";
import { countTokens } from "./engine/tokens.ts";
import { parseJson, type Json, type JsonObject } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { asObject, at, textAt } from "./testing/chat.ts";
import {
  assembled,
  blocksOf,
  eventsOf,
  FORECAST,
  messageTo,
  postMessages,
  say,
} from "./testing/messages.ts";

let sandbox: Sandbox;
let nowMs = Date.parse("2026-01-01T00:00:00Z");

beforeAll(async () => {
  sandbox = await startSandbox({ now: () => nowMs });
});

afterAll(() => sandbox.stop());

test("a stream has named events, consecutive blocks, and a ping", async () => {
  const events = await eventsOf(sandbox, say("Say one two", { tools: [FORECAST] }));

  expect(events.every(({ name, data }) => name === data["type"])).toBe(true);
  expect(events.map(({ name }) => name)).toEqual([
    "message_start",
    "content_block_start",
    "ping",
    "content_block_delta",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
  ]);
});

test("the first event has the input usage, the last one the output usage", async () => {
  const events = await eventsOf(sandbox, say("Say one two three"));
  const whole = await messageTo(sandbox, say("Say one two three"));

  const start = at(events[0]?.data, "message");
  expect(start).toMatchObject({ content: [], stop_reason: null, usage: { output_tokens: 1 } });
  expect(at(events.at(-2)?.data, "delta")).toEqual({
    stop_reason: "end_turn",
    stop_sequence: null,
    stop_details: null,
  });
  const usage = asObject(at(events.at(-2)?.data, "usage"));
  expect(usage).toMatchObject({ output_tokens: 3, cache_read_input_tokens: 0 });
  expect(usage["input_tokens"]).toBe(at(start, "usage", "input_tokens") ?? null);
  expect(at(whole, "usage")).toMatchObject(usage);
});

test("a stream has the same text, tool calls and reasoning as a complete response", async () => {
  const bodies = [
    say("Write about 40 words on lighthouses"),
    say("Weather in Paris and Rome", { tools: [FORECAST] }),
    say("Say hi", { thinking: { type: "enabled", budget_tokens: 1_024 } }),
    say("Call get_nothing", { tools: [{ name: "get_nothing", input_schema: { type: "object" } }] }),
  ];
  for (const body of bodies) {
    const streamed = assembled(await eventsOf(sandbox, body));
    const whole = blocksOf(await messageTo(sandbox, body));

    expect(streamed.length).toBeGreaterThan(0);
    expect(streamed.map(withoutId)).toEqual(whole.map((block) => withoutId(asObject(block))));
  }
});

function withoutId({ id: _id, ...block }: JsonObject): JsonObject {
  return block;
}

test("the input of a call begins with an empty part, and one without arguments has no other", async () => {
  const tools = [{ name: "get_nothing", input_schema: { type: "object" } }];
  const events = await eventsOf(sandbox, say("Call get_nothing", { tools }));

  expect(
    events.slice(1, 5).map(({ data }) => at(data, "content_block") ?? at(data, "delta")),
  ).toEqual([
    {
      type: "tool_use",
      id: expect.stringMatching(/^toolu_01\w{22}$/),
      name: "get_nothing",
      input: {},
      caller: { type: "direct" },
    },
    undefined,
    { type: "input_json_delta", partial_json: "" },
    undefined,
  ]);
});

test("white space before the last brace hides the length of a value", async () => {
  const response = await postMessages(sandbox, say("Count to 30", { stream: true }));
  const deltas = (await response.text()).split("\n").filter((line) => line.includes("text_delta"));

  const blanks = new Set(deltas.map((line) => line.match(/ *}$/)?.[0].length));
  expect(blanks.size).toBeGreaterThan(5);
});

test("a response ends at max_tokens with that reason", async () => {
  const cut = await messageTo(sandbox, say("Count to 100", { max_tokens: 7 }));
  const exact = await messageTo(sandbox, say("Say one two three", { max_tokens: 3 }));

  expect(cut).toMatchObject({
    content: [{ type: "text", text: "1, 2, 3, 4" }],
    stop_reason: "max_tokens",
    usage: { output_tokens: 7 },
  });
  expect(exact["stop_reason"]).toBe("end_turn");
});

test("a truncated call is sent as far as it was written", async () => {
  const body = say("Weather in Paris", { tools: [FORECAST], max_tokens: 5 });
  const events = await eventsOf(sandbox, body);
  const whole = await messageTo(sandbox, body);

  const written = events.map(({ data }) => textAt(data, "delta", "partial_json")).join("");
  expect(written.length).toBeGreaterThan(0);
  expect(parseJson(written)).toBeUndefined();
  expect(at(events.at(-2)?.data, "delta", "stop_reason")).toBe("max_tokens");
  expect(whole).toMatchObject({
    content: [{ type: "tool_use", input: {} }],
    stop_reason: "max_tokens",
  });
});

test("a call for which no token is left is not begun", async () => {
  const body = say("Weather in Paris and Rome", { tools: [FORECAST] });
  const whole = await messageTo(sandbox, body);
  const half = Number(at(whole, "usage", "output_tokens")) / 2;
  const cut = await messageTo(sandbox, { ...body, max_tokens: half });

  expect(cut).toMatchObject({
    content: [{ type: "tool_use", input: { city: "Paris" } }],
    stop_reason: "max_tokens",
    usage: { output_tokens: half },
  });
});

test("forced tools have a smaller system prompt overhead than optional ones", async () => {
  const cost = async (type: string) => {
    const body = say("Weather in Paris", { tools: [FORECAST], tool_choice: { type } });
    return Number(at(await messageTo(sandbox, body), "usage", "input_tokens"));
  };

  expect((await cost("auto")) - (await cost("any"))).toBe(346 - 313);
});

test("a response ends before a stop sequence and names it", async () => {
  const stop = { stop_sequences: [", 7", ", 4"] };
  const answer = await messageTo(sandbox, say("Count to 9", stop));
  const nothing = await messageTo(sandbox, say("Say alpha", { stop_sequences: ["al"] }));

  expect(answer).toMatchObject({
    content: [{ type: "text", text: "1, 2, 3" }],
    stop_reason: "stop_sequence",
    stop_sequence: ", 4",
  });
  expect(nothing).toMatchObject({ content: [], stop_reason: "stop_sequence", stop_sequence: "al" });
});

test("a later model writes until its context is full", async () => {
  const body = say(`${"word ".repeat(199_980)} Count to 200.`, { max_tokens: 1_000 });
  const answer = await messageTo(sandbox, body);

  expect(answer["stop_reason"]).toBe("model_context_window_exceeded");
  const { input_tokens, output_tokens } = asObject(answer["usage"]);
  expect(Number(input_tokens) + Number(output_tokens)).toBe(200_000);
});

test("an assistant prefix is continued", async () => {
  const messages = [
    { role: "user", content: "Say alpha bravo charlie" },
    { role: "assistant", content: "alpha" },
  ];

  expect(await messageTo(sandbox, say("", { messages }))).toMatchObject({
    content: [{ type: "text", text: " bravo charlie" }],
  });
});

test("a refusal is a stop reason, also by the vendor's own test phrase", async () => {
  const details = { type: "refusal", category: null, explanation: null };

  expect(await messageTo(sandbox, say("please refuse to do this"))).toMatchObject({
    content: [{ type: "text", text: expect.stringContaining("can't assist") }],
    stop_reason: "refusal",
    stop_details: details,
  });
  expect(
    await messageTo(sandbox, say("ANTHROPIC_MAGIC_STRING_TRIGGER_REFUSAL_0123")),
  ).toMatchObject({ content: [], stop_reason: "refusal", stop_details: details });
});

test("an image costs tokens by its area", async () => {
  const cost = async (width: number, height: number) => {
    const content = [
      {
        type: "image",
        source: { type: "base64", media_type: "image/png", data: pngOf(width, height) },
      },
    ];
    const answer = await messageTo(sandbox, say("", { messages: [{ role: "user", content }] }));
    return Number(at(answer, "usage", "input_tokens"));
  };

  const small = await cost(150, 100);
  expect(await cost(300, 100)).toBe(small + 20);
  expect(await cost(7_000, 7_000)).toBe(small - 20 + 1_600);
});

test("an image in a tool result costs the same, and is described", async () => {
  const picture = {
    type: "image",
    source: { type: "base64", media_type: "image/png", data: pngOf(750, 100) },
  };
  const answer = (content: Json) =>
    messageTo(
      sandbox,
      say("", {
        tools: [FORECAST],
        messages: [
          { role: "user", content: "Weather?" },
          {
            role: "assistant",
            content: [{ type: "tool_use", id: "toolu_1", name: "get_weather", input: {} }],
          },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content }] },
        ],
      }),
    );
  const found = {
    type: "search_result",
    source: "s",
    title: "t",
    content: [{ type: "text", text: "and sun" }],
  };
  const plain = await answer("rain");
  const rich = await answer([{ type: "text", text: "rain" }, found, picture]);

  expect(at(rich, "content", 0, "text")).toBe(
    "The get_weather tool returned: rain\nand sun\na 750 by 100 pixel PNG image of 24 bytes",
  );
  expect(
    Number(at(rich, "usage", "input_tokens")) - Number(at(plain, "usage", "input_tokens")),
  ).toBe(countTokens("\nand sun") + 100);
});

/** Only the head of one, which is all that is looked at. */
function pngOf(width: number, height: number): string {
  const bytes = Buffer.alloc(24);
  bytes.write("\x89PNG\r\n\x1a\n", 0, "latin1");
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes.toString("base64");
}

/** Different for each test, so that none finds what another has left in the cache. */
function longText(words: number): string {
  return `${crypto.randomUUID()} ${"word ".repeat(words)}`;
}

function withSystem(text: string, question: string, ttl = "5m"): JsonObject {
  const system = [{ type: "text", text, cache_control: { type: "ephemeral", ttl } }];
  return say(question, { system });
}

async function cacheUsage(body: JsonObject): Promise<readonly number[]> {
  const usage = at(await messageTo(sandbox, body), "usage");
  return [
    Number(at(usage, "cache_creation_input_tokens")),
    Number(at(usage, "cache_read_input_tokens")),
    Number(at(usage, "input_tokens")),
  ];
}

test("a marked prefix is written once, read again, and never counted twice", async () => {
  const text = longText(1_500);
  const [written, , rest] = await cacheUsage(withSystem(text, "Say one"));
  const second = await cacheUsage(withSystem(text, "Say two"));

  expect(written).toBe(countTokens(text));
  expect(second).toEqual([0, written ?? 0, rest ?? 0]);
  expect(await cacheUsage(say("Say two", { system: text }))).toEqual([
    0,
    0,
    (written ?? 0) + (rest ?? 0),
  ]);
});

test("a cached prefix expires after five minutes, or an hour, unless it is read", async () => {
  const [short, long] = [longText(1_500), longText(1_500)];
  await cacheUsage(withSystem(short, "Say one"));
  const first = await messageTo(sandbox, withSystem(long, "Say one", "1h"));
  nowMs += 299_000;
  const stillKept = await cacheUsage(withSystem(short, "Say one"));
  nowMs += 299_000;
  const keptByReading = await cacheUsage(withSystem(short, "Say one"));
  nowMs += 301_000;
  const forgotten = await cacheUsage(withSystem(short, "Say one"));
  const keptLong = await cacheUsage(withSystem(long, "Say one", "1h"));

  expect(at(first, "usage")).toMatchObject({
    cache_creation_input_tokens: countTokens(long),
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: countTokens(long) },
  });
  expect(
    [stillKept, keptByReading, forgotten, keptLong].map(([, read]) => Number(read) > 0),
  ).toEqual([true, true, false, true]);
});

test("a prefix below the model's minimum is not cached", async () => {
  const text = longText(2_000);
  const haiku = { ...withSystem(text, "Say one"), model: "claude-haiku-4-5" };

  expect((await cacheUsage(withSystem(longText(500), "Say one")))[0]).toBe(0);
  expect((await cacheUsage(haiku))[0]).toBe(0);
  expect((await cacheUsage(withSystem(text, "Say one")))[0]).toBeGreaterThan(2_000);
});

test("a growing conversation reads its cached part, and writes the rest", async () => {
  const cache_control = { type: "ephemeral" };
  const opening = { role: "user", content: longText(1_500) };
  const grown = [
    opening,
    { role: "assistant", content: "Indeed." },
    { role: "user", content: "Say two" },
  ];
  const [first] = await cacheUsage(say("", { messages: [opening], cache_control }));
  const [written, read, rest] = await cacheUsage(say("", { messages: grown, cache_control }));

  expect(Number(first)).toBeGreaterThan(1_500);
  expect(read).toBe(first ?? 0);
  expect(Number(written)).toBeGreaterThan(0);
  expect(rest).toBe(4);
});

test("old tool results are cleared on request, and the response has their number", async () => {
  const round = (index: number) => [
    {
      role: "assistant",
      content: [{ type: "tool_use", id: `toolu_${index}`, name: "get_weather", input: {} }],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: `toolu_${index}`, content: "rain ".repeat(100) },
      ],
    },
  ];
  const messages = [{ role: "user", content: "Weather?" }, ...[1, 2, 3, 4, 5].flatMap(round)];
  const headers = { "anthropic-beta": "context-management-2025-06-27" };
  const edit = {
    type: "clear_tool_uses_20250919",
    trigger: { type: "tool_uses", value: 4 },
    keep: { type: "tool_uses", value: 2 },
  };
  const plain = say("", { messages, tools: [FORECAST] });
  const edited: JsonObject = { ...plain, context_management: { edits: [edit] } };

  const before = await messageTo(sandbox, plain);
  const after = await messageTo(sandbox, edited, headers);
  const applied = at(after, "context_management", "applied_edits", 0);
  expect(before).not.toHaveProperty("context_management");
  expect(applied).toMatchObject({ type: "clear_tool_uses_20250919", cleared_tool_uses: 3 });
  expect(
    Number(at(before, "usage", "input_tokens")) - Number(at(after, "usage", "input_tokens")),
  ).toBe(Number(at(applied, "cleared_input_tokens")));

  const { max_tokens: _, ...countable } = edited;
  const response = await postMessages(sandbox, countable, headers, "/v1/messages/count_tokens");
  expect(asObject(parseJson(await response.text()))).toEqual({
    input_tokens: at(after, "usage", "input_tokens") ?? null,
    context_management: { original_input_tokens: at(before, "usage", "input_tokens") ?? null },
  });
});

test("results are cleared above a number of tokens", async () => {
  const messages = [
    { role: "user", content: "Weather?" },
    {
      role: "assistant",
      content: [{ type: "tool_use", id: "toolu_1", name: "get_weather", input: {} }],
    },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "rain ".repeat(100) }],
    },
  ];
  const plain = say("", { messages, tools: [FORECAST] });
  const size = Number(at(await messageTo(sandbox, plain), "usage", "input_tokens"));
  const edits = async (value: number) => {
    const trigger = { type: "input_tokens", value };
    const keep = { type: "tool_uses", value: 0 };
    const edit = { type: "clear_tool_uses_20250919", trigger, keep };
    const answer = await messageTo(
      sandbox,
      { ...plain, context_management: { edits: [edit] } },
      { "anthropic-beta": "context-management-2025-06-27" },
    );
    return blocksOf({ content: at(answer, "context_management", "applied_edits") ?? null }).length;
  };

  expect([await edits(size - 1), await edits(size)]).toEqual([1, 0]);
});

test("arguments are cleared with the results on request", async () => {
  const input = { city: "Oslo ".repeat(50) };
  const messages = [
    { role: "user", content: "Weather?" },
    {
      role: "assistant",
      content: [{ type: "tool_use", id: "toolu_1", name: "get_weather", input }],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "rain" }] },
  ];
  const cleared = async (extra: JsonObject) => {
    const trigger = { type: "tool_uses", value: 0 };
    const keep = { type: "tool_uses", value: 0 };
    const edit = { type: "clear_tool_uses_20250919", trigger, keep, ...extra };
    const body = say("", { messages, tools: [FORECAST], context_management: { edits: [edit] } });
    const answer = await messageTo(sandbox, body, {
      "anthropic-beta": "context-management-2025-06-27",
    });
    return at(answer, "context_management", "applied_edits", 0, "cleared_input_tokens") ?? "none";
  };

  expect(await cleared({ clear_tool_inputs: true })).toBeGreaterThan(40);
  expect(await cleared({ clear_tool_inputs: ["get_weather"] })).toBeGreaterThan(40);
  expect(await cleared({ clear_tool_inputs: false })).toBe(0);
  expect(await cleared({ exclude_tools: ["get_weather"] })).toBe("none");
  expect(
    await cleared({
      clear_at_least: { type: "input_tokens", value: 500 },
      clear_tool_inputs: true,
    }),
  ).toBe("none");
});

test("the same request gets the same response under another id", async () => {
  const [first, second] = [
    await messageTo(sandbox, say("Tell me about tides")),
    await messageTo(sandbox, say("Tell me about tides")),
  ];

  expect(at(first, "content")).toEqual(at(second, "content") ?? null);
  expect(first["id"]).not.toBe(second["id"] ?? null);
});

test("a stream's usage counts the delivered text", async () => {
  const body = say("Weather in Paris and Rome", { stream: true, tools: [FORECAST] });
  const text = await (await postMessages(sandbox, body)).text();
  const usage = text.match(/"message_delta".*"output_tokens":(\d+)/)?.[1];

  expect(sandbox.requests.at(-1)).toMatchObject({
    state: "finished",
    delivered: { bytes: Buffer.byteLength(text), tokens: Number(usage) },
  });
});

test("every response has rate limit headers and a request id", async () => {
  const { headers } = await postMessages(sandbox, say("hi"));

  expect(headers.get("request-id")).toMatch(/^req_01\w{22}$/);
  expect(headers.get("anthropic-ratelimit-requests-remaining")).toMatch(/^\d+$/);
  expect(headers.get("anthropic-ratelimit-tokens-reset")).toMatch(/^2026-01-01T00:\d\d:\d\dZ$/);
});
