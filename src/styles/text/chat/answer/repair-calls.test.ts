import { describe, expect, test } from "bun:test";
import { Buffer } from "node:buffer";
import type { RequestFacts } from "#core/style.ts";
import { isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { formatSse, readEvents } from "#lib/sse.ts";
import { listOf, memberOf } from "#lib/values.ts";
import { repairAnswer } from "./repair-calls.ts";
import { openTap } from "./tap.ts";

const FACTS: RequestFacts = {
  model: "m",
  stream: true,
  maxOutputTokens: undefined,
  choices: 1,
  messages: 1,
  wantsUsage: true,
};
const ID = expect.stringMatching(/^call_[A-Za-z0-9]{24}$/);
const CALL = { id: "call_1", type: "function", function: { name: "f", arguments: "{}" } };

function answer(call: JsonObject, finish: Json = "tool_calls"): JsonObject {
  const message = { role: "assistant", content: null, tool_calls: [call] };
  return { id: "c", choices: [{ index: 0, message, finish_reason: finish }], usage: {} };
}

describe("a complete response", () => {
  test.each<[string, JsonObject]>([
    ["with a call", answer(CALL)],
    ["that was cut off in a call", answer(CALL, "length")],
    ["without a call", { choices: [{ message: { content: "hi" }, finish_reason: "stop" }] }],
    ["with an empty list of calls", { choices: [{ message: { tool_calls: [] } }] }],
  ])("that obeys the grammar is unchanged: %s", (_, body) => {
    expect(repairAnswer(body, FACTS)).toBeUndefined();
  });

  test("gets arguments as text, ids, and the finish reason for calls", () => {
    const called = { name: "f", arguments: { a: [1] } };
    for (const finish of ["stop", null, ""]) {
      expect(repairAnswer(answer({ function: called }, finish), FACTS)).toEqual({
        choices: [
          {
            index: 0,
            message: {
              role: "assistant",
              content: null,
              tool_calls: [{ id: ID, function: { name: "f", arguments: '{"a":[1]}' } }],
            },
            finish_reason: "tool_calls",
          },
        ],
      });
    }
  });

  test("of a forced function ends with stop, as at the vendor", () => {
    expect(repairAnswer(answer(CALL, "stop"), { forcesTool: true })).toBeUndefined();
  });
});

interface Streamed {
  readonly isSame: boolean;
  readonly deltas: readonly Json[];
  readonly finishes: readonly Json[];
}

function streamed(chunks: readonly JsonObject[], facts = FACTS, cutAt?: number): Streamed {
  const tap = openTap(facts);
  const frames = [...chunks.map((one) => formatSse(JSON.stringify(one))), formatSse("[DONE]")];
  const groups = cutAt === undefined ? [frames] : [frames.slice(0, cutAt), frames.slice(cutAt)];
  const sent = Buffer.from(frames.join(""));
  const out = Buffer.concat(
    groups.map((group) => tap.push(Buffer.from(group.join(""))) ?? Buffer.alloc(0)),
  );
  const read = readEvents(out.toString()).map(({ data }) => parseJson(data));
  const choices = read.filter(isObject).flatMap((one) => listOf(one["choices"]));
  expect(tap.isComplete()).toBe(true);
  return {
    isSame: sent.equals(out),
    deltas: choices.flatMap((one) => listOf(memberOf(memberOf(one, "delta"), "tool_calls"))),
    finishes: choices.map((one) => memberOf(one, "finish_reason") ?? null).filter((one) => one),
  };
}

function chunk(delta: JsonObject, finish: Json = null): JsonObject {
  return { id: "c", model: "m", choices: [{ index: 0, delta, finish_reason: finish }] };
}

function calling(fragment: JsonObject, finish: Json = null): JsonObject {
  return chunk({ tool_calls: [fragment] }, finish);
}

const HEAD = chunk({ role: "assistant", content: "" });
const FIRST = { index: 0, ...CALL, function: { name: "f", arguments: "" } };
const MORE = { index: 0, function: { arguments: "{}" } };
const USAGE = { id: "c", choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } };

describe("a stream", () => {
  test.each<[string, JsonObject[]]>([
    ["words", [chunk({ content: "hi" }), chunk({}, "stop")]],
    ["a call", [HEAD, calling(FIRST), calling(MORE), chunk({}, "tool_calls"), USAGE]],
    ["a call that was cut off", [calling(FIRST), calling(MORE), chunk({}, "length")]],
    [
      "empty lists of calls",
      [chunk({ content: "hi", tool_calls: [] }), chunk({ tool_calls: null }, "stop")],
    ],
    [
      "whole calls without an index",
      [
        calling({ id: "a", function: { name: "f", arguments: "{}" } }),
        calling({ id: "b", function: { name: "f", arguments: "{}" } }, "tool_calls"),
      ],
    ],
    [
      "names in every fragment",
      [
        calling(FIRST),
        calling({ ...MORE, function: { name: "f", arguments: "{}" } }),
        chunk({}, "tool_calls"),
      ],
    ],
  ])("that obeys the grammar is unchanged: %s", (_, chunks) => {
    expect(streamed(chunks).isSame).toBe(true);
    expect(streamed(chunks, FACTS, 1).isSame).toBe(true);
  });

  test("gets a separate id for each call without one", () => {
    const { id: _, ...nameless } = FIRST;
    const other = { index: 1, id: "", function: { name: "g", arguments: "{}" } };
    const { deltas } = streamed([
      calling(nameless),
      calling({ ...MORE, id: "late" }),
      calling(other),
      chunk({}, "tool_calls"),
    ]);

    expect(deltas).toEqual([{ ...nameless, id: ID }, MORE, { ...other, id: ID }]);
    expect(memberOf(deltas[0], "id")).not.toBe(memberOf(deltas[2], "id"));
  });

  test("gets arguments as text", () => {
    const { deltas } = streamed([
      calling({ ...FIRST, function: { name: "f", arguments: { a: 1 } } }),
      chunk({}, "tool_calls"),
    ]);

    expect(deltas).toEqual([{ ...FIRST, function: { name: "f", arguments: '{"a":1}' } }]);
  });

  test("with tool calls ends with that finish reason, with any split", () => {
    const chunks = [calling(FIRST), calling(MORE), chunk({}, "stop"), USAGE];
    for (const cutAt of [undefined, 1, 2, 3]) {
      expect(streamed(chunks, FACTS, cutAt).finishes).toEqual(["tool_calls"]);
    }
    expect(streamed([calling(FIRST), calling(MORE, "stop")]).finishes).toEqual(["tool_calls"]);
    const forced = { ...FACTS, forcesTool: true } as const;
    expect(streamed(chunks, forced).isSame).toBe(true);
  });

  test("with tool calls and without a finish reason gets one, if it is otherwise complete", () => {
    expect(streamed([calling(FIRST), calling(MORE), USAGE]).finishes).toEqual(["tool_calls"]);
  });

  test("with text about calls is parsed and unchanged", () => {
    const words = chunk({ content: 'say "tool_calls":[{"name":"f","arguments":{}}]' });

    expect(streamed([words, chunk({}, "stop")]).isSame).toBe(true);
  });
});
