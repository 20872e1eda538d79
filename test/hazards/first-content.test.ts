import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { openBooks, type Books } from "#test/books.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import {
  CUT,
  openScriptedVendor,
  type Script,
  type ScriptedVendor,
} from "#test/scripted-vendor.ts";

/**
 * What counts as the beginning of an answer, and what as its end, for callers
 * of each style whose answers are passed on, and for some whose answers are
 * translated. Until there is content another channel answers, and nobody pays.
 */

const event = (body: object): string => {
  const name = "type" in body ? `event: ${String(body.type)}\n` : "";
  return `${name}data: ${JSON.stringify(body)}\n\n`;
};

interface Wire {
  readonly head: string;
  readonly content: string;
  readonly more: string;
  /** With a reason to end, and what was used. */
  readonly end: string;
  readonly error: string;
  /** An end that gives no reason. */
  readonly bareEnd: string;
  readonly broken: string;
}

const chunk = (delta: object, reason: string | null = null, more: object = {}): string =>
  event({ id: "c", model: "m", choices: [{ index: 0, delta, finish_reason: reason }], ...more });

const CHAT: Wire = {
  head: chunk({ role: "assistant", content: "" }),
  content: chunk({ content: "Hello" }),
  more: chunk({ content: " there" }),
  end: `${chunk({}, "stop")}${event({
    id: "c",
    choices: [],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  })}data: [DONE]\n\n`,
  error: event({ error: { message: "overloaded", type: "server_error", code: 502 } }),
  bareEnd: "data: [DONE]\n\n",
  broken: `${chunk({ content: "x" }).slice(0, 60)}\n\n`,
};

const MESSAGES: Wire = {
  head: `${event({
    type: "message_start",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 3, output_tokens: 1 },
    },
  })}${event({ type: "ping" })}${event({
    type: "content_block_start",
    index: 0,
    content_block: { type: "text", text: "" },
  })}`,
  content: event({
    type: "content_block_delta",
    index: 0,
    delta: { type: "text_delta", text: "Hello" },
  }),
  more: event({
    type: "content_block_delta",
    index: 0,
    delta: { type: "text_delta", text: " there" },
  }),
  end: `${event({ type: "content_block_stop", index: 0 })}${event({
    type: "message_delta",
    delta: { stop_reason: "end_turn", stop_sequence: null },
    usage: { output_tokens: 2 },
  })}${event({ type: "message_stop" })}`,
  error: event({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
  bareEnd: event({ type: "message_stop" }),
  broken: 'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"del\n\n',
};

const responseOf = (status: string, output: object[] = []): object => ({
  id: "resp_1",
  object: "response",
  model: "m",
  created_at: 7,
  status,
  output,
  usage: null,
});
const said = (text: string): object => ({
  type: "response.output_text.delta",
  item_id: "msg_1",
  output_index: 0,
  content_index: 0,
  delta: text,
});

const RESPONSES: Wire = {
  head: `${event({ type: "response.created", sequence_number: 0, response: responseOf("in_progress") })}${event(
    { type: "response.in_progress", sequence_number: 1, response: responseOf("in_progress") },
  )}`,
  content: event({ ...said("Hello"), sequence_number: 2 }),
  more: event({ ...said(" there"), sequence_number: 3 }),
  end: event({
    type: "response.completed",
    sequence_number: 4,
    response: {
      ...responseOf("completed", [
        {
          id: "msg_1",
          type: "message",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: "Hello there", annotations: [] }],
        },
      ]),
      usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
    },
  }),
  error: event({
    type: "error",
    sequence_number: 2,
    code: "server_error",
    message: "overloaded",
    param: null,
  }),
  bareEnd: "data: [DONE]\n\n",
  broken: 'data: {"type":"response.output_text.delta","del\n\n',
};

const candidate = (parts: object[], more: object = {}): string =>
  `data: ${JSON.stringify({
    candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
    modelVersion: "m",
    responseId: "r",
  })}\n\n`;

const GEMINI: Wire = {
  head: candidate([{ text: "" }]),
  content: candidate([{ text: "Hello" }]),
  more: candidate([{ text: " there" }]),
  end: candidate([{ text: "" }], { finishReason: "STOP" }),
  error: `data: ${JSON.stringify({ error: { code: 503, message: "busy", status: "UNAVAILABLE" } })}\n\n`,
  bareEnd: "data: [DONE]\n\n",
  broken: 'data: {"candidates":[{"content":{"parts":[{"te\n\n',
};

interface Setting {
  readonly name: string;
  readonly wire: Wire;
  readonly path: string;
  readonly body: object;
  /** What an answer's end looks like to this caller. */
  readonly isEnd: RegExp;
  readonly isError: RegExp;
}

const chatBody = (model: string): object => ({
  model,
  stream: true,
  max_tokens: 100,
  messages: [{ role: "user", content: "Say hello to me, please." }],
});
const responsesBody = (model: string): object => ({ model, stream: true, input: "Say hello." });
const geminiBody = { contents: [{ role: "user", parts: [{ text: "Say hello." }] }] };
const geminiPath = (model: string): string =>
  `/v1beta/models/${model}:streamGenerateContent?alt=sse`;

const CHAT_END = /\[DONE\]|"finish_reason":"/;
const MESSAGES_END = /message_stop|"stop_reason":"/;
const RESPONSES_END = /response\.completed/;
const GEMINI_END = /"finishReason"/;
const PLAIN_ERROR = /^data: \{"error":/m;
const NAMED_ERROR = /^event: error$/m;
const RESPONSE_ERROR = /^event: response\.failed$/m;

const SETTINGS: readonly Setting[] = [
  {
    name: "chat, passed on",
    wire: CHAT,
    path: "/v1/chat/completions",
    body: chatBody("gpt-4o-mini"),
    isEnd: CHAT_END,
    isError: PLAIN_ERROR,
  },
  {
    name: "messages, passed on",
    wire: MESSAGES,
    path: "/v1/messages",
    body: chatBody("claude-sonnet-4-5"),
    isEnd: MESSAGES_END,
    isError: NAMED_ERROR,
  },
  {
    name: "responses, passed on",
    wire: RESPONSES,
    path: "/v1/responses",
    body: responsesBody("gpt-4o-mini"),
    isEnd: RESPONSES_END,
    isError: RESPONSE_ERROR,
  },
  {
    name: "gemini, passed on",
    wire: GEMINI,
    path: geminiPath("gemini-2.5-flash"),
    body: geminiBody,
    isEnd: GEMINI_END,
    isError: PLAIN_ERROR,
  },
  {
    name: "messages out of chat",
    wire: CHAT,
    path: "/v1/messages",
    body: chatBody("local"),
    isEnd: MESSAGES_END,
    isError: NAMED_ERROR,
  },
  {
    name: "chat out of messages",
    wire: MESSAGES,
    path: "/v1/chat/completions",
    body: chatBody("claude-sonnet-4-5"),
    isEnd: CHAT_END,
    isError: PLAIN_ERROR,
  },
  {
    name: "responses out of gemini",
    wire: GEMINI,
    path: "/v1/responses",
    body: responsesBody("gemini-2.5-flash"),
    isEnd: RESPONSES_END,
    isError: RESPONSE_ERROR,
  },
  {
    name: "gemini out of chat",
    wire: CHAT,
    path: geminiPath("local"),
    body: geminiBody,
    isEnd: GEMINI_END,
    isError: PLAIN_ERROR,
  },
];

let first: ScriptedVendor;
let second: ScriptedVendor;
let gateway: TestGateway;
let books: Books;

const channels = (vendor: ScriptedVendor, priority: number): string =>
  [
    ["openai", "[gpt-4o-mini]"],
    ["anthropic", "[claude-sonnet-4-5]"],
    ["gemini", "[gemini-2.5-flash]"],
    ["ollama", "[local]"],
  ]
    .map(
      ([provider, models]) => `
  - name: ${provider}-${priority}
    provider: ${provider}
    base_url: ${vendor.url}/v1
    api_key: sk-upstream-secret-of-the-operator
    models: ${models}
    priority: ${priority}`,
    )
    .join("");

beforeAll(async () => {
  first = await openScriptedVendor();
  second = await openScriptedVendor();
  const price = "{ input: 1000, output: 5000 }";
  gateway = await openTestGateway({
    yaml: `channels:${channels(first, 0)}${channels(second, 1)}
models:
  gpt-4o-mini: ${price}
  claude-sonnet-4-5: ${price}
  gemini-2.5-flash: ${price}
  local: ${price}`,
  });
  books = openBooks(gateway.dataDir);
});
afterAll(async () => {
  books.close();
  await gateway[Symbol.asyncDispose]();
  await first[Symbol.asyncDispose]();
  await second[Symbol.asyncDispose]();
});
afterEach(async () => {
  gateway.gateway.health.forgetAll();
  expect(await books.whenSettled()).toEqual([]);
});

const COMMENT = ": OPENROUTER PROCESSING\n\n";

describe.each(SETTINGS.map((setting) => [setting.name, setting] as const))(
  "%s",
  (_name, { wire, path, body, isEnd, isError }) => {
    const whole: Script = [COMMENT, wire.head, wire.content, COMMENT, wire.more, wire.end];
    const ask = async (script: Script, next: Script = whole): Promise<[number, string]> => {
      first.play(script);
      second.play(next);
      const answer = await gateway.post(path, body);
      return [answer.status, await answer.text()];
    };

    const beginnings: [string, Script][] = [
      ["comments, and then a failure", [COMMENT, COMMENT, wire.error]],
      ["comments, and then nothing", [COMMENT, COMMENT]],
      ["its head, and then a failure", [COMMENT, wire.head, wire.error]],
      ["its head, and then a cut connection", [wire.head, CUT]],
      ["its head, and then an end without a reason", [wire.head, wire.bareEnd]],
      ["its head, and then a malformed event", [wire.head, wire.broken]],
      ["nothing but an end", [wire.bareEnd]],
      ["nothing at all", []],
    ];
    test.each(beginnings)("%s: the next channel answers, and is charged", async (_what, script) => {
      const [status, text] = await ask(script);

      expect([status, text.match(isError)]).toEqual([200, null]);
      expect(text).toContain("Hello");
      expect(text).toMatch(isEnd);
      await books.whenSettled();
      expect(books.calls().at(-1)).toMatchObject({ outcome: "completed", output_tokens: 2 });
      expect(String(books.calls().at(-1)?.["channel"])).toEndWith("-1");
    });

    test.each(beginnings)("%s, on every channel: an error without cost", async (_what, script) => {
      const before = books.spent();
      const [status] = await ask(script, script);

      expect(status).toBeWithin(500, 600);
      await books.whenSettled();
      expect(books.calls().at(-1)).toMatchObject({ outcome: "failed", cost: 0 });
      expect(books.spent()).toBe(before);
    });

    const begun = [COMMENT, wire.head, wire.content];
    const again = wire.more.replace(" there", " again");
    const breaks: [string, Script][] = [
      ["is cut", [...begun, CUT]],
      ["ends without its end", begun],
      ["ends without a reason", [...begun, wire.bareEnd]],
      ["fails", [...begun, wire.error]],
      ["holds an event that cannot be read", [...begun, wire.broken, wire.more, wire.end]],
      [
        "holds an event that is broken between sound brackets",
        [...begun, again, again, again.replace('" again"', '" again" x'), wire.more, wire.end],
      ],
      ["continues with a page", [...begun, '<html>{"a":"b"}</html>']],
    ];
    test.each(breaks)(
      "a response that %s after its start: an error event, no normal end, and the delivered part is charged",
      async (_what, script) => {
        const before = books.spent();
        const [status, text] = await ask(script);

        expect(status).toBe(200);
        expect(text).toMatch(isError);
        expect(text).not.toMatch(isEnd);
        expect(text).toContain("Hello");
        expect(text).not.toContain(" there");
        await books.whenSettled();
        expect(books.calls().at(-1)).toMatchObject({ outcome: "failed" });
        expect(books.spent()).toBeGreaterThan(before);
      },
    );

    test("a complete response is delivered, and no comment reaches a native client", async () => {
      const [status, text] = await ask(whole);

      expect(status).toBe(200);
      expect(text).toContain("Hello");
      expect(text).toContain(" there");
      expect(text).toMatch(isEnd);
      if (path.startsWith("/v1beta")) expect(text).not.toMatch(/^:/m);
    });
  },
);

describe("after the head was sent because no content came for ten seconds", () => {
  const SILENT_MS = 10_500;
  const asked = SETTINGS.filter(({ wire }) => wire === CHAT);
  const askAll = async (script: Script, next: Script) => {
    first.play(script);
    second.play(next);
    const answers = await Promise.all(asked.map(({ path, body }) => gateway.post(path, body)));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    await books.whenSettled();
    const calls = books.calls().slice(-asked.length);
    return { statuses: answers.map(({ status }) => status), texts, calls };
  };

  test.each<[string, Script]>([
    ["comments, and then a failure", [COMMENT, SILENT_MS, COMMENT, CHAT.error]],
    ["its head, and then a cut connection", [CHAT.head, SILENT_MS, CUT]],
  ])(
    "%s: the next channel's response is the whole stream, and is charged once",
    async (_w, script) => {
      const { head, content, more, end } = CHAT;
      const before = second.count;
      const { statuses, texts, calls } = await askAll(script, [head, content, more, end]);

      expect(asked.length).toBe(3);
      expect(second.count - before).toBe(asked.length);
      expect(statuses).toEqual(asked.map(() => 200));
      for (const [index, { isEnd, isError }] of asked.entries()) {
        const text = texts[index] ?? "";
        expect(text.match(isError)).toBeNull();
        expect(text).toContain("Hello");
        expect(text).toContain(" there");
        expect(text).toMatch(isEnd);
        expect(text.match(/"role":"assistant"|message_start"/g)?.length ?? 0).toBeLessThan(3);
      }
      for (const call of calls) {
        expect(call).toMatchObject({ outcome: "completed", output_tokens: 2 });
        expect(String(call["channel"])).toEndWith("-1");
        const attempts = JSON.parse(String(call["attempts"])) as { fault: string | null }[];
        expect(attempts.map(({ fault }) => fault === null)).toEqual([false, true]);
      }
      expect([...books.closes().values()].every((closes) => closes === 1)).toBe(true);
    },
  );

  test("if every channel fails, the stream has an error event, without cost", async () => {
    const spent = books.spent();
    const script = [COMMENT, SILENT_MS, CHAT.error];
    const { statuses, texts, calls } = await askAll(script, [CHAT.head, CHAT.error]);

    expect(statuses).toEqual(asked.map(() => 200));
    for (const [index, { isEnd, isError }] of asked.entries()) {
      expect(texts[index]).toMatch(isError);
      expect(texts[index]).not.toMatch(isEnd);
    }
    for (const call of calls) {
      expect(call).toMatchObject({ outcome: "failed", cost: 0 });
      const attempts = JSON.parse(String(call["attempts"])) as { fault: string | null }[];
      expect(attempts.every(({ fault }) => fault !== null)).toBe(true);
    }
    expect(books.spent()).toBe(spent);
  });
});

describe.each([
  ["/v1/chat/completions", chatBody("gpt-4o-mini"), { choices: [] }],
  [
    "/v1/chat/completions",
    chatBody("gpt-4o-mini"),
    { choices: [{ index: 0, message: { role: "assistant", content: "" }, finish_reason: null }] },
  ],
  ["/v1/messages", chatBody("claude-sonnet-4-5"), { type: "message", content: [] }],
  ["/v1/messages", chatBody("local"), { choices: [{ index: 0, message: { content: "" } }] }],
  ["/v1/chat/completions", chatBody("claude-sonnet-4-5"), { type: "message", content: [] }],
  [
    geminiPath("gemini-2.5-flash").replace("streamGenerateContent?alt=sse", "generateContent"),
    geminiBody,
    { candidates: [{ content: { parts: [{ text: "" }] } }] },
  ],
])("a complete response at %s", (path, body, empty) => {
  test("that is empty without a reason is an error without cost", async () => {
    const before = books.spent();
    for (const vendor of [first, second]) vendor.play([JSON.stringify(empty)], "application/json");
    const answer = await gateway.post(path, {
      ...body,
      ...("stream" in body ? { stream: false } : {}),
    });

    expect(answer.status).toBe(502);
    expect(second.count).toBeGreaterThan(0);
    await books.whenSettled();
    expect(books.spent()).toBe(before);
  });
});
