import { describe, expect, test } from "bun:test";
import type { ChatEvent } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { FetchSession } from "#egress/fetch.ts";
import { openEgress } from "#egress/upstream.ts";
import { credential } from "#core/channel.ts";
import { bearer, type AdapterWay, type Provider } from "#providers/provider.ts";
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

/** Nothing is sent over it; it says how often it was let go of. */
class IdleSession extends FetchSession {
  closed = 0;

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
    const stream = openAdapted(
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
    expect(pieces.map(([text]) => text).join("")).toContain('"Hi."');
  });

  test("is read only as fast as its client reads", async () => {
    let asked = 0;
    async function* count(): AsyncGenerator<ChatEvent> {
      for (const event of EVENTS) {
        asked++;
        yield event;
      }
    }
    const stream = openAdapted(
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

  test("is released, with all its resources, if its reader cancels", () => {
    const session = new IdleSession();
    openAdapted(aCall({ stream: true }), routeTo(say), session, reasoningCache).close();

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
