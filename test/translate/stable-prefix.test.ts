import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { LossReport } from "#core/lossy.ts";
import type { TextStyle } from "#core/style.ts";
import { isArray, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf } from "#lib/values.ts";
import { chat } from "#styles/text/chat/index.ts";
import { messages } from "#styles/text/messages/index.ts";
import { responses } from "#styles/text/responses/index.ts";
import { SEED, times } from "#test/seed.ts";

/**
 * Vendors check that what stands before a model's thinking is what it was made
 * behind. So whatever we change in a message depends on that message and on
 * what stands before it, and on nothing that comes later.
 */
function written(style: TextStyle, body: JsonObject): readonly string[] {
  const facts = chat.inbound.readRequest(body, {});
  const request = chat.inbound.parseRequest(body, facts);
  const context = {
    report: new LossReport(),
    model: { kind: "chat", rules: { bindsThinking: true, thinking: ["adaptive"] } },
  } as const;
  const built = style.outbound.buildRequest(request, context);
  const fitted: JsonObject = {
    ...built,
    ...definedIn(style.outbound.fitRequest?.(built, context)),
  };
  const head = [fitted["tools"], fitted["system"], fitted["instructions"]].map(
    (one) => one ?? null,
  );
  const said = [...listOf(fitted["messages"]), ...listOf(fitted["input"])].flatMap(piecesOf);
  return [...head, ...said].map((each) => JSON.stringify(each));
}

function definedIn(edits: Readonly<Record<string, Json | undefined>> = {}): JsonObject {
  return JSON.parse(JSON.stringify(edits)) as JsonObject;
}

/** Neighbours of one role are one turn, so that only their blocks count. */
function piecesOf(item: Json): readonly Json[] {
  const content = memberOf(item, "content");
  if (content === undefined) return [item];
  const blocks = isArray(content) ? content : [{ type: "text", text: content }];
  return blocks.map((block) => [memberOf(item, "role") ?? "", block]);
}

const WORDS = fc.constantFrom("hi", "  ", "", "Tell me more.\n", "ünï", "x".repeat(200));
const IDS = fc.constantFrom("call_1", "0", "call:7/a b", "x".repeat(90), "functions.f:0");
const NAMES = fc.constantFrom("f", "a.b", "x".repeat(100));

const user = WORDS.map((content) => [{ role: "user", content }]);
const told = WORDS.map((content) => [{ role: "developer", content }]);
const called = fc
  .array(fc.record({ id: IDS, name: NAMES, text: WORDS }), { minLength: 1, maxLength: 3 })
  .map((calls) => [
    {
      role: "assistant",
      content: null,
      tool_calls: calls.map(({ id, name }) => ({
        id,
        type: "function",
        function: { name, arguments: "{}" },
      })),
    },
    ...calls.map(({ id, text }) => ({ role: "tool", tool_call_id: id, content: text })),
  ]);
const answered = WORDS.filter((text) => text.trim() !== "").map((content) => [
  { role: "assistant", content },
  { role: "user", content: "And then?" },
]);
/** Each step ends with what a model has to answer. */
const step = fc.oneof(
  called,
  answered,
  fc.tuple(answered, told).map(([a, b]) => [...a, ...b]),
);
const conversation = fc.tuple(
  fc.array(fc.oneof(user, told), { maxLength: 2 }).map((some) => some.flat()),
  fc.array(step, { minLength: 10, maxLength: 10 }),
  fc.uniqueArray(NAMES, { minLength: 1 }),
);

describe.each([
  ["messages", messages],
  ["responses", responses],
  ["chat", chat],
] as const)("for upstreams of the %s style", (_id, style) => {
  test("each of ten turns begins like the turn before it", () => {
    fc.assert(
      fc.property(conversation, ([opening, steps, names]) => {
        const tools = names.map((name) => ({
          type: "function",
          function: { name, parameters: { type: "object" } },
        }));
        const said: Json[] = [...opening, { role: "user", content: "Begin." }];
        let before = written(style, { model: "m", tools, messages: [...said] });
        for (const more of steps) {
          said.push(...more);
          const now = written(style, { model: "m", tools, messages: [...said] });
          expect(now.slice(0, before.length)).toEqual([...before]);
          before = now;
        }
      }),
      { seed: SEED, numRuns: times(60, 1_000) },
    );
  });
});
