import { describe, expect, test } from "bun:test";
import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import type { OutboundContext } from "#core/style.ts";
import { NO_USAGE } from "#core/usage.ts";
import type { OnPiece, UpstreamReply } from "#egress/egress.ts";
import type { JsonObject } from "#lib/json.ts";
import type { SseEvent } from "#lib/sse.ts";
import { textOf } from "#lib/values.ts";
import { aCall } from "#test/a-call.ts";
import type { Call } from "../call.ts";
import type { WireRoute } from "../routing/route.ts";
import type { AnswerStream } from "../delivery/answer-stream.ts";
import { HopJoiner } from "./join-hops.ts";
import { ReasoningCache } from "./reasoning-cache.ts";
import {
  gatherStream,
  readRequest,
  translateRequest,
  translateStream,
  translateWhole,
  writeWhole,
  type Translation,
} from "./translate.ts";

const openCache = (): ReasoningCache =>
  new ReasoningCache({ now: () => 0, monotonic: () => 0 }, { keepMs: 1_000, maxLength: 1_000 });

const FINISH_OF_DECODER: ChatEvent = { type: "finish", choice: 0, reason: "stop" };

/** An upstream that says the gateway's own events; `over` ends its stream, `bad` is no event. */
function decoder() {
  let hasEnded = false;
  const self = {
    isOver: false,
    read({ data }: SseEvent): readonly ChatEvent[] {
      if (hasEnded) throw new Error("Each reply has a decoder of its own.");
      if (data === "bad") throw new GatewayError("upstream_failed", "It is no event.");
      self.isOver = data === "over";
      return self.isOver ? [] : (JSON.parse(data) as ChatEvent[]);
    },
    end(): readonly ChatEvent[] {
      hasEnded = true;
      return [FINISH_OF_DECODER];
    },
  };
  return self;
}

const OUTBOUND = {
  buildRequest: (request: ChatRequest): JsonObject => ({
    model: request.model,
    stream: request.stream,
  }),
  parseResponse: ({ events }: JsonObject) => events as unknown as readonly ChatEvent[],
  openDecoder: decoder,
};

interface RouteChange {
  readonly outbound?: object;
  readonly endpoint?: object;
  readonly route?: object;
  readonly id?: string;
}

function routeTo({ outbound, endpoint, route, id = "events" }: RouteChange = {}): WireRoute {
  return {
    endpoint: { style: { id, outbound: { ...OUTBOUND, ...outbound } }, ...endpoint },
    upstreamModel: "upstream-m",
    traits: {},
    channel: { baseUrl: "" },
    provider: {},
    ...route,
  } as unknown as WireRoute;
}

/** A client to whom each event is one letter or word, so that what it gets is easy to read. */
const WORDS = {
  id: "words",
  callIdPrefix: "call_",
  inbound: {
    openEncoder: () => ({
      encode(event: ChatEvent): string {
        if (event.type === "start") return "<";
        if (event.type === "delta") return event.text;
        return event.type === "usage" ? `(${event.usage.outputTokens} tokens)` : "";
      },
      end: () => ">",
      fail: ({ message }: GatewayError) => `!${message}`,
    }),
    buildResponse: (events: readonly ChatEvent[]) => ({ events }),
  },
} as unknown as Call["style"];

const START: ChatEvent = { type: "start", id: "1", model: "m", createdAt: 1 };
const OPEN: ChatEvent = { type: "open", choice: 0, block: { type: "text" } };
const CLOSE: ChatEvent = { type: "close", choice: 0 };
const FINISH: ChatEvent = { type: "finish", choice: 0, reason: "stop", at: 0 };
const say = (text: string): ChatEvent => ({ type: "delta", choice: 0, text });
const spent = (outputTokens: number): ChatEvent => ({
  type: "usage",
  usage: { ...NO_USAGE, outputTokens },
});
const CALLING = { type: "tool_call", id: "1", name: "f", kind: "function" } as const;
const TOOL = { type: "function", function: { name: "f", parameters: { type: "object" } } };

const lossCodeOf = (told: Promise<unknown>): Promise<string> =>
  told.then(
    () => "none",
    (cause: unknown) => GatewayError.from(cause).code,
  );

describe("a request as the gateway reads it", () => {
  const controlled = { traits: { reasoningControls: {} } };
  const read = (call: Call, route: RouteChange["route"] = {}): ChatRequest => {
    const request = readRequest(call, routeTo({ route }), openCache());
    if (request instanceof Promise) throw new Error("A cache of one gateway never waits.");
    return request;
  };
  const wordless = (fields?: JsonObject): Call => {
    const call = aCall(fields);
    return { ...call, style: { ...call.style, hasReasoning: false } };
  };

  test("has the upstream's model name, and is refused if a value of it is unknown", () => {
    expect(read(aCall())).toMatchObject({ model: "upstream-m", stream: false });
    expect("reasoning" in read(aCall())).toBe(false);
    const call = aCall();
    const unknownValue = new GatewayError("invalid_request", "Unknown value.");
    expect(() => read({ ...call, facts: { ...call.facts, unknownValue } })).toThrow(unknownValue);
  });

  test("has the reasoning of the model's suffix, unless its body sets another", () => {
    const steering = { effort: "low", visible: true };

    expect(read(aCall(), { steering }).reasoning).toEqual(steering);
    expect(read(aCall({ reasoning_effort: "high" }), { steering }).reasoning).toEqual({
      effort: "high",
      visible: true,
    });
    expect(read(wordless(), { ...controlled, steering }).reasoning).toEqual(steering);
  });

  test("has reasoning turned off in a style without reasoning, if the model supports that", () => {
    expect(read(wordless(), controlled).reasoning).toEqual({ enabled: false });
    expect(read(wordless()).reasoning).toBeUndefined();
    expect(read(aCall(), controlled).reasoning).toBeUndefined();
  });
});

describe("a request in the upstream's style", () => {
  const MEDIA = { follow: async () => ({ bytes: Buffer.from("x"), mediaType: "image/png" }) };
  const translate = (
    change: RouteChange = {},
    {
      call = aCall(),
      ...terms
    }: { call?: Call; isStreamed?: boolean; isAway?: boolean; refused?: readonly string[] } = {},
  ): Promise<Translation> =>
    translateRequest(call, routeTo(change), { reasoningCache: openCache(), media: MEDIA }, terms);
  const losing = (...fields: readonly string[]) => ({
    buildRequest(_: ChatRequest, { report }: OutboundContext) {
      for (const field of fields) report.lose(field);
      return {};
    },
  });

  test("loses nothing that the upstream supports", async () => {
    expect(await translate()).toMatchObject({
      body: '{"model":"upstream-m","stream":false}',
      form: { isByTool: false, stops: [] },
      headers: {},
      path: undefined,
      lost: [],
    });
    expect(Object.keys((await translate()).form)).not.toContain("asCallOf");
  });

  test("is streamed as the client requested, or as the upstream requires", async () => {
    const seen: ChatRequest[] = [];
    const outbound = {
      buildRequest(request: ChatRequest) {
        seen.push(request);
        return {};
      },
    };
    await translate({ outbound }, { call: aCall({ stream: true }) });
    await translate({ outbound }, { isStreamed: true });
    await translate({ outbound }, { call: aCall({ stream: true }), isStreamed: false });

    expect(seen.map(({ stream }) => stream)).toEqual([true, true, false]);
  });

  test("lists the lost fields, except those that the gateway itself answers", async () => {
    const outbound = losing("seed", "reasoning", "stop");
    const call = aCall();
    const keeping = { ...call, style: { ...call.style, keeps: ["reasoning"] } };
    const long = aCall({ stop: ["x".repeat(1_025)] });

    expect((await translate({ outbound })).lost).toEqual(["seed", "reasoning"]);
    expect((await translate({ outbound }, { call: keeping })).lost).toEqual(["seed"]);
    expect((await translate({ outbound }, { call: long })).lost).toContain("stop");
    expect((await translate({}, { isAway: true })).lost).toEqual(["reasoning.account"]);
  });

  test("is refused to a strict client if it loses anything", async () => {
    const strict = { call: { ...aCall(), isStrict: true } };

    expect(await lossCodeOf(translate({ outbound: losing("seed") }, strict))).toBe("not_carried");
    expect(await lossCodeOf(translate({}, strict))).toBe("none");
    expect(await lossCodeOf(translate({ outbound: losing("seed") }))).toBe("none");
  });

  test("loses a forced call without tools, except if the client's style is the upstream's", async () => {
    const call = aCall({ tool_choice: "required" });

    expect((await translate({}, { call })).lost).toEqual(["tool_choice"]);
    expect((await translate({ id: "chat" }, { call })).lost).toEqual([]);
    expect((await translate({ id: "chat" })).lost).toEqual([]);
  });

  test("has its schema in a tool if the model only enforces it there", async () => {
    const seen: ChatRequest[] = [];
    const outbound = {
      schemaBy: () => "tool",
      buildRequest(request: ChatRequest) {
        seen.push(request);
        return {};
      },
    };
    const schema = { type: "object", properties: {} };
    const call = aCall({
      response_format: { type: "json_schema", json_schema: { name: "report", schema } },
    });
    const translation = await translate({ outbound }, { call });

    expect(seen[0]?.tools).toMatchObject([{ name: "report" }]);
    expect(translation.form).toMatchObject({ isByTool: true });
    expect(translation.lost).toEqual(["response_format"]);
    expect(translation.request.format).toMatchObject({ name: "report" });
  });

  const byFormat = (id = "events", seen: ChatRequest[] = []) => ({
    id,
    outbound: {
      answersForTool: () => true,
      buildRequest(request: ChatRequest) {
        seen.push(request);
        return {};
      },
    },
    route: { traits: { rules: { forcedTools: false } } },
  });
  const forcing = aCall({ tools: [TOOL], tool_choice: "required" });

  test("has its forced call in a schema if the model cannot be forced", async () => {
    const seen: ChatRequest[] = [];
    const translation = await translate(byFormat("events", seen), { call: forcing });

    expect(seen[0]).toMatchObject({ format: { name: "f" }, toolChoice: { mode: "none" } });
    expect(translation.form).toMatchObject({ isByTool: false, asCallOf: "f" });
    expect(translation.lost).toEqual(["tool_choice"]);
  });

  test("keeps the reasoning beside such a call for a client of the same style only", async () => {
    const keeps = async (change: RouteChange, call: Call) =>
      (await translate(change, { call })).request.keepsReasoning;

    expect(await keeps(byFormat("chat"), forcing)).toBe(true);
    expect(await keeps(byFormat(), forcing)).toBeUndefined();
    expect(await keeps({ id: "chat" }, aCall())).toBeUndefined();
  });

  test("is adapted like one that the gateway wrote, unless it is the client's own", async () => {
    const dropped: (boolean | undefined)[] = [];
    const fitRequest = (_: JsonObject, { dropsMisplaced }: OutboundContext) => {
      dropped.push(dropsMisplaced);
      return { fitted: true };
    };
    const fitting = (change: RouteChange): RouteChange => ({
      ...change,
      outbound: { ...change.outbound, fitRequest },
    });
    const { body } = await translate(fitting({ id: "chat" }));
    await translate(fitting({}));
    await translate(fitting({ id: "chat" }), { isAway: true });
    await translate(fitting(byFormat("chat")), { call: forcing });

    expect(dropped).toEqual([false, true, true, true]);
    expect(JSON.parse(body)).toMatchObject({ fitted: true, model: "upstream-m" });
  });

  test("has the vendor's changes, headers and path, without fields that it refused before", async () => {
    const endpoint = {
      adaptRequest: (body: JsonObject, model: string) => ({
        of: model,
        was: body["model"],
        user: "u",
      }),
      headers: (body: JsonObject, ofCaller: (name: string) => string | undefined) => ({
        of: textOf(body["of"]) ?? "none",
        beta: ofCaller("beta") ?? "none",
      }),
      pathFor: ({ of }: JsonObject) => `/at/${textOf(of)}`,
    };
    const call: Call = { ...aCall(), header: (name) => `the client's ${name}` };
    const { body, headers, path, lost } = await translate(
      { endpoint },
      { call, refused: ["user"] },
    );

    expect(JSON.parse(body)).toEqual({
      model: "upstream-m",
      stream: false,
      of: "upstream-m",
      was: "upstream-m",
    });
    expect([headers, path, lost]).toEqual([
      { of: "upstream-m", beta: "none" },
      "/at/upstream-m",
      ["user"],
    ]);
    const alike = await translate({ endpoint, id: "chat" }, { call });
    expect(alike.headers["beta"]).toBe("the client's beta");
  });

  test("has the content of links that the upstream does not follow, unless its style is the client's", async () => {
    const seen: ChatRequest[] = [];
    const outbound = {
      buildRequest(request: ChatRequest) {
        seen.push(request);
        return {};
      },
    };
    const url = "https://a.example/a.png";
    const content = [{ type: "image_url", image_url: { url } }];
    const call = aCall({ messages: [{ role: "user", content }] });
    await translate({ outbound, endpoint: { inlines: ["image"] } }, { call });
    await translate({ outbound, endpoint: { inlines: ["image"] }, id: "chat" }, { call });
    await translate({ outbound }, { call });

    expect(seen.map(({ messages }) => messages[0]?.blocks[0])).toMatchObject([
      { source: { kind: "data" } },
      { source: { kind: "url", url } },
      { source: { kind: "url", url } },
    ]);
  });
});

type Step = readonly ChatEvent[] | string | Error;
const bytesOf = (step: Step): string =>
  typeof step === "string" ? step : `data: ${JSON.stringify(step)}\n\n`;

/** An upstream's reply: each step is one piece of its bytes, an error breaks it off. */
function replyOf(steps: readonly Step[], isWhole = false) {
  const reply = {
    closed: 0,
    disposed: 0,
    isRead: false,
    isLent: false as boolean | undefined,
    async pump(onPiece: OnPiece, isLent?: boolean) {
      if (reply.isRead) throw new Error("A reply is read once.");
      reply.isRead = true;
      reply.isLent = isLent;
      for (const step of steps) {
        if (step instanceof Error) throw step;
        await onPiece(Buffer.from(bytesOf(step)));
      }
    },
    readAll: async () => Buffer.from(JSON.stringify({ events: isWhole ? steps.flat() : [] })),
    close: () => void reply.closed++,
    [Symbol.dispose]: () => void reply.disposed++,
  };
  return reply as typeof reply & UpstreamReply;
}

const REQUEST: ChatRequest = { model: "m", messages: [], stream: true, sampling: {} };
const TRANSLATION: Translation = {
  request: REQUEST,
  form: {},
  body: "",
  headers: {},
  path: undefined,
  lost: ["seed"],
};
const worded = (): Call => ({ ...aCall({ stream: true }), style: WORDS });

/** More replies of the upstream, which go on with its answer. */
function continuing(...replies: readonly UpstreamReply[]) {
  const waiting = [...replies];
  const ends: (readonly ChatEvent[])[] = [];
  const continuation = {
    joiner: new HopJoiner(),
    usage: { ...NO_USAGE, inputTokens: 7 },
    async next(end: readonly ChatEvent[]) {
      ends.push(end);
      return waiting.shift();
    },
  };
  return { continuation: continuation as never, ends };
}

describe("a complete response", () => {
  /** With the gateway's own id. */
  const BEGUN = { ...START, id: expect.stringMatching(/../), inputTokens: 1 };
  const EVENTS = [START, OPEN, say("Hi."), CLOSE, FINISH];
  const whole = (
    events: readonly ChatEvent[],
    translation: Partial<Translation> = {},
    continuation?: never,
  ) =>
    translateWhole(
      replyOf([events], true),
      worded(),
      routeTo(),
      { ...TRANSLATION, ...translation },
      openCache(),
      continuation,
    );
  const eventsOf = ({ body }: { body: unknown }): readonly ChatEvent[] =>
    (JSON.parse(String(body)) as { events: ChatEvent[] }).events;

  test("has the usage that its upstream reported, once and at its end", async () => {
    const reading = await whole([...EVENTS.slice(0, 3), spent(2), CLOSE, FINISH]);

    expect(eventsOf(reading)).toEqual([BEGUN, ...EVENTS.slice(1), spent(2)]);
    expect([reading.usage, reading.takeOutputText(), reading.lost]).toEqual([
      { ...NO_USAGE, outputTokens: 2 },
      "",
      ["seed"],
    ]);
  });

  test("has a counted usage if its upstream reported none", async () => {
    const { usage } = await whole(EVENTS);

    expect(usage).toMatchObject({ isEstimated: true });
    expect(usage?.outputTokens).toBeGreaterThan(0);
  });

  test("lists the fields that the gateway and the upstream lost, each once", async () => {
    const lossy = { ...START, lost: ["user", "seed"] } as ChatEvent;

    expect((await whole([lossy, ...EVENTS.slice(1), spent(1)])).lost).toEqual(["seed", "user"]);
  });

  test("is one response, if its upstream returns it in several parts", async () => {
    const part = (text: string) => [START, OPEN, say(text), CLOSE, FINISH, spent(1)];
    const [second, third] = [replyOf([part("b")], true), replyOf([part("c")], true)];
    const { continuation, ends } = continuing(second, third);
    const reading = await whole(part("a"), {}, continuation);

    expect(eventsOf(reading)).toEqual([
      BEGUN,
      OPEN,
      say("a"),
      say("b"),
      say("c"),
      CLOSE,
      FINISH,
      spent(3),
    ]);
    expect(ends).toEqual([part("a"), part("b"), part("c")]);
    expect([second.disposed, third.disposed]).toEqual([1, 1]);
  });

  const format = { type: "json_schema", name: "report", schema: { type: "object" } } as const;
  const called: readonly ChatEvent[] = [
    { type: "open", choice: 0, block: { ...CALLING, name: "report" } },
    say("{}"),
    CLOSE,
    spent(1),
  ];

  test("is converted to text if a tool enforces its schema, and only then", async () => {
    const request = { ...REQUEST, format };

    expect(eventsOf(await whole(called, { request, form: { isByTool: true } }))[0]).toEqual(OPEN);
    const kept = await writeWhole(called, worded(), routeTo(), request, [], openCache());
    expect(eventsOf(kept)[0]).toMatchObject({ block: { type: "tool_call", name: "report" } });
  });

  test("is converted to a call if a schema replaces it", async () => {
    const events = [OPEN, say("{}"), CLOSE, spent(1)];

    expect(eventsOf(await whole(events, { form: { asCallOf: "f" } }))[0]).toMatchObject({
      block: { type: "tool_call", name: "f" },
    });
  });

  test("ends before a stop sequence that its upstream did not get", async () => {
    const events = [OPEN, say("one END two"), CLOSE, FINISH, spent(1)];
    const cut = eventsOf(await whole(events, { form: { stops: ["END"] } }));

    expect(cut.slice(0, 3)).toEqual([OPEN, say("one "), CLOSE]);
    expect(cut[3]).toMatchObject({ type: "finish", stopSequence: "END" });
  });

  test("has one call if the client accepts only one", async () => {
    const call: ChatEvent = { type: "open", choice: 0, block: CALLING };
    const request = { ...REQUEST, parallelToolCalls: false };
    const events = [call, CLOSE, call, CLOSE, FINISH, spent(1)];

    expect(eventsOf(await whole(events, { request }))).toHaveLength(4);
    expect(eventsOf(await whole(events))).toHaveLength(6);
  });
});

/** An event without its end. */
const TOO_LONG = `data: ${"a".repeat(2_000)}`;

describe("a complete response of an upstream that only streams", () => {
  const gather = (steps: readonly Step[], maxEventBytes = 1_000) =>
    gatherStream(replyOf(steps), worded(), routeTo(), TRANSLATION, maxEventBytes, openCache());
  const textOf = ({ body }: { body: unknown }): string =>
    (JSON.parse(String(body)) as { events: ChatEvent[] }).events
      .map((event) => (event.type === "delta" ? event.text : event.type))
      .join(" ");

  test("consists of the whole stream, to the last event", async () => {
    const last = `data: ${JSON.stringify([say("b"), spent(1)])}`;

    expect(textOf(await gather([[OPEN, say("a")], last]))).toBe("open a b finish usage");
  });

  test("ends with the stream's end mark, also if events follow", async () => {
    const steps = [[OPEN, say("a"), spent(1)], "data: over\n\n", [say("b")]];

    expect(textOf(await gather(steps))).toBe("open a usage");
    expect(textOf(await gather([steps.map(bytesOf as never).join("")]))).toBe("open a usage");
  });

  test("fails if an event is too long", async () => {
    expect(await lossCodeOf(gather([TOO_LONG]))).toBe("upstream_failed");
  });
});

interface Streamed {
  readonly stream: AnswerStream;
  readonly pieces: string[];
  readonly reply: ReturnType<typeof replyOf>;
  /** Resolves at the end, with the failure if there is one. */
  run(onPiece?: (piece: string) => void): Promise<unknown>;
}

function streamOf(
  steps: readonly Step[],
  {
    translation = {},
    route = {},
    continuation,
    call = worded(),
    maxEventBytes = 1_000,
  }: {
    readonly translation?: Partial<Translation>;
    readonly route?: RouteChange;
    readonly continuation?: never;
    readonly call?: Call;
    readonly maxEventBytes?: number;
  } = {},
): Streamed {
  const reply = replyOf(steps);
  const stream = translateStream(
    reply,
    call,
    routeTo(route),
    { ...TRANSLATION, ...translation },
    maxEventBytes,
    openCache(),
    continuation,
  );
  const pieces: string[] = [];
  return {
    stream,
    pieces,
    reply,
    run: (onPiece = () => {}) =>
      stream
        .run(async (piece) => {
          pieces.push(String(piece));
          onPiece(String(piece));
          await Promise.resolve();
        })
        .catch((cause: unknown) => cause),
  };
}

describe("a streamed response", () => {
  test("is sent event by event, its head with the first content, and its end marked", async () => {
    const { stream, pieces, run, reply } = streamOf([
      [START],
      [OPEN],
      [say("a")],
      [CLOSE],
      [OPEN, say("b")],
      [CLOSE, spent(2)],
    ]);
    const seen: [string, boolean, boolean | undefined][] = [];
    expect([stream.hasContent, stream.isEnding, stream.isTranslated]).toEqual([false, false, true]);
    expect(
      await run((piece) => seen.push([piece, stream.isEnding, stream.hasContent])),
    ).toBeUndefined();

    expect(seen).toEqual([
      ["<a", false, true],
      ["b", false, true],
      ["(2 tokens)", false, true],
      [">", true, true],
    ]);
    expect(pieces).toHaveLength(4);
    expect(reply.isLent).toBe(true);
    expect([stream.usage, stream.inputUsage]).toEqual([
      { ...NO_USAGE, outputTokens: 2 },
      undefined,
    ]);
    expect([stream.takeOutputText(), stream.takeOutputText()]).toEqual(["ab", ""]);
  });

  test("has its head at its end if it has no content", async () => {
    const { stream, pieces, run } = streamOf([[START, spent(0)]]);
    await run();

    expect(pieces).toEqual(["<(0 tokens)>"]);
    expect([stream.hasContent, stream.isEnding]).toEqual([true, true]);
  });

  test("begins with the first content that its client can get", async () => {
    const hidden = { ...CLOSE, signature: { issuer: "events", value: "proof" } } as ChatEvent;
    const { stream, pieces, run } = streamOf([
      [OPEN, hidden],
      [say("a"), spent(1)],
    ]);
    const begun: (boolean | undefined)[] = [];
    await run(() => begun.push(stream.hasContent));

    expect(pieces[0]).toBe("a(1 tokens)");
    expect(begun).toEqual([true, true]);
  });

  test("has a counted usage if its upstream reported none", async () => {
    const { stream, pieces, run } = streamOf([[START, OPEN, say("one two three")]]);
    await run();

    expect(pieces.at(-1)).toMatch(/^\([1-9] tokens\)>$/);
    expect(stream.usage).toMatchObject({ isEstimated: true });
  });

  test("ends with its upstream's end mark, also if events follow in the same piece or a later one", async () => {
    const head = bytesOf([START, OPEN, say("a"), spent(1)]);
    const together = streamOf([`${head}data: over\n\n${bytesOf([say("b")])}`, [say("c")]]);
    const apart = streamOf([head, "data: over\n\n", [say("b")]]);
    await together.run();
    await apart.run();

    expect(together.pieces).toEqual(["<a(1 tokens)>"]);
    expect(apart.pieces).toEqual(["<a(1 tokens)", ">"]);
  });

  test("has its last event, also without the blank line after it", async () => {
    const { pieces, run } = streamOf([
      [START],
      `data: ${JSON.stringify([OPEN, say("a"), spent(1)])}`,
    ]);
    await run();
    const { continuation, ends } = continuing();
    const steps = [[START, OPEN, say("a"), spent(1)], "data: over"];
    const marked = streamOf(steps, { continuation });
    expect(await marked.run()).toBeUndefined();

    expect(pieces).toEqual(["<a(1 tokens)", ">"]);
    expect(marked.pieces).toEqual(["<a(1 tokens)", ">"]);
    // Its end was marked, so that no further part is asked for.
    expect(ends).toEqual([]);
  });

  test("has the content before a failure, unless another channel may still take over", async () => {
    const late = streamOf([[START, OPEN, say("a")], `${bytesOf([say("b")])}data: bad\n\n`]);
    const early = streamOf([`${bytesOf([START, OPEN, say("b")])}data: bad\n\n`]);
    const alone = streamOf([[START, OPEN, say("a")], "data: bad\n\n"]);

    expect(await late.run()).toMatchObject({ code: "upstream_failed" });
    expect(late.pieces).toEqual(["<a", "b"]);
    await alone.run();
    expect(alone.pieces).toEqual(["<a"]);
    await early.run();
    expect(early.pieces).toEqual([]);
  });

  test("that fails before its content has its head before the error, once", async () => {
    const failure = new GatewayError("upstream_failed", "Busy.");
    const { stream, pieces, run } = streamOf([[START], failure]);

    expect(await run()).toBe(failure);
    expect(pieces).toEqual([]);
    expect(stream.fail(failure)).toBe("<!Busy.");
    expect(stream.fail(failure)).toBe("!Busy.");
  });

  test("without content that cannot be settled has its head before the error", async () => {
    const { stream, run } = streamOf([[START, spent(0)]]);
    const failure = new GatewayError("internal", "Not settled.");

    expect(
      await run(() => {
        throw failure;
      }),
    ).toBe(failure);
    expect(stream.fail(failure)).toBe("<(0 tokens)!Not settled.");
  });

  test("fails if an event is too long", async () => {
    expect(await streamOf([TOO_LONG]).run()).toMatchObject({
      code: "upstream_failed",
    });
  });

  test("that is a web page is refused, but its later pieces may begin like one", async () => {
    const page = streamOf([" \n<html>"]);
    const split = JSON.stringify([say("<b>")]).indexOf("<");
    const text = bytesOf([say("<b>"), spent(1)]);
    const later = streamOf([text.slice(0, 6 + split), text.slice(6 + split)]);

    expect(await page.run()).toMatchObject({
      code: "upstream_failed",
      message: "The upstream sent a web page instead of an answer.",
    });
    expect(await later.run()).toBeUndefined();
    expect(later.pieces.join("")).toContain("<b>");
  });

  test("releases its upstream when it is closed, and reports the buffered size", () => {
    const { stream, reply } = streamOf([]);

    expect(stream.waitingBytes).toBe(0);
    Object.assign(reply, { waitingBytes: 5 });
    expect(stream.waitingBytes).toBe(5);
    stream.close();
    expect(reply.closed).toBe(1);
  });

  test("lists the fields that the gateway and the upstream lost", async () => {
    const { stream, run } = streamOf([[{ ...START, lost: ["user"] } as ChatEvent, spent(1)]]);

    expect(stream.lost).toEqual(["seed"]);
    await run();
    expect(stream.lost).toEqual(["seed", "user"]);
  });

  test("has the client's tool names, and one call if it accepts only one", async () => {
    const seen: ChatEvent[] = [];
    const style = {
      ...WORDS,
      inbound: {
        openEncoder: () => ({
          encode: (event: ChatEvent) => (seen.push(event), ""),
          end: () => "",
        }),
      },
    } as unknown as Call["style"];
    const call: ChatEvent = { type: "open", choice: 0, block: CALLING };
    const request = { ...REQUEST, parallelToolCalls: false };
    await streamOf([[call, CLOSE, call, CLOSE, spent(1)]], {
      call: { ...worded(), style },
      translation: { request },
    }).run();

    expect(seen.filter(({ type }) => type === "open")).toHaveLength(1);
    expect(seen[0]).toMatchObject({ block: { id: expect.stringMatching(/^call_/) } });
  });
});

describe("a streamed response that is cut at a stop sequence", () => {
  const form = { stops: ["END"] };
  const aborted = new GatewayError("canceled", "Closed.");
  const steps: readonly Step[] = [[START, OPEN, say("one END")], [say(" two")], aborted];

  test("ends there, and releases its upstream before the upstream's end", async () => {
    const { pieces, run, reply, stream } = streamOf(steps, { translation: { form } });

    expect(await run()).toBeUndefined();
    expect(pieces).toHaveLength(1);
    expect(pieces[0]).toMatch(/^<one \(\d tokens\)>$/);
    expect([reply.closed, stream.isEnding]).toEqual([1, true]);
  });

  test("waits for its upstream's usage if the model may have reasoned", async () => {
    const route = { route: { traits: { reasoningControls: { toggle: true } } } };
    const whole: readonly Step[] = [
      [START, OPEN, say("one END")],
      [say(" two"), spent(5)],
    ];
    const { continuation, ends } = continuing(replyOf([[say("more")]]));
    const { pieces, run, reply } = streamOf(whole, { translation: { form }, route, continuation });
    await run();

    expect(pieces).toEqual(["<one ", "(5 tokens)", ">"]);
    expect([reply.closed, ends]).toEqual([0, []]);
  });

  test("has a failure of its upstream if it was not cut, or if its client disconnected", async () => {
    const failing = streamOf([[START, OPEN, say("one"), spent(1)], "data: over\n\n", aborted]);
    const left = streamOf([[START, OPEN, say("one")], aborted]);
    left.stream.close();

    expect(await failing.run()).toBe(aborted);
    expect(await left.run()).toBe(aborted);
  });
});

describe("a streamed response that its upstream returns in several parts", () => {
  test("is one response", async () => {
    const first: readonly Step[] = [[START, OPEN, say("a")]];
    const second = replyOf([[START], [say("b")]]);
    const third = replyOf([[START, say("c"), spent(2)]]);
    const { continuation, ends } = continuing(second, third);
    const { pieces, run, stream, reply } = streamOf(first, { continuation });
    await run();

    expect(pieces.join("")).toBe("<abc(2 tokens)>");
    expect(ends).toMatchObject([[FINISH_OF_DECODER], [FINISH_OF_DECODER], [FINISH_OF_DECODER]]);
    expect(stream.inputUsage).toMatchObject({ inputTokens: 7 });
    stream.close();
    expect([reply.closed, second.closed, third.closed]).toEqual([0, 0, 1]);
  });

  test("releases a part that arrives after its client disconnected", async () => {
    const second = replyOf([new GatewayError("canceled", "Closed.")]);
    const { continuation } = continuing(second);
    const { run, stream } = streamOf([[START, OPEN, say("a")]], { continuation });
    await run((piece) => {
      if (piece === "<a") stream.close();
    });

    expect(second.closed).toBe(1);
    const kept = replyOf([[spent(1)]]);
    await streamOf([[START, OPEN, say("a")]], continuing(kept)).run();
    expect(kept.closed).toBe(0);
  });

  test("sends nothing between its parts", async () => {
    const { continuation } = continuing(replyOf([[say("b"), spent(1)]]));
    const { pieces, run } = streamOf([[START, OPEN, say("a")]], { continuation });
    await run();

    expect(pieces).toEqual(["<a", "b(1 tokens)", ">"]);
  });
});
