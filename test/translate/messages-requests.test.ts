import { describe, expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import { LossReport } from "#core/lossy.ts";
import type { ModelTraits } from "#core/model.ts";
import type { TextStyle } from "#core/style.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { chat } from "#styles/text/chat/index.ts";
import { messages } from "#styles/text/messages/index.ts";
import { messagesRequestFaults } from "#test/grammar/messages-request.ts";
import { countOf, HAS_VENDORS, readLines, withShared } from "#test/shared.ts";
import { readChatCorpus } from "./chat-corpus.ts";
import { readCaptured, readMessagesCorpus } from "./messages-corpus.ts";

withShared("corpus", () =>
  describe("recorded requests", () => {
    const asked = readMessagesCorpus().flatMap(({ file, request }) =>
      request === undefined ? [] : [{ file, request }],
    );
    const read = asked.filter(({ request }) => refusalOf(request) === undefined);

    test("[A4.5-a] [A8] are all accepted except those whose numbers the specification excludes", () => {
      const refused = asked
        .map(({ request }) => refusalOf(request))
        .filter((one) => one !== undefined);

      expect(asked.length).toBe(countOf(93, 12));
      expect([...new Set(refused)]).toEqual(HAS_VENDORS ? ["top_p"] : []);
      expect(read.length).toBe(countOf(91, 12));
    });

    test("[A4.5-a] have the same meaning after the hub", () => {
      for (const { file, request } of read) {
        const { body, lost } = rebuild(messages, request);

        expect([file, sorted(body)]).toEqual([file, sorted(request)]);
        expect([file, lost]).toEqual([file, []]);
      }
    });

    test("are accepted by a chat upstream after translation", () => {
      for (const { file, request } of read) {
        if (!isPortable(request)) continue;
        const { body } = rebuild(messages, request, chat);

        expect([file, isArray(body["messages"]) && body["messages"].length > 0]).toEqual([
          file,
          true,
        ]);
        expect(chat.inbound.readRequest(body, {}).model).toBe(textOf(request["model"]) ?? "");
      }
    });
  }),
);

withShared("captured", () =>
  describe("requests of real clients", () => {
    const bodies = readCaptured();
    const whole = bodies.filter(({ thread }) => thread === undefined);

    test("[A4.5-a] are all accepted", () => {
      expect(bodies.length).toBe(countOf(79, 12));
      expect(whole.map((body) => refusalOf(body)).filter((param) => param !== undefined)).toEqual(
        [],
      );
    });

    test("that refer to stored history get an error that it is not stored", () => {
      const threads = bodies.filter(({ thread }) => thread !== undefined);

      expect(threads.map((body) => refusalOf(body))).toEqual(
        HAS_VENDORS ? ["thread", "thread"] : [],
      );
    });

    test("have the facts that the client wrote", () => {
      for (const body of whole) {
        const facts = messages.inbound.readRequest(body, {});

        expect<unknown>([facts.model, facts.stream, facts.maxOutputTokens]).toEqual([
          body["model"],
          body["stream"] ?? false,
          body["max_tokens"],
        ]);
      }
    });

    test("have the same meaning after the hub", () => {
      for (const body of whole) {
        const again = rebuild(messages, body);

        expect(sorted(again.body)).toEqual(sorted(body));
        expect(again.lost).toEqual([]);
      }
    });

    test("can be sent to another upstream unless they need this style", () => {
      for (const body of whole.filter(isPortable)) {
        const { body: other } = rebuild(messages, body, chat);

        expect(chat.inbound.readRequest(other, {}).model).toBe(textOf(body["model"]) ?? "");
        const told = textsIn(other["messages"]).join("\n");
        expect(textsIn(body["messages"]).filter((text) => !told.includes(text))).toEqual([]);
      }
    });

    test.if(HAS_VENDORS)(
      "of chat clients become requests that a vendor of this style accepts",
      () => {
        const clients = chatBodies();

        expect(clients.length).toBeGreaterThan(countOf(150, 10));
        for (const body of clients) {
          for (const traits of MODELS) {
            const built = writtenForMessages(body, traits);

            expect(built === undefined ? [] : messagesRequestFaults(built)).toEqual([]);
          }
        }
      },
    );
  }),
);

test("the check detects requests that a vendor would refuse", () => {
  const wrong = {
    max_tokens: 0,
    temperature: 2,
    thinking: { type: "enabled", budget_tokens: 5 },
    tool_choice: { type: "any" },
    messages: [
      { role: "assistant", content: [{ type: "tool_use", id: "a.b", name: "f", input: "{}" }] },
      { role: "assistant", content: " " },
    ],
  };

  expect(messagesRequestFaults(wrong)).toEqual(
    expect.arrayContaining([
      "max_tokens is no count",
      "the first message is not the user's",
      "two messages of one role",
      '"a.b" is no id',
      "a call without its result",
      "a call that is none",
      "a blank message",
      "a choice among no tools",
      "thinking at a temperature",
      "thinking with a forced call",
      "no fit budget",
    ]),
  );
});

withShared("corpus", () =>
  test("recorded requests of chat clients become requests that a vendor of this style accepts", () => {
    let count = 0;
    for (const { file, request } of readChatCorpus()) {
      if (request === undefined || refusalOf(request, chat) !== undefined) continue;
      for (const traits of MODELS) {
        const built = writtenForMessages(request, traits);
        if (built === undefined) continue;
        count++;

        expect([file, messagesRequestFaults(built)]).toEqual([file, []]);
      }
    }
    expect(count).toBeGreaterThan(countOf(2_000, 50));
  }),
);

/** Of a model nobody knows, one that takes budgets, one that measures itself, and one of both. */
const MODELS: readonly ModelTraits[] = [
  {},
  { maxOutputTokens: 32_000, reasoningControls: { budget: { minTokens: 1_024 } } },
  { maxOutputTokens: 64_000, reasoningControls: { efforts: ["low", "high", "max"] } },
  {
    maxOutputTokens: 16_000,
    reasoningControls: { efforts: ["low", "high"], budget: { minTokens: 1_024 } },
  },
];

/** `undefined` where it is refused, for a reason that has a name. */
function writtenForMessages(request: JsonObject, model: ModelTraits): JsonObject | undefined {
  try {
    return rebuild(chat, request, messages, model).body;
  } catch (error) {
    if (error instanceof GatewayError && error.code === "not_carried") return undefined;
    throw error;
  }
}

function chatBodies(): readonly JsonObject[] {
  return CHAT_FILES.flatMap((file) => readLines(`captured/${file}.jsonl`))
    .filter(({ path }) => textOf(path)?.includes("/chat/completions") === true)
    .map(({ body }) => body)
    .filter(isObject);
}

const CHAT_FILES = [
  "cline-openai",
  "continue-openai",
  "grok-cli",
  "groq-mistral",
  "kilo-chat",
  "langchain",
  "llamaindex",
  "openai",
  "openai-agents",
  "openai24",
  "openai4",
  "openai5",
  "opencode-chat",
  "opencommit",
  "pi-openai-completions",
  "py",
  "qwen-code-openai",
  "vercel",
  "vercel24",
  "vercel5",
];

/** Tool servers, files, code and screens are only reached by the vendor that has them. */
function isPortable(body: JsonObject): boolean {
  const text = JSON.stringify(body);
  return (
    !text.includes('"mcp_servers"') &&
    !text.includes('"file_id"') &&
    !text.includes('"container"') &&
    !/"type":"(code_execution|computer)_\d{8}"/.test(text)
  );
}

/** Every text of a conversation, wherever it stands. */
function textsIn(value: Json | undefined): readonly string[] {
  if (isArray(value)) return value.flatMap(textsIn);
  if (!isObject(value)) return [];
  const { text, content } = value;
  const own = [text, content].filter((one) => typeof one === "string");
  return [...own, ...textsIn(content)];
}

function refusalOf(request: JsonObject, style: TextStyle = messages): string | undefined {
  try {
    style.inbound.readRequest(request, {});
    return undefined;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return error.param;
  }
}

function rebuild(
  from: TextStyle,
  request: JsonObject,
  to: TextStyle = from,
  model: ModelTraits = {},
): { readonly body: JsonObject; readonly lost: readonly string[] } {
  const report = new LossReport();
  const facts = from.inbound.readRequest(request, {});
  const parsed = from.inbound.parseRequest(request, facts);
  return { body: to.outbound.buildRequest(parsed, { report, model }), lost: report.fields };
}

/** Members in one order; those that are null or lists of nothing are left out, and so is a stream that is none. */
function sorted(value: Json | undefined): Json {
  if (isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value ?? null;
  const names = Object.keys(value).filter((name) => {
    const member = value[name];
    if (name === "stream") return member === true;
    return member !== null && member !== undefined && !(isArray(member) && member.length === 0);
  });
  return Object.fromEntries(names.sort().map((name) => [name, sorted(value[name])]));
}
