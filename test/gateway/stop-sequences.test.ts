import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import { random, SEED, times } from "#test/seed.ts";

/** What the vendor says next, cut into these pieces. */
let pieces: readonly string[] = [];
/** Whether it then waits, and is not at its end until its client hangs up. */
let isEndless = false;
/** Whether it says of itself which stop sequence matched, as some servers do. */
let matched: string | undefined;
let hasCall = false;
let hangUps = 0;
const sent: JsonObject[] = [];

const USAGE = { prompt_tokens: 5, completion_tokens: 70, total_tokens: 75 };
const CALL = { id: "c1", type: "function", function: { name: "f", arguments: "{}" } };

/** A vendor of chat completions and responses. */
function openVendor() {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const body = (await request.json()) as JsonObject;
      sent.push(body);
      const isResponses = request.url.endsWith("/responses");
      if (body["stream"] !== true) {
        return Response.json(isResponses ? responsesAnswer() : chatAnswer(body));
      }
      const events = isResponses ? responsesEvents() : chatEvents(body);
      const last = isEndless ? events.length - 4 : events.length;
      const encoder = new TextEncoder();
      const stream = new ReadableStream({
        async start(controller) {
          for (const each of events.slice(0, last)) {
            const type = typeof each["type"] === "string" ? `event: ${each["type"]}\n` : "";
            controller.enqueue(encoder.encode(`${type}data: ${JSON.stringify(each)}\n\n`));
            await Bun.sleep(1);
          }
          if (isEndless) return;
          if (!isResponses) controller.enqueue(encoder.encode("data: [DONE]\n\n"));
          controller.close();
        },
        cancel() {
          hangUps++;
        },
      });
      return new Response(stream, { headers: { "content-type": "text/event-stream" } });
    },
  });
}

const CHAT_HEAD = { id: "a", created: 1, model: "m" };
const finishOf = () => ({
  finish_reason: hasCall ? "tool_calls" : "stop",
  ...(matched === undefined ? {} : { stop_reason: matched }),
});

function chatAnswer({ n }: JsonObject): JsonObject {
  const message = {
    role: "assistant",
    content: pieces.join(""),
    ...(hasCall ? { tool_calls: [CALL] } : {}),
  };
  const choices = Array.from({ length: Number(n ?? 1) }, (_, index) => ({
    index,
    message,
    ...finishOf(),
  }));
  return { ...CHAT_HEAD, object: "chat.completion", choices, usage: USAGE };
}

function chatEvents({ n }: JsonObject): JsonObject[] {
  const head = { ...CHAT_HEAD, object: "chat.completion.chunk" };
  const indexes = Array.from({ length: Number(n ?? 1) }, (_, index) => index);
  const chunk = (index: number, delta: JsonObject, finish: JsonObject = {}) => ({
    ...head,
    choices: [{ index, delta, finish_reason: null, ...finish }],
  });
  return [
    ...indexes.map((index) => chunk(index, { role: "assistant", content: "" })),
    ...pieces.flatMap((content) => indexes.map((index) => chunk(index, { content }))),
    ...(hasCall
      ? indexes.map((index) => chunk(index, { tool_calls: [{ index: 0, ...CALL }] }))
      : []),
    ...indexes.map((index) => chunk(index, {}, finishOf())),
    { ...head, choices: [], usage: USAGE },
  ];
}

const RESPONSE = { id: "resp_1", object: "response", created_at: 1, model: "m" };

function itemOf() {
  const part = { type: "output_text", text: pieces.join(""), annotations: [] };
  return { id: "msg_1", type: "message", role: "assistant", status: "completed", content: [part] };
}

function responsesAnswer(): JsonObject {
  const usage = { input_tokens: 5, output_tokens: 70, total_tokens: 75 };
  return { ...RESPONSE, status: "completed", output: [itemOf()], usage };
}

function responsesEvents(): JsonObject[] {
  const item = itemOf();
  const at = { item_id: item.id, output_index: 0, content_index: 0 };
  const part = { type: "output_text", text: "", annotations: [] };
  const events: JsonObject[] = [
    { type: "response.created", response: { ...RESPONSE, status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 0, item: { ...item, content: [] } },
    { type: "response.content_part.added", ...at, part },
    ...pieces.map((text) => ({ type: "response.output_text.delta", ...at, delta: text })),
    { type: "response.output_text.done", ...at, text: pieces.join("") },
    { type: "response.content_part.done", ...at, part: { ...part, text: pieces.join("") } },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: responsesAnswer() },
  ];
  return events.map((event, index) => ({ ...event, sequence_number: index }));
}

let vendor: ReturnType<typeof openVendor>;
let gateway: TestGateway;
beforeAll(async () => {
  vendor = openVendor();
  const url = `http://127.0.0.1:${vendor.port}/v1`;
  gateway = await openTestGateway({
    yaml: `channels:
  - { name: chat, provider: openai, base_url: "${url}", api_key: k, style: chat, models: [gpt-5, gpt-5.1, gpt-4o-mini] }
  - { name: responses, provider: openai, base_url: "${url}", api_key: k, style: responses, models: [gpt-4.1, gpt-5.5] }
  - { name: bare, provider: openai-compatible, base_url: "${url}", api_key: k, models: [some-model] }`,
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await vendor.stop(true);
});
beforeEach(() => {
  pieces = ["one E", "ND two"];
  isEndless = false;
  matched = undefined;
  hasCall = false;
});

interface ReceivedAnswer {
  readonly text: string;
  readonly finish: unknown;
  readonly which?: unknown;
  readonly calls: number;
  readonly output: unknown;
}

interface Caller {
  readonly path: (model: string, stream: boolean) => string;
  readonly body: (stop: readonly string[]) => JsonObject;
  /** Of a whole answer, or of a stream's events. */
  readonly read: (answers: readonly JsonObject[]) => ReceivedAnswer;
}

// What comes back is read by its own words, member by member.
// eslint-disable-next-line typescript/no-explicit-any
type Any = any;
const TURNS = [{ role: "user", content: "Count." }];

const CALLERS: Readonly<Record<string, Caller>> = {
  chat: {
    path: () => "/v1/chat/completions",
    body: (stop) => ({ messages: TURNS, stop, stream_options: { include_usage: true } }),
    read: (answers: Any) => {
      const choices = answers.flatMap((each: Any) => each.choices);
      const parts = choices.map((each: Any) => each.delta ?? each.message ?? {});
      return {
        text: parts.map((each: Any) => each.content ?? "").join(""),
        finish: choices.findLast((each: Any) => each.finish_reason != null)?.finish_reason,
        calls: parts.filter((each: Any) => each.tool_calls !== undefined).length,
        output: answers.findLast((each: Any) => each.usage != null)?.usage.completion_tokens,
      };
    },
  },
  completions: {
    path: () => "/v1/completions",
    body: (stop) => ({ prompt: "Count.", stop, stream_options: { include_usage: true } }),
    read: (answers: Any) => {
      const choices = answers.flatMap((each: Any) => each.choices);
      return {
        text: choices.map((each: Any) => each.text).join(""),
        finish: choices.findLast((each: Any) => each.finish_reason != null)?.finish_reason,
        calls: 0,
        output: answers.findLast((each: Any) => each.usage != null)?.usage.completion_tokens,
      };
    },
  },
  messages: {
    path: () => "/v1/messages",
    body: (stop) => ({ messages: TURNS, max_tokens: 500, stop_sequences: stop }),
    read: (answers: Any) => {
      const [whole] = answers;
      const isWhole = whole.type === "message";
      const texts = isWhole
        ? whole.content.map((block: Any) => block.text ?? "")
        : answers.map((event: Any) => event.delta?.text ?? "");
      const blocks = isWhole ? whole.content : answers.map((event: Any) => event.content_block);
      const end = isWhole ? whole : answers.find((each: Any) => each.type === "message_delta");
      const stop = isWhole ? end : end.delta;
      return {
        text: texts.join(""),
        finish: stop.stop_reason,
        which: stop.stop_sequence,
        calls: blocks.filter((block: Any) => block?.type === "tool_use").length,
        output: end.usage.output_tokens,
      };
    },
  },
  gemini: {
    path: (model, stream) =>
      `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: (stop) => ({
      contents: [{ role: "user", parts: [{ text: "Count." }] }],
      generationConfig: { stopSequences: stop },
    }),
    read: (answers: Any) => {
      const candidates = answers.flatMap((each: Any) => each.candidates ?? []);
      const parts = candidates.flatMap((each: Any) => each.content?.parts ?? []);
      const { usageMetadata } = answers.findLast((each: Any) => each.usageMetadata !== undefined);
      return {
        text: parts.map((part: Any) => part.text ?? "").join(""),
        finish: candidates.findLast((each: Any) => each.finishReason !== undefined)?.finishReason,
        calls: parts.filter((part: Any) => part.functionCall !== undefined).length,
        output: usageMetadata.candidatesTokenCount,
      };
    },
  },
};

async function ask(
  style: string,
  model: string,
  stream: boolean,
  stop: readonly string[] = ["END"],
  more: JsonObject = {},
  headers: Readonly<Record<string, string>> = {},
) {
  const caller = CALLERS[style] as Caller;
  const body = {
    model,
    ...(style === "gemini" ? {} : { stream }),
    ...caller.body(stop),
    ...more,
  };
  if (!stream) delete (body as Record<string, unknown>)["stream_options"];
  const answer = await gateway.post(caller.path(model, stream), body, headers);
  const text = await answer.text();
  expect([answer.status, text]).toEqual([200, expect.any(String)]);
  const answers = stream
    ? [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data ?? "") as JsonObject)
    : [JSON.parse(text) as JsonObject];
  return { ...caller.read(answers), lost: answer.headers.get("sluice-lossy"), answers };
}

const STOPPED: Readonly<Record<string, JsonObject>> = {
  chat: { finish: "stop" },
  completions: { finish: "stop" },
  messages: { finish: "stop_sequence", which: "END" },
  gemini: { finish: "STOP" },
};

// The first cannot be told not to reason, so that it refuses stop sequences of every client.
const MODELS = ["gpt-5", "gpt-4.1", "gpt-5.5"];
const CASES = Object.keys(CALLERS).flatMap((style) =>
  MODELS.flatMap((model) => [true, false].map((stream) => [style, model, stream] as const)),
);

describe("stop sequences that an upstream does not support are applied by the gateway", () => {
  test.each(CASES)("for %s clients of %s (stream %p)", async (style, model, stream) => {
    const { text, finish, which, lost } = await ask(style, model, stream);

    expect<unknown>({ text, finish, ...(which === undefined ? {} : { which }), lost }).toEqual({
      text: "one ",
      ...STOPPED[style],
      lost: null,
    });
    expect(JSON.stringify(sent.at(-1))).not.toContain("END");
  });

  test.each(CASES)(
    "and a response without one is complete: %s, %s (stream %p)",
    async (style, model, stream) => {
      pieces = ["one E", "N"];
      const { text, finish } = await ask(style, model, stream);

      expect({ text, finish }).toEqual({
        text: "one EN",
        finish: style === "messages" ? "end_turn" : (STOPPED[style]?.["finish"] as string),
      });
    },
  );

  test.each([true, false])("and tool calls after one are dropped (stream %p)", async (stream) => {
    hasCall = true;
    for (const style of ["chat", "messages", "gemini"]) {
      const { text, calls, finish } = await ask(style, "gpt-5.1", stream);

      expect([text, calls, finish]).toEqual(["one ", 0, STOPPED[style]?.["finish"]]);
    }
  });

  test.each([true, false])("in each of several choices (stream %p)", async (stream) => {
    const { text, answers } = await ask("chat", "gpt-5.1", stream, ["END"], { n: 2 });
    const finishes = answers
      .flatMap((each: Any) => each.choices)
      .filter((each: Any) => each.finish_reason != null)
      .map((each: Any) => [each.index, each.finish_reason]);

    expect(text).toBe("one one ");
    expect(finishes).toEqual([
      [0, "stop"],
      [1, "stop"],
    ]);
  });

  test("so that a strict client is not refused", async () => {
    const { text } = await ask("chat", "gpt-5.1", false, ["END"], {}, { "sluice-strict": "true" });

    expect(text).toBe("one ");
  });

  test.each<[string, string | undefined, boolean]>([
    ["messages", "END", true],
    ["chat", undefined, true],
    ["chat", undefined, false],
  ])(
    "also those beyond the upstream's limit, which gets the others (%s)",
    async (style, matched, stream) => {
      const stops = ["1", "2", "3", "4", "END"];
      const { text, which, lost } = await ask(style, "gpt-4o-mini", stream, stops);

      expect([text, which, lost]).toEqual(["one ", matched, null]);
      expect(sent.at(-1)?.["stop"]).toEqual(["1", "2", "3", "4"]);
    },
  );

  test("up to a limit, above which their loss is reported", async () => {
    const stops = ["END", "x".repeat(1_025)];
    const { text, lost } = await ask("messages", "gpt-5.1", false, stops);

    expect([text, lost]).toEqual(["one ", "stop"]);
  });
});

describe("an upstream that supports stop sequences", () => {
  test("gets them, and its response passes through", async () => {
    const { text } = await ask("chat", "gpt-4o-mini", false);

    expect(text).toBe("one END two");
    expect(sent.at(-1)?.["stop"]).toEqual(["END"]);
  });

  test("and does not name the matched one causes no report of a match", async () => {
    const { finish, which } = await ask("messages", "some-model", false);

    expect([finish, which]).toEqual(["end_turn", null]);
  });

  test.each([true, false])("and names the matched one is trusted (stream %p)", async (stream) => {
    matched = "END";
    const { finish, which } = await ask("messages", "some-model", stream);

    expect([finish, which]).toEqual(["stop_sequence", "END"]);
  });
});

describe("a response that was cut costs", () => {
  test("the amount that the vendor reports, if it was complete", async () => {
    const { output } = await ask("chat", "gpt-5.1", false);

    expect(output).toBe(70);
  });

  test("the delivered part of a stream, which is ended at once", async () => {
    isEndless = true;
    const before = hangUps;
    for (const style of Object.keys(CALLERS)) {
      const { text, output } = await ask(style, "gpt-4.1", true);

      expect([text, Number(output) > 0 && Number(output) < 5]).toEqual(["one ", true]);
    }
    await Bun.sleep(50);
    expect(hangUps - before).toBe(Object.keys(CALLERS).length);
  });

  test("the reported amount for a stream of a model that may have reasoned", async () => {
    const before = hangUps;
    const { text, output } = await ask("chat", "gpt-5.5", true);

    expect([text, output, hangUps - before]).toEqual(["one ", 70, 0]);
  });

  test("the delivered part, if reasoning was disabled", async () => {
    isEndless = true;
    const { text, output } = await ask("chat", "gpt-5.5", true, ["END"], {
      reasoning_effort: "none",
    });

    expect([text, Number(output) < 5]).toEqual(["one ", true]);
  });
});

test("a stream ends at the same place as the complete response, with any chunks, in every style", async () => {
  const next = random(SEED);
  for (let round = 0; round < times(12, 200); round++) {
    const text = Array.from({ length: 24 }, () => "END \n"[Math.floor(next() * 5)]).join("");
    const stops = ["END", "ND\n", "D E", "\n\n"];
    pieces = [text];
    const cuts: string[] = [];
    for (let at = 0; at < text.length;) {
      const end = at + 1 + Math.floor(next() * 5);
      cuts.push(text.slice(at, end));
      at = end;
    }
    for (const style of Object.keys(CALLERS)) {
      pieces = [text];
      const whole = await ask(style, "gpt-5.1", false, stops);
      pieces = cuts;
      const streamed = await ask(style, "gpt-5.1", true, stops);

      expect([text, streamed.text, streamed.finish, streamed.which]).toEqual([
        text,
        whole.text,
        whole.finish,
        whole.which,
      ]);
    }
  }
});
