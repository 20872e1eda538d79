import { afterAll, beforeAll, expect, test } from "bun:test";
import { isJsonObject, parseJson, type JsonObject } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { asObject, at, eventsIn, textAt } from "./testing/chat.ts";
import {
  WEATHER_TOOL,
  eventsOf,
  get,
  grammarOf,
  itemsOf,
  outputText,
  prompt,
  respond,
  send,
} from "./testing/responses.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(() => sandbox.stop());

const START = "created in_progress";
const ITEM = (inner: string) => `output_item.added ${inner} output_item.done`;
const TEXT = ITEM("content_part.added output_text.delta* output_text.done content_part.done");
const CALL = ITEM("function_call_arguments.delta* function_call_arguments.done");

test.each<[string, JsonObject, string]>([
  ["a text", prompt("Say hi there"), `${START} ${TEXT} completed`],
  [
    "a text that is cut",
    prompt("Count to 90", { max_output_tokens: 16 }),
    `${START} ${TEXT} incomplete`,
  ],
  [
    "two calls",
    prompt("Weather in Paris and Rome", { tools: [WEATHER_TOOL] }),
    `${START} ${CALL} ${CALL} completed`,
  ],
  [
    "a refusal",
    prompt("please refuse"),
    `${START} ${ITEM("content_part.added refusal.delta* refusal.done content_part.done")} completed`,
  ],
  [
    "hidden reasoning",
    prompt("Say hi", { model: "o3" }),
    `${START} output_item.added output_item.done ${TEXT} completed`,
  ],
  [
    "a reasoning summary",
    prompt("Say hi", { model: "o3", reasoning: { summary: "detailed" } }),
    `${START} ${ITEM(
      "reasoning_summary_part.added reasoning_summary_text.delta* reasoning_summary_text.done reasoning_summary_part.done",
    )} ${TEXT} completed`,
  ],
  [
    "reasoning of a model that shows it",
    prompt("Say hi", { model: "sim-reasoner" }),
    `${START} ${ITEM(
      "content_part.added reasoning_text.delta* reasoning_text.done content_part.done",
    )} ${TEXT} completed`,
  ],
  [
    "a search",
    prompt("What is the latest news?", { tools: [{ type: "web_search_preview" }] }),
    `${START} ${ITEM(
      "web_search_call.in_progress web_search_call.searching web_search_call.completed",
    )} ${TEXT.replace("delta*", "delta* output_text.annotation.added")} completed`,
  ],
  [
    "a custom tool",
    prompt("Use the scratchpad for 'abc'", { tools: [{ type: "custom", name: "scratchpad" }] }),
    `${START} ${ITEM("custom_tool_call_input.delta* custom_tool_call_input.done")} completed`,
  ],
])("%s has the vendor's event grammar", async (_, body, grammar) => {
  expect(grammarOf(await eventsOf(sandbox, body))).toBe(grammar);
});

test("events are numbered from 0 without a gap, and have their type as name", async () => {
  const text = await (await send(sandbox, "", { body: prompt("Say hi", { stream: true }) })).text();
  const names = [...text.matchAll(/^event: (.+)$/gm)].map(([, name]) => name);
  const events = eventsIn(text).map((data) => asObject(parseJson(data)));

  expect(events.map((event) => event["sequence_number"])).toEqual([...events.keys()]);
  expect(events.map((event) => event["type"])).toEqual(names.map((name) => name ?? null));
  expect(text).not.toContain("[DONE]");
});

test("the last event repeats every finished item, under its index", async () => {
  const events = await eventsOf(
    sandbox,
    prompt("Weather in Paris and Rome", { model: "o4-mini", tools: [WEATHER_TOOL] }),
  );
  const done = events.filter((event) => event["type"] === "response.output_item.done");

  expect(done.map((event) => event["output_index"])).toEqual([0, 1, 2]);
  expect(at(events.at(-1), "response", "output")).toEqual(
    done.map((event) => event["item"] ?? null),
  );
  expect(at(events[0], "response")).toMatchObject({
    status: "in_progress",
    output: [],
    usage: null,
    service_tier: "auto",
  });
});

test("deltas are padded to hide their length, unless the request disables it", async () => {
  const deltas = async (extra: JsonObject) =>
    (await eventsOf(sandbox, prompt("Count to 9", extra))).filter((event) => "delta" in event);
  const padded = await deltas({});
  const bare = await deltas({ stream_options: { include_obfuscation: false } });

  const length = (event: JsonObject) =>
    textAt(event, "delta").length + textAt(event, "obfuscation").length;
  expect(padded.map((event) => length(event) % 16)).toEqual(padded.map(() => 0));
  expect(bare.some((event) => "obfuscation" in event)).toBe(false);
});

test("each citation event equals the citation in the message", async () => {
  const events = await eventsOf(
    sandbox,
    prompt("Look up the tides", { tools: [{ type: "web_search" }] }),
  );
  const announced = events.filter(
    (event) => event["type"] === "response.output_text.annotation.added",
  );
  const [message = {}] = itemsOf(at(events.at(-1), "response"), "message");

  expect(announced.map((event) => event["annotation_index"])).toEqual([0, 1]);
  expect(announced.map((event) => event["annotation"] ?? null)).toEqual(
    JSON.parse(textAt(message, "content", 0, "annotations")),
  );
});

test("reasoning is encrypted on request only", async () => {
  const thoughts = async (extra: JsonObject) =>
    itemsOf(await respond(sandbox, prompt("Say hi", { model: "o4-mini", ...extra })), "reasoning");

  expect(await thoughts({})).toEqual([
    { id: expect.stringMatching(/^rs_/), type: "reasoning", content: [], summary: [] },
  ]);
  expect((await thoughts({ include: ["reasoning.encrypted_content"] }))[0]).toHaveProperty(
    "encrypted_content",
  );
});

test("a truncated response is marked at the item and at the response", async () => {
  const cut = await respond(sandbox, prompt("Count to 90", { max_output_tokens: 16 }));
  const thoughtless = await respond(
    sandbox,
    prompt("Say hi", { model: "o4-mini", max_output_tokens: 16 }),
  );

  expect(cut).toMatchObject({
    status: "incomplete",
    incomplete_details: { reason: "max_output_tokens" },
    completed_at: null,
    output: [{ type: "message", status: "incomplete" }],
  });
  expect(at(cut, "usage", "output_tokens")).toBe(16);
  expect(itemsOf(thoughtless, "message")).toEqual([]);
});

test("a function without the strict field is strict if its schema allows it", async () => {
  const optional = {
    ...WEATHER_TOOL,
    parameters: { type: "object", properties: { city: { type: "string" } } },
  };
  const answer = await respond(sandbox, prompt("hi", { tools: [WEATHER_TOOL, optional] }));

  expect(at(answer, "tools", 0)).toMatchObject({
    strict: true,
    parameters: { additionalProperties: false },
  });
  expect(at(answer, "tools", 1)).toEqual({
    ...optional,
    strict: false,
    output_schema: null,
  });
});

test("a tool in a namespace is called with the namespace", async () => {
  const { type: _type, ...inner } = WEATHER_TOOL;
  const answer = await respond(
    sandbox,
    prompt("Weather in Oslo", {
      tools: [
        {
          type: "namespace",
          name: "outdoors",
          description: "Outside",
          tools: [{ type: "function", ...inner }],
        },
      ],
    }),
  );

  expect(itemsOf(answer, "function_call")).toMatchObject([
    { name: "get_weather", namespace: "outdoors" },
  ]);
});

test("a tool that an input item adds is called too, and not repeated among the tools", async () => {
  const { type: _type, ...inner } = WEATHER_TOOL;
  const tools = [{ type: "namespace", name: "outdoors", tools: [{ type: "function", ...inner }] }];
  const answer = await respond(
    sandbox,
    prompt("Weather in Oslo", {
      input: [
        { type: "additional_tools", role: "developer", tools },
        { role: "user", content: "Weather in Oslo" },
      ],
    }),
  );

  expect(itemsOf(answer, "function_call")).toMatchObject([
    { name: "get_weather", namespace: "outdoors" },
  ]);
  expect(answer["tools"]).toEqual([]);
});

test("a repeated long prefix is reported as cached", async () => {
  const long = `${Bun.randomUUIDv7()} ${"All work and no play makes a dull manual. ".repeat(200)}`;
  const ask = (text: string) =>
    respond(sandbox, prompt(text, { model: "gpt-4o", instructions: long }));
  await ask("Say one");
  const second = await ask("Say two");

  expect(at(second, "usage", "input_tokens_details", "cached_tokens")).toBeGreaterThan(1_023);
});

test("the oldest items of a conversation that is too long are dropped if allowed", async () => {
  const turns = Array.from({ length: 40 }, (_, index) => ({
    role: "user",
    content: `Remark ${index}: ${"word ".repeat(500)}`,
  }));
  const body = prompt([{ role: "developer", content: "Reply with exactly: kept" }, ...turns], {
    model: "gpt-3.5-turbo",
  });
  const refused = await send(sandbox, "", { body });
  const cut = await respond(sandbox, { ...body, truncation: "auto" });
  const items = await get(sandbox, `/${textAt(cut, "id")}/input_items?order=asc&limit=100`);

  expect([refused.status, at(parseJson(await refused.text()), "error", "code")]).toEqual([
    400,
    "context_length_exceeded",
  ]);
  expect(at(cut, "usage", "input_tokens")).toBeLessThanOrEqual(16_385);
  expect(at(items, "data", 0, "role")).toBe("developer");
  expect(textAt(items, "data", 1, "content", 0, "text")).not.toStartWith("Remark 0:");
  expect(JSON.stringify(items)).toContain("Remark 39:");
});

test("the token count before a request equals its usage", async () => {
  const body = prompt("How many tokens?", { instructions: "Be brief.", tools: [WEATHER_TOOL] });
  const counted = await get(sandbox, "/input_tokens", { method: "POST", body });
  const answered = await respond(sandbox, body);

  expect(counted["object"]).toBe("response.input_tokens");
  expect(counted["input_tokens"]).toBe(at(answered, "usage", "input_tokens") ?? null);
});

test("a compacted conversation is remembered", async () => {
  const first = await respond(
    sandbox,
    prompt([
      { role: "developer", content: "My dog is brown." },
      { role: "user", content: "hi" },
    ]),
  );
  const compact = await get(sandbox, "/compact", {
    method: "POST",
    body: { model: "gpt-4o", input: [], previous_response_id: first["id"] ?? null },
  });
  const output = Array.isArray(compact["output"]) ? compact["output"] : [];
  const answer = await respond(
    sandbox,
    prompt([...output, { role: "user", content: "What is my dog?" }]),
  );

  expect(output.map((item) => textAt(item, "type"))).toEqual(["message", "compaction"]);
  expect(outputText(answer)).toBe("Your dog is brown.");
});

test("the usage in a stream's last event counts the delivered output", async () => {
  const events = await eventsOf(sandbox, prompt("Write about 60 words on lighthouses"));
  const record = sandbox.requests.at(-1);

  expect(record?.state).toBe("finished");
  expect(record?.delivered.tokens).toBe(
    Number(at(events.at(-1), "response", "usage", "output_tokens")),
  );
  expect(record?.delivered.events).toBe(events.length);
});

test.each<[string, string, (events: readonly JsonObject[]) => void]>([
  [
    "an error in the middle",
    "[[fault:streamerror after=5]]",
    (events) => {
      expect(events.map((event) => event["sequence_number"])).toEqual([...events.keys()]);
      expect(events.at(-2)).toMatchObject({ type: "error", code: "server_error", param: null });
      expect(events.at(-1)).toMatchObject({
        type: "response.failed",
        response: { status: "failed", error: { code: "server_error" } },
      });
    },
  ],
  [
    "a stream that ends too early",
    "[[fault:truncate events=6]]",
    (events) => expect(events).toHaveLength(6),
  ],
  [
    "a stream without its last event",
    "[[fault:nodone]]",
    (events) => expect(events.at(-1)?.["type"]).toBe("response.output_item.done"),
  ],
  [
    "an answer without usage",
    "[[fault:nousage]]",
    (events) => expect(at(events.at(-1), "response", "usage")).toBeNull(),
  ],
  [
    "usage that is not true",
    "[[fault:lyingusage kind=negative]]",
    (events) => expect(at(events.at(-1), "response", "usage", "input_tokens")).toBeLessThan(0),
  ],
  [
    "another reason to end",
    "[[fault:finish reason=content_filter]]",
    (events) =>
      expect(at(events.at(-1), "response")).toMatchObject({
        status: "incomplete",
        incomplete_details: { reason: "content_filter" },
      }),
  ],
])("%s can be ordered", async (_, words, check) => {
  check(await eventsOf(sandbox, prompt(`${words} Count to 20`)));
});

test("an endless response continues until the client disconnects", async () => {
  const response = await send(sandbox, "", {
    body: prompt("[[fault:endless]] Say hi", { stream: true }),
  });
  const reader = response.body?.getReader();
  let text = "";
  const decoder = new TextDecoder();
  while (text.length < 50_000) {
    const part = await reader?.read();
    text += decoder.decode(part?.value, { stream: true });
  }
  await reader?.cancel();

  expect(text).not.toContain("output_text.done");
});

test("fault words are found in a text, in a message and in the last of several", async () => {
  const fault = "[[fault:status code=418]]";
  const inputs = [
    fault,
    [{ role: "user", content: [{ type: "input_text", text: fault }] }],
    [
      { role: "user", content: "hi" },
      { role: "assistant", content: "hello" },
      { role: "user", content: fault },
    ],
  ];
  const statuses = inputs.map(
    async (input) => (await send(sandbox, "", { body: prompt(input) })).status,
  );

  expect(await Promise.all(statuses)).toEqual([418, 418, 418]);
  expect(isJsonObject(await respond(sandbox, prompt("hi")))).toBe(true);
});
