import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import { random, SEED, times } from "#test/seed.ts";

const SCHEMA = {
  type: "object",
  properties: { city: { type: "string", minLength: 1 }, days: { type: "integer" } },
  required: ["city"],
};
const ARGUMENTS = '{ "city":"Lübeck",\n "days": 3 }';

/** What the vendor answers with, behind its thinking, in these pieces. */
let pieces: readonly string[] = [];
let stopReason = "end_turn";
const sent: JsonObject[] = [];

/** A vendor of messages that thinks and then answers. */
function openVendor() {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const body = (await request.json()) as JsonObject;
      sent.push(body);
      const usage = { input_tokens: 5, output_tokens: 70 };
      const head = { id: "msg_1", type: "message", role: "assistant", model: "m", usage };
      const thinking = { type: "thinking", thinking: "Hm.", signature: "c2ln" };
      const end = { stop_reason: stopReason, stop_sequence: null };
      if (body["stream"] !== true) {
        const content = [thinking, { type: "text", text: pieces.join("") }];
        return Response.json({ ...head, content, ...end });
      }
      const delta = (index: number, each: JsonObject) => ({
        type: "content_block_delta",
        index,
        delta: each,
      });
      const block = { type: "thinking", thinking: "", signature: "" };
      const events: JsonObject[] = [
        { type: "message_start", message: { ...head, content: [], stop_reason: null } },
        { type: "content_block_start", index: 0, content_block: block },
        delta(0, { type: "thinking_delta", thinking: "Hm." }),
        delta(0, { type: "signature_delta", signature: "c2ln" }),
        { type: "content_block_stop", index: 0 },
        { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
        ...pieces.map((text) => delta(1, { type: "text_delta", text })),
        { type: "content_block_stop", index: 1 },
        { type: "message_delta", delta: end, usage: { output_tokens: 70 } },
        { type: "message_stop" },
      ];
      const lines = events.map(
        (each) => `event: ${each["type"] as string}\ndata: ${JSON.stringify(each)}\n\n`,
      );
      return new Response(lines.join(""), { headers: { "content-type": "text/event-stream" } });
    },
  });
}

let vendor: ReturnType<typeof openVendor>;
let gateway: TestGateway;
beforeAll(async () => {
  vendor = openVendor();
  gateway = await openTestGateway({
    yaml: `channels:
  - { name: claude, provider: anthropic, base_url: "http://127.0.0.1:${vendor.port}/v1", api_key: k, models: [claude-opus-5-5, claude-sonnet-5-5] }`,
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await vendor.stop(true);
});
beforeEach(() => {
  pieces = [ARGUMENTS];
  stopReason = "end_turn";
});

// What comes back is read by its own words, member by member.
// eslint-disable-next-line typescript/no-explicit-any
type Any = any;

interface ReceivedAnswer {
  readonly calls: readonly {
    readonly name: unknown;
    readonly args: string;
    readonly id: unknown;
  }[];
  readonly text: string;
  readonly finish: unknown;
}

interface Caller {
  readonly path: (stream: boolean) => string;
  /** `forced`: by its name, or by the word for any tool. */
  readonly body: (forced: "named" | "any", schema: JsonObject) => JsonObject;
  readonly read: (answers: Any) => ReceivedAnswer;
  readonly finish: readonly [call: string, text: string];
}

const MODEL = "claude-opus-5-5";
const QUESTION = [{ role: "user", content: "Where to?" }];

const CALLERS: Readonly<Record<string, Caller>> = {
  chat: {
    path: () => "/v1/chat/completions",
    body: (forced, parameters) => ({
      messages: QUESTION,
      tools: [{ type: "function", function: { name: "book", description: "Books.", parameters } }],
      tool_choice: forced === "any" ? "required" : { type: "function", function: { name: "book" } },
    }),
    read: (answers) => {
      const choices = answers.flatMap((each: Any) => each.choices);
      const parts = choices.map((each: Any) => each.delta ?? each.message ?? {});
      const calls = parts.flatMap((each: Any) => each.tool_calls ?? []);
      const first = calls.find((each: Any) => each.id !== undefined);
      const args = calls.map((each: Any) => each.function?.arguments ?? "").join("");
      return {
        calls: first === undefined ? [] : [{ name: first.function.name, args, id: first.id }],
        text: parts.map((each: Any) => each.content ?? "").join(""),
        finish: choices.findLast((each: Any) => each.finish_reason != null)?.finish_reason,
      };
    },
    finish: ["tool_calls", "stop"],
  },
  responses: {
    path: () => "/v1/responses",
    body: (forced, parameters) => ({
      input: "Where to?",
      tools: [{ type: "function", name: "book", description: "Books.", parameters, strict: false }],
      tool_choice: forced === "any" ? "required" : { type: "function", name: "book" },
    }),
    read: (answers) => {
      const last = answers.at(-1);
      const { output, status } = last.response ?? last;
      const streamed = answers
        .filter((each: Any) => each.type === "response.function_call_arguments.delta")
        .map((each: Any) => each.delta)
        .join("");
      const calls = output.filter((item: Any) => item.type === "function_call");
      return {
        calls: calls.map((item: Any) => ({
          name: item.name,
          args: streamed === "" ? item.arguments : streamed,
          id: item.call_id,
        })),
        text: output
          .flatMap((item: Any) => (item.type === "message" ? item.content : []))
          .map((part: Any) => part.text)
          .join(""),
        finish: status,
      };
    },
    finish: ["completed", "completed"],
  },
  messages: {
    path: () => "/v1/messages",
    body: (forced, schema) => ({
      messages: QUESTION,
      max_tokens: 900,
      tools: [{ name: "book", description: "Books.", input_schema: schema }],
      tool_choice: forced === "any" ? { type: "any" } : { type: "tool", name: "book" },
    }),
    read: (answers) => {
      const [whole] = answers;
      const isWhole = whole.type === "message";
      const blocks = isWhole
        ? whole.content
        : answers.flatMap((each: Any) => each.content_block ?? []);
      const deltas = answers.map((each: Any) => each.delta ?? {});
      const streamed = deltas.map((each: Any) => each.partial_json ?? "").join("");
      const end = isWhole
        ? whole
        : answers.find((each: Any) => each.type === "message_delta").delta;
      return {
        calls: blocks
          .filter((block: Any) => block.type === "tool_use")
          .map((block: Any) => ({
            name: block.name,
            args: isWhole ? JSON.stringify(block.input) : streamed,
            id: block.id,
          })),
        text: isWhole
          ? blocks.map((block: Any) => block.text ?? "").join("")
          : deltas.map((each: Any) => each.text ?? "").join(""),
        finish: end.stop_reason,
      };
    },
    finish: ["tool_use", "end_turn"],
  },
  gemini: {
    path: (stream) =>
      `/v1beta/models/${MODEL}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: (forced, parametersJsonSchema) => ({
      contents: [{ role: "user", parts: [{ text: "Where to?" }] }],
      tools: [
        { functionDeclarations: [{ name: "book", description: "Books.", parametersJsonSchema }] },
      ],
      toolConfig: {
        functionCallingConfig: {
          mode: "ANY",
          ...(forced === "any" ? {} : { allowedFunctionNames: ["book"] }),
        },
      },
    }),
    read: (answers) => {
      const candidates = answers.flatMap((each: Any) => each.candidates ?? []);
      const parts = candidates
        .flatMap((each: Any) => each.content?.parts ?? [])
        .filter((part: Any) => part.thought !== true);
      return {
        calls: parts
          .filter((part: Any) => part.functionCall !== undefined)
          .map(({ functionCall }: Any) => ({
            name: functionCall.name,
            args: JSON.stringify(functionCall.args),
            id: functionCall.id ?? "",
          })),
        text: parts.map((part: Any) => part.text ?? "").join(""),
        finish: candidates.findLast((each: Any) => each.finishReason !== undefined)?.finishReason,
      };
    },
    finish: ["STOP", "STOP"],
  },
};

async function ask(
  style: string,
  stream: boolean,
  forced: "named" | "any" = "named",
  more: JsonObject = {},
  schema: JsonObject = SCHEMA,
) {
  const caller = CALLERS[style] as Caller;
  const answer = await gateway.post(caller.path(stream), {
    model: MODEL,
    ...(style === "gemini" ? {} : { stream }),
    ...caller.body(forced, schema),
    ...more,
  });
  const text = await answer.text();
  expect([answer.status, text]).toEqual([200, expect.any(String)]);
  const answers = stream
    ? [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data ?? ""))
    : [JSON.parse(text)];
  return {
    ...caller.read(answers),
    lost: answer.headers.get("sluice-lossy"),
    body: sent.at(-1) as JsonObject,
  };
}

const CASES = Object.keys(CALLERS).flatMap((style) =>
  (["named", "any"] as const).flatMap((forced) =>
    [true, false].map((stream) => [style, forced, stream] as const),
  ),
);

describe("a tool that the model cannot be made to call is called by an answer in its schema", () => {
  test.each(CASES)("for %s clients, %s (stream %p)", async (style, forced, stream) => {
    const { calls, text, finish, lost, body } = await ask(style, stream, forced);

    expect(calls).toEqual([{ name: "book", args: expect.any(String), id: expect.any(String) }]);
    expect(JSON.parse(calls[0]?.args ?? "")).toEqual({ city: "Lübeck", days: 3 });
    expect([text, finish]).toEqual(["", CALLERS[style]?.finish[0]]);
    expect(lost?.split(", ")).toContain("tool_choice");

    const config = body["output_config"] as JsonObject;
    expect(config["format"]).toEqual({
      type: "json_schema",
      schema: {
        type: "object",
        description: 'Arguments of a call of the tool "book".\n\nBooks.',
        properties: {
          city: { type: "string", description: "{minLength: 1}" },
          days: { type: "integer" },
        },
        required: ["city"],
        additionalProperties: false,
      },
    });
    expect(body["tool_choice"]).toEqual({ type: "none" });
    expect(JSON.stringify(body["tools"])).toContain('"book"');
  });

  test("with the bytes of the response as its arguments", async () => {
    for (const stream of [true, false]) {
      const { calls } = await ask("chat", stream);

      expect(calls[0]?.args).toBe(ARGUMENTS);
    }
  });

  test("and has an id with the prefix of the client's vendor", async () => {
    const begins = {
      chat: /^call_\w{24}$/,
      responses: /^call_\w{24}$/,
      messages: /^toolu_\w{24}$/,
    };
    for (const [style, pattern] of Object.entries(begins)) {
      expect(String((await ask(style, true)).calls[0]?.id)).toMatch(pattern);
      expect(String((await ask(style, false)).calls[0]?.id)).toMatch(pattern);
    }
  });

  test("and no message before later thinking is changed", async () => {
    const { body } = await ask("messages", false);

    expect(body["messages"]).toEqual(QUESTION);
    expect(body).not.toHaveProperty("system");
  });

  test("and thinking options of a client of the same style are unchanged", async () => {
    const thinking = { type: "adaptive", display: "omitted" };
    const output_config = { effort: "low" };
    const { body } = await ask("messages", true, "any", { thinking, output_config });

    expect(body["thinking"]).toEqual(thinking);
    expect(body["output_config"]).toMatchObject(output_config);
    expect(body["output_config"]).toHaveProperty("format");
  });

  test("and other tools stay declared if one is forced by name", async () => {
    const more = { name: "cancel", input_schema: SCHEMA };
    const { tools } = (CALLERS["messages"] as Caller).body("named", SCHEMA) as {
      tools: JsonObject[];
    };
    const { calls, body } = await ask("messages", false, "named", { tools: [...tools, more] });

    expect(calls).toHaveLength(1);
    expect(body["tools"]).toEqual([...tools, more]);
  });
});

describe("a response that is not an object", () => {
  test.each(Object.keys(CALLERS))("stays text, for %s clients", async (style) => {
    pieces = [" \n", "I can", "not."];
    for (const stream of [true, false]) {
      const { calls, text, finish } = await ask(style, stream);

      expect([calls, text.trim(), finish]).toEqual([[], "I cannot.", CALLERS[style]?.finish[1]]);
    }
  });

  test("or broke off is reported as incomplete", async () => {
    pieces = ['{"city":'];
    stopReason = "max_tokens";
    for (const stream of [true, false]) {
      const { calls, finish } = await ask("chat", stream);

      expect([calls[0]?.args, finish]).toEqual(['{"city":', "length"]);
    }
  });
});

const OTHER = { type: "function", function: { name: "other", parameters: SCHEMA } };
const BOOK = { type: "function", function: { name: "book", parameters: SCHEMA } };

describe("an instruction tells the model to call a tool, if", () => {
  test.each<[string, JsonObject, JsonObject?]>([
    ["any of several may be called", { tools: [BOOK, OTHER], tool_choice: "required" }],
    ["the response has its own schema", { response_format: formatOf() }],
    ["the schema is open", {}, { type: "object", additionalProperties: { type: "string" } }],
    ["the schema refers to itself", {}, { ...SCHEMA, properties: { city: { $ref: "#" } } }],
    ["the schema has a pattern", {}, { ...SCHEMA, properties: { city: { pattern: "^a" } } }],
    ["the schema has too many members that may be left out", {}, wide()],
    ["the tool has no parameters", {}, { type: "object", properties: {} }],
  ])("%s", async (_why, more, schema = SCHEMA) => {
    const { body, lost } = await ask("chat", false, "named", more, schema);

    expect(body["tool_choice"]).toMatchObject({ type: "auto" });
    expect(JSON.stringify(body["messages"])).toContain("Answer with a call of");
    expect(lost).toContain("tool_choice");
  });

  test("citations are requested, which no format supports", async () => {
    const source = { type: "text", media_type: "text/plain", data: "A." };
    const document = { type: "document", source, citations: { enabled: true } };
    const messages = [{ role: "user", content: [document, { type: "text", text: "Where to?" }] }];
    const { body } = await ask("messages", false, "named", { messages });

    expect(body["tool_choice"]).toMatchObject({ type: "auto" });
    expect(body["output_config"]).toBeUndefined();
  });
});

function formatOf(): JsonObject {
  return { type: "json_schema", json_schema: { name: "x", schema: SCHEMA } };
}

function wide(): JsonObject {
  const names = Array.from({ length: 25 }, (_, index) => `m${index}`);
  const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
  return { type: "object", properties };
}

test("the call has the same arguments in every style, with any chunks", async () => {
  const next = random(SEED);
  for (let round = 0; round < times(12, 200); round++) {
    const days = Math.floor(next() * 1_000);
    const spaces = " ".repeat(Math.floor(next() * 3));
    const text = `${spaces}{"city":${spaces}"a\\"b{😀}","days":${days}}`;
    const cuts: string[] = [];
    for (let at = 0; at < text.length;) {
      const end = at + 1 + Math.floor(next() * 6);
      // A vendor's events never cut a character.
      const split = text.slice(at, end).isWellFormed() ? end : end + 1;
      cuts.push(text.slice(at, split));
      at = split;
    }
    pieces = cuts;
    for (const style of Object.keys(CALLERS)) {
      for (const stream of [true, false]) {
        const { calls, finish } = await ask(style, stream);

        expect([style, calls.map(({ args }) => JSON.parse(args)), finish]).toEqual([
          style,
          [{ city: 'a"b{😀}', days }],
          CALLERS[style]?.finish[0],
        ]);
      }
    }
  }
});
