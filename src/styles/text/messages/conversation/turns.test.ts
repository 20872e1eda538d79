import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Block, ChatRequest, Message } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { LossReport } from "#core/lossy.ts";
import type { JsonObject } from "#lib/json.ts";
import { messagesRequestFaults } from "#test/grammar/messages-request.ts";
import { SEED, times } from "#test/seed.ts";
import { parseRequest } from "../request/request-in.ts";
import { buildRequest } from "../request/request-out.ts";

function written(messages: readonly Message[]): JsonObject {
  const request: ChatRequest = { model: "m", messages, stream: false, sampling: {} };
  const body = buildRequest(request, { report: new LossReport(), model: {} });
  expect(messagesRequestFaults(body)).toEqual([]);
  return body;
}

/** In short: who says what, in order. */
function turns(...messages: Message[]): readonly unknown[] {
  const { system, messages: wire } = written(messages);
  return [...(system === undefined ? [] : [{ system }]), ...(Array.isArray(wire) ? wire : [])];
}

function said(role: Message["role"], ...texts: string[]): Message {
  return { role, blocks: texts.map((text) => ({ type: "text", text })) };
}

function calling(...ids: string[]): Message {
  return { role: "assistant", blocks: ids.map((id) => call(id)) };
}

function call(id: string): Block {
  return { type: "tool_call", id, name: "f", arguments: "{}", kind: "function" };
}

function result(callId: string, text = "r"): Message {
  const blocks: Block[] = [{ type: "text", text }];
  return { role: "tool", blocks: [{ type: "tool_result", callId, blocks }] };
}

function use(id: string): JsonObject {
  return { type: "tool_use", id, name: "f", input: {} };
}

function answer(id: string, text = "r"): JsonObject {
  return { type: "tool_result", tool_use_id: id, content: text };
}

const BROKEN = { is_error: true, content: "This call was broken off before it had a result." };

describe("user and assistant turns alternate", () => {
  test("consecutive messages of one role become one turn", () => {
    expect(
      turns(
        said("user", "a"),
        said("user", "b"),
        said("assistant", "c"),
        said("assistant", "d"),
        said("user", "e"),
      ),
    ).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "text", text: "c" },
          { type: "text", text: "d" },
        ],
      },
      { role: "user", content: "e" },
    ]);
  });

  test("blank text is omitted, and so is a turn with nothing else", () => {
    expect(turns(said("user", "a", " \n"), said("assistant", ""), said("user", "b"))).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
    ]);
  });

  test("a conversation that begins with an assistant turn gets an empty user turn before it", () => {
    expect(turns(said("assistant", "Welcome."), said("user", "hi"))).toEqual([
      { role: "user", content: "..." },
      { role: "assistant", content: "Welcome." },
      { role: "user", content: "hi" },
    ]);
  });

  test("content of this style keeps its position, with any origin", () => {
    const data = { type: "server_tool_use", id: "s", name: "web_search", input: {} };
    const assistant: Message = {
      role: "assistant",
      blocks: [{ type: "other", style: "messages", data }],
    };

    expect(turns(said("user", "a"), assistant, said("user", "b"))).toEqual([
      { role: "user", content: "a" },
      { role: "assistant", content: [data] },
      { role: "user", content: "b" },
    ]);
  });

  test("a prefix of the assistant does not end with white space", () => {
    expect(turns(said("user", "hi "), said("assistant", "Sure: \n"))).toEqual([
      { role: "user", content: "hi " },
      { role: "assistant", content: "Sure:" },
    ]);
    expect(turns(said("user", "hi "))).toEqual([{ role: "user", content: "hi " }]);
  });
});

describe("instructions are before the conversation", () => {
  test("leading ones, of any role", () => {
    expect(turns(said("system", "a"), said("developer", "b"), said("user", "hi"))).toEqual([
      {
        system: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
      { role: "user", content: "hi" },
    ]);
  });

  test("later ones stay in place, as user text", () => {
    expect(
      turns(said("user", "hi"), said("assistant", "a"), said("system", "b"), said("user", "c")),
    ).toEqual([
      { role: "user", content: "hi" },
      { role: "assistant", content: "a" },
      {
        role: "user",
        content: [
          { type: "text", text: "<system>\nb\n</system>" },
          { type: "text", text: "c" },
        ],
      },
    ]);
  });

  test("alone they are user text", () => {
    expect(turns(said("system", "Tell a joke."))).toEqual([
      { role: "user", content: "Tell a joke." },
    ]);
  });
});

describe("[A4.3-02] every call has its result in the next turn, before anything else", () => {
  test("results are first, in the order of their calls", () => {
    expect(
      turns(
        said("user", "hi"),
        calling("a", "b"),
        said("user", "well?"),
        result("b", "2"),
        result("a", "1"),
      ),
    ).toEqual([
      { role: "user", content: "hi" },
      { role: "assistant", content: [use("a"), use("b")] },
      {
        role: "user",
        content: [answer("a", "1"), answer("b", "2"), { type: "text", text: "well?" }],
      },
    ]);
  });

  test("an interrupted call gets a result that says so", () => {
    expect(turns(said("user", "hi"), calling("a", "b"), result("a"), said("user", "stop"))).toEqual(
      [
        { role: "user", content: "hi" },
        { role: "assistant", content: [use("a"), use("b")] },
        {
          role: "user",
          content: [answer("a"), { ...answer("b"), ...BROKEN }, { type: "text", text: "stop" }],
        },
      ],
    );
  });

  test("a call at the very end gets one too", () => {
    expect(turns(said("user", "hi"), calling("a"))).toEqual([
      { role: "user", content: "hi" },
      { role: "assistant", content: [use("a")] },
      { role: "user", content: [{ ...answer("a"), ...BROKEN }] },
    ]);
  });

  test("a late result is moved to its place", () => {
    expect(
      turns(
        said("user", "hi"),
        calling("a"),
        said("user", "?"),
        said("assistant", "wait"),
        result("a"),
      ),
    ).toEqual([
      { role: "user", content: "hi" },
      { role: "assistant", content: [use("a")] },
      { role: "user", content: [answer("a"), { type: "text", text: "?" }] },
      { role: "assistant", content: "wait" },
    ]);
  });

  test("a result without a call is user text", () => {
    expect(turns(said("user", "hi"), result("lost", "42"))).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "hi" },
          { type: "text", text: "The result of an earlier tool call:" },
          { type: "text", text: "42" },
        ],
      },
    ]);
  });

  test("a failed tool's result has the error flag, and keeps its images", () => {
    const picture: Block = { type: "image", source: { kind: "data", base64: "/9j/AA" } };
    const failed: Block = { type: "tool_result", callId: "a", isError: true, blocks: [picture] };

    expect(
      turns(said("user", "hi"), calling("a"), { role: "tool", blocks: [failed] }),
    ).toMatchObject([{}, {}, { content: [{ is_error: true, content: [{ type: "image" }] }] }]);
  });
});

describe("call ids are valid and unique, and results are matched to their calls", () => {
  test("an id with other characters, or a long one, is replaced in both places", () => {
    const id = `call.1:${"x".repeat(5_000)}`;
    const wire = JSON.stringify(turns(said("user", "hi"), calling(id), result(id)));
    const [first, second] = wire.match(/call_1_x+_[0-9a-f]{12}/g) ?? [];

    expect(first).toBe(String(second));
    expect(first?.length).toBeLessThan(64);
  });

  test("an id that is repeated in every turn, or missing, becomes several", () => {
    expect(
      turns(said("user", "hi"), calling("f"), result("f", "1"), calling("f"), result("f", "2")),
    ).toEqual([
      { role: "user", content: "hi" },
      { role: "assistant", content: [use("f")] },
      { role: "user", content: [answer("f", "1")] },
      { role: "assistant", content: [use("f_2")] },
      { role: "user", content: [answer("f_2", "2")] },
    ]);
    expect(
      turns(said("user", "hi"), calling("", ""), result("", "1"), result("", "2")),
    ).toMatchObject([{}, {}, { content: [{ content: "1" }, { content: "2" }] }]);
  });

  test("the same request gets the same ids each time, so that it can be cached", () => {
    const question = [said("user", "hi"), calling("a.b"), result("a.b")];

    expect(written(question)).toEqual(written(question));
  });
});

describe("signed reasoning stays before its calls", () => {
  const thought: Block = {
    type: "reasoning",
    text: "why",
    signature: { issuer: "messages", value: "c2ln" },
  };
  const wire = { type: "thinking", thinking: "why", signature: "c2ln" };

  test("in its turn", () => {
    expect(
      turns(said("user", "hi"), { role: "assistant", blocks: [thought, call("a")] }, result("a")),
    ).toEqual([
      { role: "user", content: "hi" },
      { role: "assistant", content: [wire, use("a")] },
      { role: "user", content: [answer("a")] },
    ]);
  });

  test("is reported as lost if no call follows it, and only then", () => {
    const lost = (...blocks: Block[]): readonly string[] => {
      const report = new LossReport();
      const messages = [said("user", "hi"), { role: "assistant", blocks } as const];
      const request = { model: "m", messages, stream: false, sampling: {} };
      buildRequest(request, { report, model: {} });
      return report.fields;
    };

    expect(lost(thought)).toEqual(["reasoning"]);
    expect(lost({ type: "text", text: "a" }, thought)).toEqual(["reasoning"]);
    expect(lost(thought, { type: "text", text: "a" })).toEqual([]);
  });

  test("and is omitted if no call follows it", () => {
    expect(
      turns(said("user", "hi"), { role: "assistant", blocks: [thought] }, said("user", "well?")),
    ).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "hi" },
          { type: "text", text: "well?" },
        ],
      },
    ]);
  });
});

const TEXT = fc.constantFrom("a", "b ", " ", "", "ü\n");
const ID = fc.constantFrom("a", "b", "a.b", "", "toolu_1");
const BLOCK: fc.Arbitrary<Block> = fc.oneof(
  TEXT.map((text): Block => ({ type: "text", text })),
  TEXT.map((text): Block => ({ type: "refusal", text })),
  fc
    .record({ text: TEXT, issuer: fc.constantFrom("messages", "gemini") })
    .map(({ text, issuer }): Block => ({
      type: "reasoning",
      text,
      signature: { issuer, value: "s" },
    })),
  fc
    .record({ id: ID, args: fc.constantFrom("{}", "", "[", '{"a":1}') })
    .map(({ id, args }): Block => ({
      type: "tool_call",
      id,
      name: "f.g",
      arguments: args,
      kind: "function",
    })),
  fc.record({ callId: ID, text: TEXT }).map(({ callId, text }): Block => ({
    type: "tool_result",
    callId,
    blocks: [{ type: "text", text }],
  })),
  fc.constant<Block>({ type: "image", source: { kind: "data", base64: "/9j/AA" } }),
  fc.constant<Block>({ type: "other", style: "chat", data: { type: "x" } }),
  fc.constantFrom<Block>(
    { type: "text", text: "m", cache: "short" },
    { type: "text", text: "n", cache: "long" },
  ),
);

/** Calls are the assistant's, results are not; everything else may stand anywhere. */
const MESSAGE: fc.Arbitrary<Message> = fc
  .record({
    role: fc.constantFrom<Message["role"]>("system", "developer", "user", "assistant", "tool"),
    blocks: fc.array(BLOCK, { maxLength: 4 }),
  })
  .map(({ role, blocks }) => ({
    role,
    blocks: blocks.filter(({ type }) =>
      role === "assistant" ? type !== "tool_result" : type !== "tool_call",
    ),
  }));

test(`any conversation becomes one that a vendor accepts (seed ${SEED})`, () => {
  fc.assert(
    fc.property(
      fc.array(MESSAGE, { maxLength: 8 }),
      fc.constantFrom(undefined, { budgetTokens: 2_000 }),
      (messages, reasoning) => {
        const request: ChatRequest = {
          model: "m",
          messages,
          stream: false,
          sampling: {},
          ...(reasoning === undefined ? {} : { reasoning }),
        };
        const body = buildRequest(request, { report: new LossReport(), model: {} });

        expect(messagesRequestFaults(body)).toEqual([]);
      },
    ),
    { seed: SEED, numRuns: times(1_000, 20_000) },
  );
});

test(`read back, it has all its text in order (seed ${SEED})`, () => {
  fc.assert(
    fc.property(fc.array(MESSAGE, { maxLength: 8 }), (messages) => {
      const request: ChatRequest = { model: "m", messages, stream: false, sampling: {} };
      const body = buildRequest(request, { report: new LossReport(), model: {} });
      const again = parseRequest(body).messages;
      const calls = messages.flatMap(({ blocks }) =>
        blocks.filter(({ type }) => type === "tool_call"),
      );
      const carried = again.flatMap(({ blocks }) =>
        blocks.filter(({ type }) => type === "tool_call"),
      );

      expect(carried.length).toBe(calls.length);
      expect(wordsOf(again, "assistant")).toBe(wordsOf(messages, "assistant"));
    }),
    { seed: SEED, numRuns: times(500, 20_000) },
  );
});

/** All that one side says, without blanks. */
function wordsOf(messages: readonly Message[], role: Message["role"]): string {
  const blocks = messages.filter((one) => one.role === role).flatMap((one) => one.blocks);
  const said = blocks.filter(({ type }) => type === "text" || type === "refusal");
  return said.map((block) => ("text" in block ? block.text.trim() : "")).join("");
}

test("unsupported content is refused by the position of its message", () => {
  const sound: Block = { type: "audio", source: { kind: "data", base64: "AA" } };
  const run = (): unknown =>
    written([said("user", "a"), said("assistant", "b"), { role: "user", blocks: [sound] }]);
  const thrown = ((): unknown => {
    try {
      return run();
    } catch (error) {
      return error;
    }
  })();

  expect(thrown).toBeInstanceOf(GatewayError);
  expect(thrown).toMatchObject({ code: "not_carried", param: "messages[2]" });
});
