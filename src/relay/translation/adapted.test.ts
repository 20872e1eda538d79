import { describe, expect, test } from "bun:test";
import type { ChatEvent } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { FetchSession } from "#egress/fetch.ts";
import { openEgress } from "#egress/upstream.ts";
import { credential } from "#core/channel.ts";
import { bearer, type AdapterWay, type Provider } from "#providers/provider.ts";
import type { Call } from "../call.ts";
import type { AnswerStream } from "../delivery/answer-stream.ts";
import { openAdapted, readAdapted } from "./adapted.ts";
import type { AdaptedRoute } from "../routing/route.ts";
import { ReasoningCache } from "./reasoning-cache.ts";
import { aChannel } from "#test/a-channel.ts";
import { aCall } from "#test/a-call.ts";

const EVENTS: readonly ChatEvent[] = [
  { type: "start", id: "1", model: "m", createdAt: 1 },
  { type: "open", choice: 0, block: { type: "text" } },
  { type: "delta", choice: 0, text: "Hi." },
  { type: "close", choice: 0 },
  { type: "finish", choice: 0, reason: "stop" },
];

type Say = (transport: AdapterWay) => AsyncIterable<ChatEvent>;

function routeTo(say: Say): AdaptedRoute {
  const adapter = { answer: (_request: object, transport: AdapterWay) => say(transport) };
  const provider: Provider = {
    id: "p",
    name: "P",
    docs: "",
    needsKey: false,
    text: [],
    adapter,
    authorize: bearer,
  };
  return {
    channel: aChannel({ provider: "p", baseUrl: "http://127.0.0.1:1", options: { package: "x" } }),
    provider,
    adapter,
    upstreamModel: "upstream-m",
    price: undefined,
    traits: {},
    suffixes: [],
  };
}

/** Nothing is sent over it; it says how often it was let go of, and how many events it was told of. */
class IdleSession extends FetchSession {
  closed = 0;
  events = 0;

  constructor() {
    const limits = {
      connectMs: 1,
      firstByteMs: 1,
      unaryMs: 1,
      idleMs: 1,
      totalMs: 1,
      answerBytes: 1,
    };
    super(openEgress(limits), {
      pool: "p",
      credential: credential("secret"),
      authorize: bearer,
      isStream: true,
      onReply: async () => {},
      maxEventBytes: 1,
    });
  }

  override heard(): void {
    this.events++;
    super.heard();
  }

  override close(): void {
    this.closed++;
    super.close();
  }
}

const reasoningCache = new ReasoningCache(
  { now: () => 0, monotonic: () => 0 },
  { keepMs: 1_000, maxLength: 1_000 },
);

async function* say(): AsyncGenerator<ChatEvent> {
  yield* EVENTS;
}

function open(call: Call, tell: Say): Promise<AnswerStream> {
  return openAdapted(call, routeTo(tell), new IdleSession(), reasoningCache);
}

describe("an adapter's response", () => {
  test("is written in the client's style, and counted if the upstream counted nothing", async () => {
    const session = new IdleSession();
    const reading = await readAdapted(aCall(), routeTo(say), session, reasoningCache);

    expect(JSON.parse(String(reading.body))).toMatchObject({
      choices: [{ message: { content: "Hi." }, finish_reason: "stop" }],
    });
    expect(reading.usage).toMatchObject({ isEstimated: true });
    expect(session.closed).toBe(1);
  });

  test("is sent event by event, and its end is recorded before it is sent", async () => {
    const stream = await openAdapted(
      aCall({ stream: true }),
      routeTo(say),
      new IdleSession(),
      reasoningCache,
    );
    const pieces: [string, boolean][] = [];
    await stream.run((piece) => void pieces.push([String(piece), stream.isEnding]));

    expect(pieces.map(([, isEnding]) => isEnding)).toEqual([
      ...pieces.slice(1).map(() => false),
      true,
    ]);
    expect(pieces.at(-1)?.[0]).toContain("[DONE]");
    expect(
      pieces
        .map(([text]) => text)
        .join("")
        .split('"Hi."'),
    ).toHaveLength(2);
    expect(stream.isTranslated).toBe(true);
  });

  test("belongs to its channel from its first content on, or from its end without content", async () => {
    for (const events of [EVENTS, EVENTS.filter(({ type }) => type !== "delta")]) {
      async function* tell(): AsyncGenerator<ChatEvent> {
        yield* events;
      }
      const stream = await open(aCall({ stream: true }), tell);
      const before = stream.hasContent;
      const each: boolean[] = [];
      await stream.run(() => void each.push(stream.hasContent === true));

      expect([before, ...each]).toEqual([false, ...each.map(() => true)]);
      expect(each).not.toEqual([]);
    }
  });

  test("resets the idle timeout with each event", async () => {
    const session = new IdleSession();
    const stream = await openAdapted(
      aCall({ stream: true }),
      routeTo(say),
      session,
      reasoningCache,
    );
    await stream.run(() => {});

    expect(session.events).toBe(EVENTS.length);
  });

  test("lists the fields that the adapter could not carry", async () => {
    const lossy: Say = ({ report }) => {
      report.lose("seed");
      return say();
    };
    const call = aCall({ tool_choice: "required" });
    const whole = await readAdapted(call, routeTo(lossy), new IdleSession(), reasoningCache);

    expect(whole.lost).toEqual(["tool_choice", "seed"]);
    const streamed = await open(aCall({ stream: true, tool_choice: "required" }), lossy);
    expect(streamed.lost).toEqual(whole.lost);
  });

  test("that fails after its head begins with that head, which is sent once", async () => {
    const failure = new GatewayError("upstream_overloaded", "Busy.");
    async function* failLater(): AsyncGenerator<ChatEvent> {
      yield* EVENTS.slice(0, 2);
      throw failure;
    }
    const stream = await open(aCall({ stream: true }), failLater);
    const pieces: unknown[] = [];
    const cause = await stream
      .run((piece) => void pieces.push(piece))
      .catch((each: unknown) => each);
    const [head, error, ...more] = stream.fail(failure).split("\n\n");

    expect([cause, pieces, more]).toEqual([failure, [], [""]]);
    expect(head).toContain('"role":"assistant"');
    expect(error).toContain("Busy.");
    expect(stream.fail(failure)).not.toContain('"role":"assistant"');
  });

  test("is read only as fast as its client reads", async () => {
    let asked = 0;
    async function* count(): AsyncGenerator<ChatEvent> {
      for (const event of EVENTS) {
        asked++;
        yield event;
      }
    }
    const stream = await openAdapted(
      aCall({ stream: true }),
      routeTo(count),
      new IdleSession(),
      reasoningCache,
    );
    const taking = Promise.withResolvers<void>();
    const running = stream.run(() => taking.promise);
    await Bun.sleep(5);
    const ahead = asked;
    taking.resolve();
    await running;

    // The head waits for the first content.
    expect(ahead).toBe(EVENTS.findIndex(({ type }) => type === "delta") + 1);
    expect(asked).toBe(EVENTS.length);
  });

  test("is released, with all its resources, if its reader cancels", async () => {
    const session = new IdleSession();
    const call = aCall({ stream: true });
    (await openAdapted(call, routeTo(say), session, reasoningCache)).close();

    expect(session.closed).toBe(1);
  });

  test("gets its channel's options and address, and never the secret", async () => {
    let told: AdapterWay | undefined;
    const listen: Say = (transport) => {
      told = transport;
      return say();
    };
    await readAdapted(aCall(), routeTo(listen), new IdleSession(), reasoningCache);

    expect(told).toMatchObject({ baseUrl: "http://127.0.0.1:1", options: { package: "x" } });
    expect(told?.placeholder).toStartWith("sluice-");
  });

  test("may be a failure, which its caller handles", async () => {
    const failure = new GatewayError("upstream_overloaded", "Busy.");
    const fail: Say = () => ({
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(failure) }),
    });
    const session = new IdleSession();
    const reading = readAdapted(aCall(), routeTo(fail), session, reasoningCache);

    expect(await reading.catch((cause: unknown) => cause)).toBe(failure);
    expect(session.closed).toBe(1);
  });
});
