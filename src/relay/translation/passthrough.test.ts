import { describe, expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import type { Passthrough, Tap, UpstreamError } from "#core/style.ts";
import type { UpstreamReply } from "#egress/egress.ts";
import { outlineJson, type JsonObject } from "#lib/json.ts";
import type { Call } from "../call.ts";
import {
  forgetQuestion,
  PassedStream,
  passStream,
  passthroughRequest,
  passWhole,
  refuseNonStream,
  type PassedRequest,
  type RequestTerms,
} from "./passthrough.ts";

const codeOf = async (told: Promise<unknown>): Promise<string> => {
  try {
    await told;
    return "none";
  } catch (cause) {
    return GatewayError.from(cause).code;
  }
};

function requestFor(
  text: string,
  {
    endpoint = {},
    passthrough = {},
    terms,
    call = {},
    channel = {},
  }: {
    readonly endpoint?: object;
    readonly passthrough?: Partial<Passthrough>;
    readonly terms?: RequestTerms;
    readonly call?: object;
    readonly channel?: object;
  } = {},
): PassedRequest {
  const body = { json: JSON.parse(text) as JsonObject, text, outline: outlineJson(text, 64) };
  const header = (name: string): string => `the client's ${name}`;
  const route = {
    endpoint: { style: { outbound: {} }, ...endpoint },
    upstreamModel: "m",
    traits: {},
    channel: { baseUrl: "", ...channel },
    provider: {},
  };
  return passthroughRequest(
    { body, facts: { wantsUsage: false }, header, isStrict: false, ...call } as never,
    route as never,
    { amend: () => ({}), ...passthrough } as Passthrough,
    ...(terms === undefined ? [] : [terms]),
  );
}

describe("a request in the upstream's own style", () => {
  const TEXT = '{ "model":"mine", "n":1.0 }';

  test("is the client's own text if nothing is changed", () => {
    expect(requestFor(TEXT)).toEqual({
      lost: [],
      asksForUsage: false,
      body: TEXT,
      headers: {},
      path: undefined,
    });
  });

  test("keeps every other byte if something is changed, and later changes override earlier ones", () => {
    const seen: JsonObject[] = [];
    const fitRequest = (body: JsonObject): JsonObject => {
      seen.push(body);
      return { model: "b", fitted: 1 };
    };
    const adaptRequest = (body: JsonObject, model: string): JsonObject => {
      seen.push(body);
      return { model: `${model}-c` };
    };
    const { body } = requestFor(TEXT, {
      passthrough: { amend: () => ({ model: "a" }) },
      endpoint: { style: { outbound: { fitRequest } }, adaptRequest },
    });

    expect(body).toBe('{ "model":"m-c", "n":1.0 ,"fitted":1}');
    expect(seen).toEqual([
      { model: "a", n: 1 },
      { model: "b", n: 1, fitted: 1 },
    ]);
  });

  test("has headers and a path by its changed body, the client's headers and the channel's options", () => {
    const told: unknown[] = [];
    const endpoint = {
      headers(body: JsonObject, header: (name: string) => string, context: object) {
        told.push(body, context);
        return { "x-of": header("beta") };
      },
      pathFor: ({ model }: JsonObject) => `/at/${String(model as string)}`,
    };
    const passthrough = { amend: () => ({ model: "a" }) };

    expect(
      requestFor(TEXT, { endpoint, passthrough, channel: { options: { r: "eu" } } }),
    ).toMatchObject({ headers: { "x-of": "the client's beta" }, path: "/at/a" });
    expect(told).toMatchObject([{ model: "a" }, { options: { r: "eu" }, isVendors: true }]);
    requestFor(TEXT, { endpoint });
    expect(told[3]).toMatchObject({ options: {} });
  });

  test("lacks members that the vendor refused before, with a report", () => {
    const { body, lost } = requestFor(TEXT, { terms: { refused: ["n"] } });

    expect(JSON.parse(body)).toEqual({ model: "mine" });
    expect(lost).toEqual(["n"]);
    expect(() => requestFor(TEXT, { terms: { refused: ["n"] }, call: { isStrict: true } })).toThrow(
      GatewayError,
    );
  });

  test("of a conversation that another account answered reports that its reasoning may be lost", () => {
    expect(requestFor(TEXT, { terms: { isAway: true } }).lost).toEqual(["reasoning.account"]);
    expect(requestFor(TEXT, { terms: {} }).lost).toEqual([]);
  });

  test("asks for usage in the gateway's name only if the client did not", () => {
    const asks = { passthrough: { asksForUsage: () => true } };

    expect(requestFor(TEXT, asks).asksForUsage).toBe(true);
    expect(requestFor(TEXT, { ...asks, call: { facts: { wantsUsage: true } } }).asksForUsage).toBe(
      false,
    );
    expect(requestFor(TEXT, { passthrough: { asksForUsage: () => false } }).asksForUsage).toBe(
      false,
    );
  });

  test("is released after it is sent", () => {
    const body = { text: "long", outline: outlineJson('{"a":1}', 1), json: {} };
    forgetQuestion({ body } as unknown as Call);

    expect(body.text).toBe("");
    expect(body.outline.members.size).toBe(0);
  });
});

describe("a complete response in the client's own style", () => {
  const CALL = { facts: {}, body: { json: {} }, now: () => 7 } as unknown as Call;
  const read = (text: string, more: Partial<Passthrough> = {}) =>
    passWhole(
      Buffer.from(text),
      { readAnswer: () => ({ usage: undefined, outputText: () => "out" }), ...more } as never,
      CALL,
      ["n"],
    );

  test("is passed on byte for byte", () => {
    const answer = read('{ "a" :1.0}');

    expect(String(answer.body)).toBe('{ "a" :1.0}');
    expect([answer.lost, answer.takeOutputText()]).toEqual([["n"], "out"]);
  });

  test("is repaired if it violates its style, with everything else unchanged", () => {
    const repairAnswer: Passthrough["repairAnswer"] = (_body, _facts, context) => ({
      created: context?.now() ?? 0,
    });

    expect(read('{ "a" :1.0}', { repairAnswer }).body).toBe('{ "a" :1.0,"created":7}');
    expect(String(read('{ "a" :1.0}', { repairAnswer: () => undefined }).body)).toBe('{ "a" :1.0}');
  });

  test("that is an error is treated as one", () => {
    const error: UpstreamError = { code: "upstream_overloaded", message: "Busy." };

    expect(() => read("{}", { readAnswer: () => ({ error }) as never })).toThrow("Busy.");
    expect(() => read("no JSON")).toThrow(GatewayError);
  });
});

const STYLE = {
  outbound: {
    errorIn: ({ error }: JsonObject) =>
      error === undefined ? undefined : { code: "upstream_overloaded", message: "Busy." },
  },
} as never;

function replyOf(pieces: readonly string[], type = "text/event-stream", more: object = {}) {
  let isClosed = false;
  const reply = {
    headers: new Map([["content-type", type]]),
    readAll: async () => Buffer.from(pieces.join("")),
    async pump(onPiece: (piece: Uint8Array) => void | Promise<void>) {
      for (const piece of pieces) await onPiece(Buffer.from(piece));
    },
    close: () => void (isClosed = true),
    ...more,
  } as unknown as UpstreamReply;
  return { reply, isClosed: () => isClosed };
}

test("a JSON response to a stream request is its error, or a failure", async () => {
  const told = (body: string, type?: string) =>
    codeOf(refuseNonStream(replyOf([body], type).reply, STYLE));

  expect(await told('{"error":{}}', "application/json; charset=utf-8")).toBe("upstream_overloaded");
  expect(await told("{}", "application/json")).toBe("upstream_failed");
  expect(await told("[]", "application/json")).toBe("upstream_failed");
  expect(await told('{"error":{}}')).toBe("none");
  expect(await codeOf(refuseNonStream({ headers: new Map() } as never, STYLE))).toBe("none");
});

test("usage in a stream reaches the client unless the gateway requested it", async () => {
  const wanted: unknown[] = [];
  const passthrough = {
    openTap: (facts: { readonly wantsUsage: boolean }) => void wanted.push(facts.wantsUsage),
  } as never;
  for (const asksForUsage of [true, false]) {
    const { reply } = replyOf([]);
    const call = { facts: { wantsUsage: false }, body: {} } as never;
    const request = { lost: ["n"], asksForUsage } as never;
    const stream = await passStream(
      reply,
      call,
      { style: STYLE } as never,
      passthrough,
      9,
      request,
    );
    expect(stream.lost).toEqual(["n"]);
  }

  expect(wanted).toEqual([false, true]);

  const { reply } = replyOf(["{}"], "application/json");
  const endpoint = { style: STYLE } as never;
  const opened = passStream(reply, {} as never, endpoint, passthrough, 9, {} as never);
  expect(await codeOf(opened)).toBe("upstream_failed");
});

describe("a stream in the client's own style", () => {
  /** Of its events, `head` is no content, `end` is the last one, and `drop` is not passed on. */
  function scene(
    pieces: readonly string[],
    more: Partial<Tap> & { readonly maxEventBytes?: number } = {},
  ) {
    const state = { error: undefined as UpstreamError | undefined, ended: false, content: false };
    const pushed: string[] = [];
    const tap = {
      push(events: Uint8Array) {
        const text = Buffer.from(events).toString();
        pushed.push(text);
        if (text.includes("fail")) state.error = { code: "upstream_overloaded", message: "Busy." };
        if (text.includes("end")) state.ended = true;
        if (!text.includes("head")) state.content = true;
        return text.includes("drop") ? undefined : events;
      },
      end: () => undefined,
      fail: ({ code }: GatewayError) => `failed: ${code}`,
      get error() {
        return state.error;
      },
      isComplete: () => state.ended,
      isEnding: false,
      get hasContent() {
        return state.content;
      },
      usage: { outputTokens: 3 },
      inputUsage: { inputTokens: 4 },
      takeOutputText: () => "text",
    };
    const { reply, isClosed } = replyOf(pieces, undefined, { waitingBytes: 5 });
    Object.defineProperties(tap, Object.getOwnPropertyDescriptors(more));
    const stream = new PassedStream(reply, tap as never, more.maxEventBytes ?? 1_000);
    const taken: string[] = [];
    const run = () => stream.run((piece) => void taken.push(Buffer.from(piece).toString()));
    return { stream, taken, run, pushed, isClosed };
  }
  const event = (data: string): string => `data: ${data}\n\n`;

  test("passes its events on as they arrive, in whole events", async () => {
    const { run, taken, stream } = scene([
      event("1").slice(0, 3),
      `${event("1").slice(3)}`,
      event("end"),
    ]);
    await run();

    expect(taken).toEqual([event("1"), event("end")]);
    expect(stream.isEnding).toBe(true);
    expect(stream.isTranslated).toBe(false);
    expect(stream.lost).toEqual([]);
  });

  test("holds its head back until the first content, and then sends both together", async () => {
    const { run, taken, stream } = scene([
      event("head 1"),
      event("head 2"),
      event("1"),
      event("end"),
    ]);
    expect([stream.hasContent, stream.isEnding]).toEqual([false, false]);
    await run();

    expect(taken).toEqual([event("head 1") + event("head 2") + event("1"), event("end")]);
    expect(stream.hasContent).toBe(true);
  });

  test("holds at most 64 KiB of a head", async () => {
    const exact = `data: head${"x".repeat(64 * 1024 - 12)}\n\n`;
    const fits = scene([exact], { maxEventBytes: 100_000 });
    const exceeds = scene([exact, event("head")], { maxEventBytes: 100_000 });
    await codeOf(fits.run());
    await codeOf(exceeds.run());

    expect(exact.length).toBe(64 * 1024);
    expect(fits.taken).toEqual([]);
    expect(exceeds.taken).toEqual([exact + event("head")]);
  });

  test("that is complete with its head sends it at its end, with missing parts added", async () => {
    const { run, taken } = scene([event("head end")], { end: () => Buffer.from("missing") });
    await run();

    expect(taken).toEqual([`${event("head end")}missing`]);
  });

  test("that is complete with its head, and lacks nothing, sends it unchanged", async () => {
    const { run, taken } = scene([event("head end")]);
    await run();

    expect(taken).toEqual([event("head end")]);
  });

  test("is sent at once if its only event is its end", async () => {
    const { run, taken, stream } = scene([event("head end")], { isEnding: true });
    await run();

    expect(taken).toEqual([event("head end")]);
    expect(stream.isEnding).toBe(true);
  });

  test("passes on nothing of a dropped event", async () => {
    const { run, taken } = scene([event("drop"), event("1"), event("drop"), event("end")]);
    await run();

    expect(taken).toEqual([event("1"), event("end")]);
  });

  test("may lack the blank line after its last event", async () => {
    const { run, taken } = scene([event("1"), "data: end"]);
    await run();

    expect(taken).toEqual([event("1"), event("end")]);
  });

  test("that breaks off before its end is a failure", async () => {
    const { run, taken } = scene([event("1")]);

    expect(await codeOf(run())).toBe("upstream_failed");
    expect(taken).toEqual([event("1")]);
  });

  test("with an error passes on the events before it, if there are any", async () => {
    const late = scene([event("1"), event("fail")]);
    const early = scene([event("fail")]);

    expect(await codeOf(late.run())).toBe("upstream_overloaded");
    expect(late.taken).toEqual([event("1"), event("fail")]);
    expect(await codeOf(early.run())).toBe("upstream_overloaded");
    expect(early.taken).toEqual([]);
  });

  test("with an event that is no JSON passes on the events before it", async () => {
    const late = scene([event("1"), `${event("2")}${event("{broken")}`]);
    const early = scene([event("{broken")]);

    expect(await codeOf(late.run())).toBe("upstream_failed");
    expect(late.taken).toEqual([event("1"), event("2")]);
    expect(await early.run().catch(GatewayError.from)).toMatchObject({
      message: "The upstream sent an invalid event.",
    });
    expect([early.taken, early.pushed]).toEqual([[], []]);
  });

  test("that is a page of another server is refused", async () => {
    const page = scene([" \n\r\n<html>\n\n"]);
    const later = scene([event("1"), "<html>\n\n", event("end")]);

    expect(await page.run().catch(GatewayError.from)).toMatchObject({
      code: "upstream_failed",
      message: "The upstream sent a web page instead of an answer.",
    });
    expect(page.taken).toEqual([]);
    await codeOf(later.run());
    expect(later.pushed.length).toBeGreaterThan(1);
  });

  test("with an event that is too long is a failure", async () => {
    const { run } = scene([`data: ${"x".repeat(50)}`, "x".repeat(50)], { maxEventBytes: 60 });

    expect(await codeOf(run())).toBe("upstream_failed");
  });

  test("passes on a repeated event without parsing, but never as the first", async () => {
    const passRepeated = (events: Uint8Array): boolean => Buffer.from(events).includes("again");
    const { run, taken, pushed } = scene([event("again"), event("again"), event("end")], {
      passRepeated,
    });
    await run();

    expect(taken).toEqual([event("again"), event("again"), event("end")]);
    expect(pushed).toEqual([event("again"), event("end")]);
  });

  test("reports a failure in its own format, after the buffered head", async () => {
    const { run, stream } = scene([event("head")]);
    await codeOf(run());
    const failure = new GatewayError("upstream_failed", "");

    expect(stream.fail(failure)).toBe(`${event("head")}failed: upstream_failed`);
    expect(stream.fail(failure)).toBe("failed: upstream_failed");
  });

  test("returns the upstream's usage and the buffered size, and releases it", () => {
    const { stream, isClosed } = scene([]);

    expect(stream.usage).toMatchObject({ outputTokens: 3 });
    expect(stream.inputUsage).toMatchObject({ inputTokens: 4 });
    expect([stream.takeOutputText(), stream.waitingBytes]).toEqual(["text", 5]);
    stream.close();
    expect(isClosed()).toBe(true);
  });
});
