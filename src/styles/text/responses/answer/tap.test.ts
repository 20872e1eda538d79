import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Tap } from "#core/style.ts";
import { GatewayError } from "#core/error.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { readEvents, SseFramer } from "#lib/sse.ts";
import { SEED, times } from "#test/seed.ts";
import { openTap } from "./tap.ts";

let number = 0;

function event(type: string, more: JsonObject, withName = true): string {
  const data = JSON.stringify({ type, sequence_number: number++, ...more });
  return `${withName ? `event: ${type}\n` : ""}data: ${data}\n\n`;
}

function tap(): Tap {
  return openTap({
    model: "m",
    stream: true,
    maxOutputTokens: undefined,
    choices: 1,
    messages: 1,
    wantsUsage: true,
  });
}

/** What a tap lets through of events that come together, or one by one. */
function passed(on: Tap, ...pieces: string[]): string {
  return pieces.map((piece) => Buffer.from(on.push(Buffer.from(piece)) ?? []).toString()).join("");
}

const RESPONSE = { id: "resp_1", object: "response", error: null, output: [], usage: null };
const USAGE = { input_tokens: 3, output_tokens: 2, total_tokens: 5 };
const CREATED = event("response.created", { response: { ...RESPONSE, status: "in_progress" } });
const TEXT = event("response.output_text.delta", { delta: "hi \u00fc", logprobs: [] });
const DONE = event("response.completed", {
  response: { ...RESPONSE, status: "completed", usage: USAGE },
});

function failed(error: Json): string {
  return event("response.failed", { response: { ...RESPONSE, status: "failed", error } });
}

describe("a client gets every byte", () => {
  test.each<[string, string]>([
    ["of a whole response", CREATED + TEXT + DONE],
    ["of comments and other fields", `: ping\n\nid: 1\nretry: 5\n${TEXT}${DONE}data: [DONE]\n\n`],
    ["of other line ends", (CREATED + TEXT + DONE).replaceAll("\n", "\r\n")],
    ["of the oldest line ends", (CREATED + TEXT + DONE).replaceAll("\n", "\r")],
    ["of a malformed response", `data: {"type":"response.completed","response":\n\n${TEXT}`],
    [
      "of text that resembles marks",
      event("response.output_text.delta", { delta: '"error":{"a":1} response.completed' }),
    ],
    ["of text that equals a mark", event("response.output_text.delta", { delta: "error" })],
  ])("%s", (_what, stream) => {
    const on = tap();

    expect([passed(on, stream), on.error]).toEqual([stream, undefined]);
  });
});

describe("tool calls that violate the grammar are repaired", () => {
  const ITEM = { type: "function_call", id: "fc_1", name: "f" };
  const added = (item: JsonObject) =>
    event("response.output_item.added", {
      output_index: 0,
      item: { ...item, status: "in_progress" },
    });
  const done = (item: JsonObject) => event("response.output_item.done", { output_index: 0, item });
  const completed = (item: JsonObject) =>
    event("response.completed", {
      response: { ...RESPONSE, status: "completed", output: [item], usage: USAGE },
    });
  const DELTA = event("response.function_call_arguments.delta", { item_id: "fc_1", delta: "{}" });
  const itemsOf = (text: string): JsonObject[] =>
    readEvents(text).flatMap(({ data }) => {
      const { item, response } = JSON.parse(data) as {
        item?: JsonObject;
        response?: { output: JsonObject[] };
      };
      return item === undefined ? (response?.output ?? []) : [item];
    });

  test.each<[string, JsonObject]>([
    ["without an id", {}],
    ["with an empty id", { call_id: "" }],
    ["with null for an id", { call_id: null }],
  ])("%s, under one id from beginning to end", (_what, odd) => {
    for (const id of ["fc_1", ""]) {
      const item = { ...ITEM, ...odd, id };
      const pieces = [
        CREATED,
        added({ ...item, arguments: "" }),
        DELTA,
        done({ ...item, arguments: "{}" }),
        completed({ ...item, arguments: "{}" }),
      ];
      for (const cut of [pieces, [pieces.join("")]]) {
        const on = tap();
        const items = itemsOf(passed(on, ...cut));

        const ids = new Set(items.map((each) => each["call_id"]));
        expect([items.length, ids.size]).toEqual([3, 1]);
        expect([...ids][0]).toMatch(id === "" ? /^call_[A-Za-z0-9]{24}$/ : /^fc_1$/);
        expect(on.isComplete()).toBe(true);
      }
    }
  });

  test("with an object as arguments", () => {
    const item = { ...ITEM, call_id: "a", arguments: { x: 1 } };
    const args = event("response.function_call_arguments.done", {
      item_id: "fc_1",
      arguments: { x: 1 },
    });
    const out = passed(
      tap(),
      CREATED,
      added({ ...ITEM, call_id: "a" }),
      args,
      done(item),
      completed(item),
    );

    expect(itemsOf(out).map((each) => each["arguments"])).toEqual(["", '{"x":1}', '{"x":1}']);
    expect(out).toContain('"arguments":"{\\"x\\":1}"');
    expect(out).not.toContain('"arguments":{');
  });

  test("and valid calls are passed on unchanged", () => {
    const item = { ...ITEM, call_id: "a", arguments: '{"call_id":"","arguments":{}}' };
    const stream =
      CREATED + added({ ...item, arguments: "" }) + DELTA + done(item) + completed(item);

    expect(passed(tap(), stream)).toBe(stream);
  });
});

describe("the end mark is found", () => {
  test.each<[string, string, boolean]>([
    ["completed", DONE, true],
    ["without an event's own line", DONE.slice(DONE.indexOf("\n") + 1), true],
    [
      "incomplete",
      event("response.incomplete", { response: { ...RESPONSE, status: "incomplete" } }),
      true,
    ],
    ["a delta", TEXT, false],
    ["an end mark alone", "data: [DONE]\n\n", false],
    [
      "text about an end",
      event("response.output_text.delta", { delta: "response.completed" }),
      false,
    ],
  ])("%s", (_what, stream, isEnd) => {
    const on = tap();
    passed(on, CREATED, stream);

    expect([on.isEnding, on.isComplete()]).toEqual([isEnd, isEnd]);
  });

  test("and usage after it is ignored", () => {
    const usage = { input_tokens: 900, output_tokens: 900, total_tokens: 1_800 };
    const late = event("response.completed", {
      response: { ...RESPONSE, status: "completed", usage },
    });
    for (const pieces of [[CREATED + TEXT + DONE + late], [CREATED + TEXT + DONE, late]]) {
      const on = tap();
      passed(on, ...pieces);

      expect(on.usage).toMatchObject({ inputTokens: 3, outputTokens: 2 });
    }
  });

  test("and later bytes are not taken for it", () => {
    const on = tap();
    passed(on, CREATED + TEXT + DONE, "data: [DONE]\n\n");

    expect<unknown>([on.isEnding, on.isComplete(), on.end()]).toEqual([false, true, undefined]);
    expect(on.usage).toMatchObject({ inputTokens: 3, outputTokens: 2 });
  });
});

describe("an upstream's failure is found, and its text is not sent to the client", () => {
  test.each<[string, string, string]>([
    ["a response that failed", failed({ code: "server_error", message: "m" }), "upstream_failed"],
    [
      "too many requests",
      failed({ code: "rate_limit_exceeded", message: "m" }),
      "upstream_rate_limited",
    ],
    ["a flat error", event("error", { code: null, message: "m", param: null }), "upstream_failed"],
    ["a nested error", event("error", { error: { message: "m" } }), "upstream_failed"],
    ["another style's error", 'data: {"error":{"message":"m"}}\n\n', "upstream_failed"],
  ])("%s", (_what, stream, code) => {
    const on = tap();

    expect(passed(on, CREATED + TEXT + stream + TEXT, DONE)).toBe(CREATED + TEXT);
    expect<unknown>([on.error?.code, on.isComplete()]).toEqual([code, false]);
  });
});

describe("[A7] the gateway's own failure follows the events that the client got", () => {
  const error = new GatewayError("upstream_timeout", "The upstream was too slow.");

  test("with the response that began, and the next number", () => {
    const on = tap();
    number = 0;
    const begun = event("response.created", {
      response: {
        ...RESPONSE,
        tools: [{ parameters: { properties: { sequence_number: { type: "integer" } } } }],
      },
    });
    passed(on, begun + event("response.in_progress", { response: RESPONSE }));
    passed(on, event("response.output_text.delta", { delta: '"sequence_number":99' }));
    const [last] = readEvents(on.fail(error));

    expect(last?.event).toBe("response.failed");
    expect(JSON.parse(last?.data ?? "")).toMatchObject({
      type: "response.failed",
      sequence_number: 3,
      response: {
        id: "resp_1",
        status: "failed",
        error: { code: "server_error", message: "The upstream was too slow." },
      },
    });
  });

  test("or with a new response, if none began", () => {
    const [last] = readEvents(tap().fail(error));

    expect(JSON.parse(last?.data ?? "")).toMatchObject({
      sequence_number: 0,
      response: { object: "response", model: "m", status: "failed", output: [] },
    });
  });
});

describe("the text of a response is collected for a local count", () => {
  test("as far as it was not returned before", () => {
    const on = tap();
    passed(on, CREATED, TEXT + TEXT);
    expect(on.takeOutputText()).toBe("hi ühi ü");
    passed(on, event("response.function_call_arguments.delta", { delta: '{"delta":"delta"}' }));

    expect([on.takeOutputText(), on.takeOutputText()]).toEqual(['{"delta":"delta"}', ""]);
  });

  test("from the final event, if nothing arrived before", () => {
    const on = tap();
    const output = [
      { type: "message", content: [{ type: "output_text", text: "hi" }] },
      { type: "function_call", name: "f", arguments: "{}" },
    ];
    passed(
      on,
      event("response.completed", { response: { ...RESPONSE, status: "completed", output } }),
    );

    expect(on.takeOutputText()).toBe("hif{}");
  });

  test("with calls that arrived without a delta", () => {
    const on = tap();
    const output = [{ type: "function_call", name: "f", arguments: '{"x":1}' }];
    passed(on, TEXT);
    passed(
      on,
      event("response.completed", { response: { ...RESPONSE, status: "completed", output } }),
    );

    expect(on.takeOutputText()).toBe('hi üf{"x":1}');
  });
});

test(`with any split, bytes pass unchanged (seed ${SEED})`, () => {
  const stream = Buffer.from(CREATED + TEXT + TEXT + DONE);
  fc.assert(
    fc.property(fc.array(fc.nat(stream.length), { maxLength: 12 }), (cuts) => {
      const on = tap();
      const framer = new SseFramer(1_000_000);
      const at = [...cuts, stream.length].sort((a, b) => a - b);
      const out = at.map((end, index) => {
        const events = framer.push(stream.subarray(at[index - 1] ?? 0, end));
        return events === undefined ? Buffer.alloc(0) : Buffer.from(on.push(events) ?? []);
      });

      expect(Buffer.concat(out).equals(stream)).toBe(true);
      expect([on.isComplete(), on.takeOutputText()]).toEqual([true, "hi ühi ü"]);
    }),
    { seed: SEED, numRuns: times(300, 10_000) },
  );
});

test("web searches are read from the end of a stream", () => {
  const on = tap();
  const output = [{ type: "web_search_call", id: "ws_1", status: "completed" }];

  passed(
    on,
    CREATED,
    event("response.completed", {
      response: { ...RESPONSE, status: "completed", usage: USAGE, output },
    }),
  );

  expect(on.usage).toMatchObject({ inputTokens: 3, searches: 1 });
});
