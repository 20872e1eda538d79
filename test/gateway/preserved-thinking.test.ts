import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isArray, isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf } from "#lib/values.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import { SEED, times } from "#test/seed.ts";
import type { AskedTool, Caller, Seen, Turn } from "../matrix/caller.ts";
import { chatCaller } from "../matrix/callers/chat.ts";
import { messagesCaller } from "../matrix/callers/messages.ts";
import { nativeCaller } from "../matrix/callers/native.ts";
import { responsesCaller } from "../matrix/callers/responses.ts";

const CALLERS = [messagesCaller, chatCaller, responsesCaller, nativeCaller];
const CONTROLS = "thinking-binding-controls-2026-08-01";

let sandbox: Sandbox;
let gateway: TestGateway;
beforeAll(async () => {
  sandbox = await startSandbox();
  const channel = (provider: string, path: string, models: string): string =>
    `  - { name: ${provider}, provider: ${provider}, base_url: "${sandbox.url}${path}", api_key: upstream-key, models: [${models}] }`;
  gateway = await openTestGateway({
    yaml: [
      "channels:",
      channel("anthropic", "/anthropic/v1", "claude-opus-5-5, claude-sonnet-5-5, claude-haiku-5-5"),
      channel("openai", "/openai/v1", "gpt-5"),
    ].join("\n"),
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await sandbox.stop();
});

function read(caller: Caller, text: string, isStream: boolean): Seen {
  if (isStream) return caller.readStream(text);
  const json = parseJson(text);
  return caller.readWhole(isObject(json) ? json : {});
}

interface Conversation {
  readonly model: string;
  readonly tools: readonly AskedTool[];
  readonly thinks: boolean;
  /** What the user asks; each question takes two turns if it leads to a call. */
  readonly questions: readonly string[];
  /** Whether each turn is streamed, in turn. */
  readonly streams: readonly boolean[];
  /** Each question must be answered with a call of the first tool. */
  readonly forces?: true;
}

/** Every request of a conversation as the vendor got it. */
async function converse(
  caller: Caller,
  conversation: Conversation,
): Promise<readonly JsonObject[]> {
  const { model, tools, thinks, questions, streams } = conversation;
  const sent: JsonObject[] = [];
  const turns: Turn[] = [];
  const ask = async (more: JsonObject = {}): Promise<Seen> => {
    const stream = streams[sent.length % streams.length] ?? false;
    const { path, body } = caller.request({
      model,
      turns,
      stream,
      tools,
      thinks,
      maxTokens: 4_000,
    });
    const answer = await gateway.post(path, { ...body, ...more });
    const text = await answer.text();
    expect([answer.status, text]).toEqual([200, expect.any(String)]);
    const record = sandbox.requests.at(-1)?.body;
    sent.push(isObject(record as Json) ? (record as JsonObject) : {});
    const seen = read(caller, text, stream);
    expect(seen.error).toBeUndefined();
    turns.push({ role: "assistant", own: seen.own });
    return seen;
  };
  for (const text of questions) {
    turns.push({ role: "user", text });
    const { calls } = await ask(conversation.forces === true ? forced(caller, tools) : {});
    if (calls.length === 0) continue;
    turns.push({ role: "tool", results: calls.map((call) => ({ call, text: "Sunny" })) });
    await ask();
  }
  return sent;
}

/** The choice of the first tool by its name. */
function forced({ id }: Caller, [tool]: readonly AskedTool[]): JsonObject {
  const name = tool?.name ?? "";
  const choices: Readonly<Record<string, JsonObject>> = {
    [chatCaller.id]: { tool_choice: { type: "function", function: { name } } },
    [responsesCaller.id]: { tool_choice: { type: "function", name } },
    [messagesCaller.id]: { tool_choice: { type: "tool", name } },
    [nativeCaller.id]: {
      toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: [name] } },
    },
  };
  return choices[id] ?? {};
}

/** A request as the list of what a model reads one after the other; marks of the cache are no part of it. */
function flattened(body: JsonObject): readonly string[] {
  const instructions = [body["tools"], body["system"], body["instructions"]];
  const messages = listOf(body["messages"]).flatMap((message) => {
    const content = memberOf(message, "content") ?? "";
    const blocks = isArray(content) ? content : [{ type: "text", text: content }];
    return blocks.map((block) => [memberOf(message, "role") ?? "", block]);
  });
  const items = [...messages, ...listOf(body["input"])];
  return [...instructions.map((each) => each ?? null), ...items].map((each) =>
    JSON.stringify(each, (name, value: unknown) => (name === "cache_control" ? undefined : value)),
  );
}

function expectPrefixes(sent: readonly JsonObject[]): void {
  expect(sent.length).toBeGreaterThanOrEqual(10);
  for (const [index, body] of sent.entries()) {
    const before = sent[index - 1];
    if (before === undefined) continue;
    const [old, now] = [flattened(before), flattened(body)];
    expect(now.slice(0, old.length)).toEqual([...old]);
  }
}

/** What the vendor says that it left out of a request. */
async function leftOut(body: JsonObject): Promise<Json> {
  const answer = await fetch(`${sandbox.url}/anthropic/v1/messages`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-api-key": "upstream-key",
      "anthropic-version": "2023-06-01",
      "anthropic-beta": CONTROLS,
    },
    body: JSON.stringify({ ...body, stream: false }),
  });
  const json = parseJson(await answer.text());
  return isObject(json) ? (json["input_transformations"] ?? json["error"] ?? null) : null;
}

const SCHEMA: JsonObject = {
  type: "object",
  properties: { city: { type: "string", description: "The city." } },
  required: ["city"],
};
const toolNamed = (name: string): AskedTool => ({
  name,
  description: "Tells the weather in a city.",
  schema: SCHEMA,
});
const CITIES = ["Paris", "Oslo", "Rome", "Lima", "Cairo", "Quito", "Seoul", "Minsk"];
const LONG = `get_weather__${"of_some_company__".repeat(8)}in_a_city`;

/** Dots are letters of one style alone; the vendors of the others refuse them. */
const namesIn = ({ id }: Caller): readonly string[] =>
  id === nativeCaller.id ? ["get_weather", "weather.in", LONG] : ["get_weather", LONG];

const conversations = (caller: Caller, models: readonly string[]): fc.Arbitrary<Conversation> =>
  fc.record({
    model: fc.constantFrom(...models),
    tools: fc
      .constantFrom(...namesIn(caller))
      .map((name) => [toolNamed(name), toolNamed("say_hello")]),
    thinks: fc.boolean(),
    // Some are small talk, which leads to no call.
    questions: fc
      .array(
        fc.oneof(
          { weight: 3, arbitrary: fc.constantFrom(...CITIES).map(weatherIn) },
          fc.constantFrom(...CITIES).map((city) => `Say the word ${city}, please. Nothing else.`),
        ),
        { minLength: 3, maxLength: 4 },
      )
      .map((some) => [...CITIES.slice(0, 5).map(weatherIn), ...some]),
    streams: fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }),
  });

function weatherIn(city: string): string {
  return `What is the weather in ${city}?`;
}

const CLAUDE = ["claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"];

describe.each(CALLERS)("a client of the $id style", (caller) => {
  test("sends Claude the earlier turns unchanged, byte for byte", async () => {
    await fc.assert(
      fc.asyncProperty(conversations(caller, CLAUDE), async (conversation) => {
        const sent = await converse(caller, conversation);
        expectPrefixes(sent);
        for (const body of sent) expect(await leftOut(body)).toEqual([]);
      }),
      { seed: SEED, numRuns: times(2, 6) },
    );
  }, 300_000);

  test("returns Claude's thinking before its tool calls", async () => {
    const sent = await converse(caller, {
      model: "claude-opus-5-5",
      tools: [toolNamed("get_weather")],
      thinks: true,
      questions: CITIES.slice(0, 5).map(weatherIn),
      streams: [true, false],
    });
    const blocks = listOf(sent.at(-1)?.["messages"]).flatMap((message) =>
      listOf(memberOf(message, "content")),
    );
    const thoughts = blocks.filter((block) => memberOf(block, "type") === "thinking");

    expect(thoughts.length).toBeGreaterThanOrEqual(5);
  }, 60_000);

  test("also if a call was forced, which the model answers in the tool's schema", async () => {
    const sent = await converse(caller, {
      model: "claude-opus-5-5",
      tools: [toolNamed("get_weather"), toolNamed("say_hello")],
      thinks: true,
      questions: CITIES.slice(0, 5).map(weatherIn),
      streams: [true, false, true],
      forces: true,
    });
    const formed = sent.filter(({ output_config: config }) => memberOf(config, "format") != null);
    const messages = JSON.stringify(sent.at(-1)?.["messages"]);

    expectPrefixes(sent);
    expect(formed).toHaveLength(5);
    expect(messages.split('"type":"tool_use"')).toHaveLength(6);
    expect(messages).toContain('"type":"thinking"');
    for (const body of sent) expect(await leftOut(body)).toEqual([]);
  }, 60_000);

  test("sends an upstream of the responses style the earlier turns unchanged", async () => {
    await fc.assert(
      fc.asyncProperty(conversations(caller, ["gpt-5"]), async (conversation) => {
        expectPrefixes(await converse(caller, conversation));
      }),
      { seed: SEED, numRuns: times(2, 4) },
    );
  }, 300_000);
});
