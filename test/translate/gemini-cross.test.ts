import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { Block, ChatEvent, ChatRequest, Message } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { LossReport } from "#core/lossy.ts";
import type { ModelTraits } from "#core/model.ts";
import { isArray, isObject, parseJson, type JsonObject } from "#lib/json.ts";
import { chat } from "#styles/text/chat/index.ts";
import { gemini } from "#styles/text/gemini/index.ts";
import { chatStreamFaults } from "#test/grammar/chat.ts";
import { geminiRequestFaults } from "#test/grammar/gemini-request.ts";
import { geminiStreamFaults } from "#test/grammar/gemini.ts";
import { SEED, times } from "#test/seed.ts";
import { countOf, readLines, SHARED, withShared } from "#test/shared.ts";
import { decodeStream, encodeStream } from "#test/translate/streams.ts";
import { saidIn, type SaidChoice } from "./chat-answers.ts";
import { eventsOf, isAnswer, isFailed, readChatCorpus } from "./chat-corpus.ts";
import { nativeEvents, readNativeCorpus } from "./gemini-corpus.ts";

const MODELS: readonly ModelTraits[] = [
  {},
  { kind: "chat", reasoningControls: { budget: { minTokens: 128, maxTokens: 32_768 } } },
  { kind: "chat", reasoningControls: { efforts: ["low", "high"] } },
];

withShared("corpus", () =>
  describe("between chat and native", () => {
    const chats = readChatCorpus();
    const streams = chats.filter((record) => record.sse !== undefined && !isFailed(record));
    const native = readNativeCorpus().filter(({ status }) => status === 200);

    test("[A4.7-b] every recorded chat stream becomes a valid native stream with the same content", async () => {
      for (const { file, sse = "" } of streams) {
        const events = await Array.fromAsync(decodeStream(chat, each(eventsOf(sse))));
        const out = await encode(events);
        const again = await Array.fromAsync(decodeStream(gemini, each(nativeEvents(out))));

        expect([file, geminiStreamFaults(out)]).toEqual([file, []]);
        expect([file, meaning(again)]).toEqual([file, meaning(events)]);
      }
    });

    test("every recorded complete chat response has the same content in the native style", () => {
      for (const { file, body } of chats.filter(
        (record) => !isFailed(record) && isAnswer(record),
      )) {
        if (!isObject(body)) continue;
        const events = chat.outbound.parseResponse(body);
        const built = gemini.inbound.buildResponse(events, REQUEST);

        expect([file, meaning(gemini.outbound.parseResponse(built))]).toEqual([
          file,
          meaning(events),
        ]);
      }
    });

    test("every recorded native stream becomes a valid chat stream", async () => {
      for (const { file, sse } of native) {
        if (sse === undefined) continue;
        const events = await Array.fromAsync(decodeStream(gemini, each(nativeEvents(sse))));
        const rawFields = { chat: { stream_options: { include_usage: true } } };
        const pieces = encodeStream(chat, each(events), { ...REQUEST, rawFields });
        const out = (await Array.fromAsync(pieces)).join("");

        expect([file, chatStreamFaults(out, { wantsUsage: true })]).toEqual([file, []]);
      }
    });

    test("every recorded chat request becomes one that a native server accepts", () => {
      const asked = chats.flatMap(({ file, status, request }) =>
        request === undefined || status !== 200 ? [] : [{ file, request }],
      );
      const refused = new Set<string>();
      let count = 0;
      for (const { file, request } of asked) {
        const built = translated(request);
        if (typeof built === "string") refused.add(built);
        else {
          count += built.length;
          expect([file, built.flatMap(geminiRequestFaults)]).toEqual([file, []]);
        }
      }

      expect(count).toBeGreaterThan(countOf(2_000, 30));
      // Files that only their vendor holds, and what the chat style itself does not take.
      expect(
        [...refused].filter((why) => !/^(invalid_request|not_carried messages)/.test(why)),
      ).toEqual([]);
    });
  }),
);

withShared("captured", () =>
  test("chat requests of real clients become ones that a native server accepts", () => {
    const bodies = readdirSync(join(SHARED, "captured"))
      .filter((file) => file.endsWith(".jsonl"))
      .flatMap((file) => readLines(`captured/${file}`))
      .filter(({ path }) => typeof path === "string" && path.includes("/chat/completions"))
      .map(({ body }) => body)
      .filter(isObject);

    expect(bodies.length).toBeGreaterThan(countOf(150, 10));
    for (const body of bodies) {
      const built = translated(body);
      expect(typeof built === "string" ? [built] : built.flatMap(geminiRequestFaults)).toEqual([]);
    }
  }),
);

withShared("captured", () =>
  test("[A4.7-d] native requests of real clients become chat requests with matched results", () => {
    const bodies = readdirSync(join(SHARED, "captured"))
      .filter((file) => file.endsWith(".jsonl"))
      .flatMap((file) => readLines(`captured/${file}`))
      .filter(({ path }) => typeof path === "string" && path.includes("enerateContent"))
      .map(({ body }) => body)
      .filter(isObject);
    let answers = 0;
    for (const body of bodies) {
      const facts = gemini.inbound.readRequest(body, { model: "m", stream: false });
      const request = gemini.inbound.parseRequest(body, facts);
      const context = { report: new LossReport(), model: {} };
      const built = chat.outbound.buildRequest(request, context);
      const messages = isArray(built["messages"]) ? built["messages"].filter(isObject) : [];
      const called = messages.flatMap(({ tool_calls: calls }) =>
        isArray(calls) ? calls.filter(isObject).map(({ id }) => id) : [],
      );
      const answered = messages.filter(({ role }) => role === "tool");
      answers += answered.length;

      expect(answered.map(({ tool_call_id: id }) => id)).toEqual(called);
      expect(() => chat.inbound.readRequest(JSON.parse(JSON.stringify(built)), {})).not.toThrow();
    }
    expect(answers).toBeGreaterThan(countOf(10, 1));
  }),
);

describe(`any conversation (seed ${SEED})`, () => {
  const text = fc.string({ minLength: 1 }).map((value): Block => ({ type: "text", text: value }));
  const call = fc
    .record({ id: fc.constantFrom("a", "b", "c"), name: fc.constantFrom("f", "1 g", "h") })
    .map((one): Block => ({
      type: "tool_call",
      ...one,
      arguments: '{"x":1}',
      kind: "function",
    }));
  const result = fc
    .record({
      callId: fc.constantFrom("a", "b", "c", "z"),
      isError: fc.boolean(),
      said: fc.string(),
    })
    .map(({ callId, isError, said }): Block => ({
      type: "tool_result",
      callId,
      isError,
      blocks: [{ type: "text", text: said }],
    }));
  const blocks = {
    system: fc.array(text, { maxLength: 2 }),
    user: fc.array(fc.oneof(text, result), { maxLength: 3 }),
    assistant: fc.array(fc.oneof(text, call), { maxLength: 3 }),
    tool: fc.array(result, { minLength: 1, maxLength: 2 }),
  };
  const message = fc
    .constantFrom("system" as const, "user" as const, "assistant" as const, "tool" as const)
    .chain((role) => blocks[role].map((made): Message => ({ role, blocks: made })));
  const question: Message = { role: "user", blocks: [{ type: "text", text: "hi" }] };

  test("becomes one that a native server accepts", () => {
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 8 }),
        fc.constantFrom(...MODELS),
        (made, model) => {
          const request = { ...REQUEST, messages: [...made, question] };
          const body = gemini.outbound.buildRequest(request, { report: new LossReport(), model });

          expect(geminiRequestFaults(JSON.parse(JSON.stringify(body)))).toEqual([]);
        },
      ),
      { seed: SEED, numRuns: times(250, 20_000) },
    );
  });

  test("that is valid keeps all its text, calls and results", () => {
    const step = fc.record({
      calls: fc.uniqueArray(fc.constantFrom("f", "g.2", "h"), { minLength: 1, maxLength: 3 }),
      said: fc.string({ minLength: 1 }),
      isError: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 4 }), (steps) => {
        const messages = steps.flatMap(({ calls, said, isError }, at): Message[] => [
          question,
          {
            role: "assistant",
            blocks: [
              { type: "text", text: said },
              ...calls.map((name): Block => ({
                type: "tool_call",
                id: `${at}${name}`,
                name,
                arguments: JSON.stringify({ said }),
                kind: "function",
              })),
            ],
          },
          ...calls.map((name): Message => ({
            role: "tool",
            blocks: [
              {
                type: "tool_result",
                callId: `${at}${name}`,
                blocks: [{ type: "text", text: said }],
                ...(isError ? { isError } : {}),
              },
            ],
          })),
        ]);
        const request = { ...REQUEST, messages: [...messages, question] };
        const body = gemini.outbound.buildRequest(request, {
          report: new LossReport(),
          model: {},
        });
        const facts = gemini.inbound.readRequest(body, { model: "m", stream: false });
        const again = gemini.inbound.parseRequest(body, facts);

        expect(story(again.messages)).toEqual(story(request.messages));
      }),
      { seed: SEED, numRuns: times(100, 5_000) },
    );
  });
});

const REQUEST: ChatRequest = {
  model: "m",
  messages: [],
  stream: true,
  sampling: {},
  reasoning: { visible: true },
};

/** A chat request for each kind of native model; why not, where it cannot be. */
function translated(body: JsonObject): readonly JsonObject[] | string {
  try {
    const request = chat.inbound.parseRequest(body, chat.inbound.readRequest(body, {}));
    return MODELS.map((model) => {
      const context = { report: new LossReport(), model };
      const built: JsonObject = JSON.parse(
        JSON.stringify(gemini.outbound.buildRequest(request, context)),
      );
      return built;
    });
  } catch (error) {
    if (error instanceof GatewayError) return `${error.code} ${error.param}`;
    throw error;
  }
}

async function encode(events: readonly ChatEvent[]): Promise<string> {
  return (await Array.fromAsync(encodeStream(gemini, each(events), REQUEST))).join("");
}

/** What the two styles both have. */
function meaning(events: readonly ChatEvent[]): unknown {
  const { choices, usage } = saidIn(events);
  return {
    choices: Object.entries(choices).map(([index, choice]) => [index, bothHave(choice)]),
    usage: usage === undefined ? undefined : { ...usage, cacheWriteTokens: 0 },
  };
}

function bothHave(choice: SaidChoice): unknown {
  return {
    text: choice.text + choice.refusal + choice.transcript,
    reasoning: choice.reasoning,
    calls: choice.calls.map(({ name, arguments: args }) => ({ name, args: sameObject(args) })),
    images: choice.images,
    finish: choice.finish,
    cited: new Set(choice.citations).size,
  };
}

/** What is no object is wrapped into one by the style that has nothing else. */
function sameObject(args: string): JsonObject {
  const json = parseJson(args);
  if (json === undefined) return { _raw: args };
  return isObject(json) ? json : { value: json };
}

/** A conversation in words, with each result told by the call that it answers. */
function story(messages: readonly Message[]): readonly string[] {
  const names = new Map<string, string>();
  return messages.flatMap(({ blocks }) =>
    blocks.map((block) => {
      switch (block.type) {
        case "tool_call":
          names.set(block.id, block.name);
          return `${block.name}(${block.arguments})`;
        case "tool_result": {
          const said = block.blocks.map((one) => ("text" in one ? one.text : "")).join();
          const name = names.get(block.callId) ?? "nobody";
          return `${name} ${block.isError === true ? "failed" : "gave"}: ${said}`;
        }
        default:
          return "text" in block ? block.text : block.type;
      }
    }),
  );
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
