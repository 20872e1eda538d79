import { describe, expect, spyOn, test } from "bun:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { ChatRequest } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { Deadlines, type Watched } from "#lib/deadlines.ts";
import { parseJson } from "#lib/json.ts";
import { readEvents, SSE_COMMENT } from "#lib/sse.ts";
import type { OnPiece, UpstreamReply } from "#egress/egress.ts";
import type { Sink } from "#lib/push-stream.ts";
import { chat } from "#styles/text/chat/index.ts";
import type { AnswerStream } from "./answer-stream.ts";
import type { StreamedAttempt } from "../failover/attempt.ts";
import { BufferedBytes } from "./buffered-bytes.ts";
import { Delivery } from "./deliver.ts";
import { PassedStream } from "../translation/passthrough.ts";
import type { Settlement } from "../metering/settlement.ts";

const REQUEST: ChatRequest = { model: "m", messages: [], stream: true, sampling: {} };

const settings = {
  maxEventBytes: 1_024,
  maxPictureEventBytes: 1_024,
  firstSignMs: 100,
  silenceMs: 150,
  checkpointMs: 60_000,
  buffered: new BufferedBytes({ bufferedBytes: 1_024 * 1_024 }),
  deadlines: new Deadlines(),
};

/** A stream that says what the test tells it to. */
function streamOf(
  run: (take: Sink["write"], end: () => void) => Promise<void>,
): AnswerStream & { isClosed: boolean } {
  const stream = {
    isEnding: false,
    isTranslated: true,
    isClosed: false,
    usage: undefined,
    lost: [],
    takeOutputText: () => "",
    fail: (error: GatewayError) => chat.inbound.openEncoder(REQUEST).fail(error),
    run: (take: Sink["write"]) => run(take, () => (stream.isEnding = true)),
    close: () => void (stream.isClosed = true),
  };
  return stream;
}

/** The attempt that a stream began with. */
function attempt(release: StreamedAttempt["release"] = () => {}): StreamedAttempt {
  return { release, disclose: (error) => error };
}

/** What happened, in order: what left for the caller, and what was settled. */
function stage(): { seen: string[]; sink: Sink; settlement: Settlement } {
  const seen: string[] = [];
  const note = (what: string) => async () => void seen.push(what);
  const settlement = {
    complete: note("complete"),
    fail: async (error: GatewayError) => void seen.push(`fail ${error.code}`),
    cancel: note("cancel"),
    isCheckpointDue: () => false,
    collect: () => {},
  } as unknown as Settlement;
  return { seen, settlement, sink: { write: (bytes) => void seen.push(String(bytes)) } };
}

test("the end of a response is sent after its settlement, and not before", async () => {
  const { seen, sink, settlement } = stage();
  const delivery = await Delivery.begin(
    streamOf(async (take, end) => {
      await take("a");
      end();
      await take("the end");
    }),
    settings,
    SSE_COMMENT,
  );

  await delivery.send(
    sink,
    settlement,
    attempt(() => void seen.push("released")),
  );

  expect(seen).toEqual(["a", "complete", "the end", "complete", "released", "cancel"]);
});

test("a client that waits during a silence gets a keep-alive", async () => {
  const { seen, sink, settlement } = stage();
  const delivery = await Delivery.begin(
    streamOf(async (take) => {
      await take("a");
      await sleep(400);
      await take("b");
    }),
    settings,
    SSE_COMMENT,
  );

  await delivery.send(sink, settlement, attempt());

  expect(seen[0]).toBe("a");
  expect(seen[1]).toBe(": keep-alive\n\n");
  expect(seen).toContain("b");
});

test("keep-alives continue as long as the silence", async () => {
  const { seen, sink, settlement } = stage();
  const silence = Promise.withResolvers<void>();
  let now = 0;
  let watched: Watched | undefined;
  const deadlines = {
    now: () => now,
    watch: (entry: Watched) => (watched = entry),
    release: () => {},
  } as unknown as Deadlines;
  const delivery = await Delivery.begin(
    streamOf(async (take) => {
      await take("a");
      await silence.promise;
      await take("b");
    }),
    { ...settings, deadlines, silenceMs: 15_000 },
    SSE_COMMENT,
  );
  const sending = delivery.send(sink, settlement, attempt());
  await sleep(0);
  for (; now <= 300_000; now += 1_000) if ((watched?.dueAt ?? Infinity) <= now) watched?.onDue(now);
  silence.resolve();
  await sending;

  expect(seen.filter((piece) => piece === SSE_COMMENT)).toHaveLength(20);
});

test("a slow first event does not delay the response head", async () => {
  let isOver = false;
  const delivery = await Delivery.begin(
    streamOf(async (take) => {
      await sleep(400);
      isOver = true;
      await take("late");
    }),
    settings,
    SSE_COMMENT,
  );
  expect(isOver).toBe(false);

  const { seen, sink, settlement } = stage();
  await delivery.send(sink, settlement, attempt());
  expect(seen).toContain("late");
});

test("the wait for a first piece leaves no timer behind", async () => {
  const cleared = spyOn(globalThis, "clearTimeout");
  const started = spyOn(globalThis, "setTimeout");
  try {
    await Delivery.begin(
      streamOf(async (take) => take("a")),
      settings,
      SSE_COMMENT,
    );
    const timers = started.mock.results.map(({ value }) => value);

    expect(timers).toHaveLength(1);
    expect<unknown[]>(cleared.mock.calls.map(([timer]) => timer)).toEqual(timers);
  } finally {
    cleared.mockRestore();
    started.mockRestore();
  }
});

test("a failure before the first piece allows failover", async () => {
  const begun = Delivery.begin(
    streamOf(async () => {
      throw new GatewayError("upstream_failed", "Broken.");
    }),
    settings,
    SSE_COMMENT,
  );

  expect(begun).rejects.toThrow("Broken.");
});

test("a later failure is settled and reported in the client's style, and the upstream is released", async () => {
  const { seen, sink, settlement } = stage();
  const stream = streamOf(async (take) => {
    await take("a");
    throw new GatewayError("upstream_failed", "Broken.");
  });
  const delivery = await Delivery.begin(stream, settings, SSE_COMMENT);
  let failure: string | undefined;

  await delivery.send(
    sink,
    settlement,
    attempt((error) => void (failure = error?.code)),
  );

  expect(seen.slice(0, 2)).toEqual(["a", "fail upstream_failed"]);
  expect(seen[2]).toContain('"error"');
  expect(failure).toBe("upstream_failed");
  expect(stream.isClosed).toBe(true);
});

test("a client that reads slowly pauses the upstream", async () => {
  const { settlement } = stage();
  const kept = Promise.withResolvers<void>();
  let isHeld = true;
  const delivery = await Delivery.begin(
    streamOf(async (take) => {
      await take("a");
      isHeld = false;
    }),
    settings,
    SSE_COMMENT,
  );

  const sending = delivery.send({ write: () => kept.promise }, settlement, attempt());
  await sleep(20);
  expect(isHeld).toBe(true);
  kept.resolve();
  await sending;
  expect(isHeld).toBe(false);
});

/** What happened to a stream that fails after its end; its whole answer has left. */
async function sentUntilFailure(failure: GatewayError): Promise<readonly string[]> {
  const { seen, sink, settlement } = stage();
  const delivery = await Delivery.begin(
    streamOf(async (take, end) => {
      await take("a");
      end();
      await take("the end");
      throw failure;
    }),
    settings,
    SSE_COMMENT,
  );
  expect(await delivery.send(sink, settlement, attempt())).toBe(true);
  return seen;
}

test("a client that disconnects at the end of the response has received all of it", async () => {
  const seen = await sentUntilFailure(new GatewayError("canceled", "The caller left."));

  expect(seen.slice(0, 3)).toEqual(["a", "complete", "the end"]);
});

test("nothing is sent after the end, even if the upstream sends more", async () => {
  const seen = await sentUntilFailure(new GatewayError("upstream_failed", "Broken."));

  expect(seen.join("")).not.toContain("error");
});

test("a client that disconnects while the end waits for its settlement has not received it", async () => {
  const { seen, sink, settlement } = stage();
  const delivery = await Delivery.begin(
    streamOf(async (take, end) => {
      await take("a");
      end();
      void take("the end");
      throw new GatewayError("canceled", "The caller left.");
    }),
    settings,
    SSE_COMMENT,
  );
  const slow = Promise.withResolvers<void>();
  const waiting = { ...settlement, complete: () => slow.promise } as unknown as Settlement;

  expect(await delivery.send(sink, waiting, attempt())).toBe(false);
  expect(seen).not.toContain("the end");
  slow.resolve();
});

/** A clock that stands still, and what waits for it. */
function standingClock() {
  const watched = new Set<Watched>();
  const clock = { now: 0 };
  const deadlines = {
    now: () => clock.now,
    watch: (each: Watched) => void watched.add(each),
    release: (each: Watched) => void watched.delete(each),
  } as unknown as Deadlines;
  return { clock, watched, deadlines };
}

describe("a client that waits for the first event", () => {
  test("gets a keep-alive after each silence, until the response begins", async () => {
    const { clock, watched, deadlines } = standingClock();
    const { seen, sink } = stage();
    const never = streamOf(() => new Promise(() => {}));
    clock.now = 1_000;
    const delivery = await Delivery.begin(
      never,
      { ...settings, deadlines, firstSignMs: 1, silenceMs: 15_000 },
      SSE_COMMENT,
    );

    const awake = delivery.keepAwake(sink);
    const [first] = watched;
    expect(first?.dueAt).toBe(16_000);
    first?.onDue(17_000);
    expect(first?.dueAt).toBe(32_000);
    expect(seen).toEqual([SSE_COMMENT]);
    awake[Symbol.dispose]();

    expect(watched.size).toBe(0);
  });

  test("gets none in a style without keep-alives", async () => {
    const { watched, deadlines } = standingClock();
    const { seen, sink } = stage();
    const never = streamOf(() => new Promise(() => {}));
    const delivery = await Delivery.begin(
      never,
      { ...settings, deadlines, firstSignMs: 1 },
      undefined,
    );

    delivery.keepAwake(sink);
    for (const each of watched) each.onDue(1);

    expect(seen).toEqual([]);
  });

  test("gets the first event at once, before the waiting time is over", async () => {
    const stream = streamOf(async (take) => {
      await take("a");
    });
    const start = performance.now();
    const delivery = await Delivery.begin(stream, { ...settings, firstSignMs: 5_000 }, SSE_COMMENT);

    expect(performance.now() - start).toBeLessThan(2_500);
    expect(delivery.hasBegun).toBe(true);
    await delivery.whenBegun();
  });

  test("gets a late result as well", async () => {
    const late = Promise.withResolvers<void>();
    const stream = streamOf(async (take) => {
      await late.promise;
      await take("a");
    });
    const delivery = await Delivery.begin(stream, { ...settings, firstSignMs: 1 }, SSE_COMMENT);
    expect(delivery.hasBegun).toBe(false);
    let isBegun = false;
    const waiting = delivery.whenBegun().then(() => (isBegun = true));
    await sleep(5);
    expect(isBegun).toBe(false);
    late.resolve();
    await waiting;
    expect(delivery.hasBegun).toBe(true);
  });
});

describe("a response that never began", () => {
  async function abandoned(code: "upstream_failed" | "canceled") {
    const { seen, sink, settlement } = stage();
    const stream = streamOf(() => new Promise(() => {}));
    const delivery = await Delivery.begin(stream, { ...settings, firstSignMs: 1 }, SSE_COMMENT);
    const released: unknown[] = [];
    const failure = new GatewayError(code, "Broken.");
    await delivery.abandon(failure, sink, settlement, {
      release: (error) => void released.push(error),
    });
    return { seen, isClosed: stream.isClosed, released, failure };
  }

  test("is settled as failed, reported, and its upstream released", async () => {
    const { seen, isClosed, released, failure } = await abandoned("upstream_failed");

    expect(seen[0]).toBe("fail upstream_failed");
    expect(seen[1]).toContain("Broken.");
    expect(isClosed).toBe(true);
    expect(released).toEqual([failure]);
  });

  test("is not reported to a client that disconnected", async () => {
    const { seen, isClosed } = await abandoned("canceled");

    expect(seen).toEqual(["fail canceled"]);
    expect(isClosed).toBe(true);
  });
});

test("a style without a keep-alive shows the client nothing during a silence", async () => {
  const { seen, sink, settlement } = stage();
  const { deadlines } = standingClock();
  const upstream = Promise.withResolvers<void>();
  const delivery = await Delivery.begin(
    streamOf(async (take) => {
      await take("a");
      await upstream.promise;
    }),
    { ...settings, deadlines },
    undefined,
  );
  const sending = delivery.send(sink, settlement, attempt());
  await sleep(0);
  delivery.onDue(1_000);

  expect(seen).toEqual(["a"]);
  expect(delivery.dueAt).toBe(Infinity);
  upstream.resolve();
  await sending;
});

describe("a running response", () => {
  async function sent(
    pieces: readonly (string | Uint8Array)[],
    change: Readonly<Record<string, unknown>> = {},
    write?: Sink["write"],
  ) {
    const { seen, sink, settlement } = stage();
    const clock = standingClock();
    const delivery = await Delivery.begin(
      streamOf(async (take) => {
        for (const piece of pieces) await take(piece);
      }),
      {
        ...settings,
        deadlines: clock.deadlines,
        buffered: new BufferedBytes({ bufferedBytes: 1 << 30 }),
      },
      SSE_COMMENT,
    );
    const isComplete = await delivery.send(
      write === undefined ? sink : { write },
      { ...settlement, ...change } as unknown as Settlement,
      attempt(),
    );
    return { seen, isComplete, watched: clock.watched, delivery };
  }

  test("is not watched after its end", async () => {
    expect((await sent(["a"])).watched.size).toBe(0);
  });

  test("continues at a checkpoint if the quota suffices, and is ended if not", async () => {
    const checkpointMs: unknown[] = [];
    const isCheckpointDue = (_: number, ms: number): boolean => checkpointMs.push(ms) > 0;

    const going = await sent(["a"], { isCheckpointDue, checkpoint: async () => true });
    expect(going.seen).toEqual(["a", "complete", "cancel"]);
    expect(checkpointMs).toEqual([60_000]);

    const ended = await sent(["a"], { isCheckpointDue, checkpoint: async () => false });
    expect(ended.isComplete).toBe(false);
    expect(ended.seen[0]).toBe("fail out_of_quota");
    expect(ended.seen[1]).toContain("quota ran out");
  });

  test("has its text collected once for each 64 KiB", async () => {
    let collected = 0;
    const collect = (): void => void collected++;
    const half = "x".repeat(32 * 1_024);

    await sent([half, "x".repeat(32 * 1_024 - 1)], { collect });
    expect(collected).toBe(0);
    await sent([half, half, half], { collect });
    expect(collected).toBe(1);
    await sent([half, half, half, half], { collect });
    expect(collected).toBe(3);
  });

  test("is written whole up to 64 KiB, and larger pieces in parts, split between events if possible", async () => {
    const event = `data: ${"x".repeat(40_000)}\n\n`;
    const written = async (piece: string | Uint8Array): Promise<readonly string[]> =>
      (await sent([piece])).seen.slice(0, -2);

    expect(await written("x".repeat(65_536))).toHaveLength(1);
    const upToLimit = `${"x".repeat(30_000)}\n\n${"x".repeat(35_534)}`;
    expect(await written(upToLimit)).toEqual([upToLimit]);
    // The last part is as large as the limit.
    expect(await written(event + upToLimit)).toEqual([event, upToLimit]);
    expect(await written(event + event)).toEqual([event, event]);
    expect(await written(Buffer.from(event + event))).toEqual([event, event]);
    const long = "x".repeat(65_536 * 2);
    expect((await written(long)).map((each) => each.length)).toEqual([65_536, 65_536]);
    expect((await written(`\n\n${long}`)).map((each) => each.length)).toEqual([2, 65_536, 65_536]);
    expect((await written(`${long}é`)).join("")).toBe(`${long}é`);
  });
});

test("silence is counted from the last event, and before the first from the response head", async () => {
  const { sink, settlement } = stage();
  const { clock, deadlines } = standingClock();
  const next = Promise.withResolvers<void>();
  const upstream = Promise.withResolvers<void>();
  const delivery = await Delivery.begin(
    streamOf(async (take) => {
      await next.promise;
      await take("a");
      await upstream.promise;
    }),
    { ...settings, deadlines, firstSignMs: 1, silenceMs: 15_000 },
    SSE_COMMENT,
  );

  clock.now = 1_000;
  const sending = delivery.send(sink, settlement, attempt());
  expect(delivery.dueAt).toBe(16_000);
  clock.now = 10_000;
  next.resolve();
  await sleep(0);
  expect(delivery.dueAt).toBe(25_000);
  upstream.resolve();
  await sending;
});

describe("a reader that is behind", () => {
  async function behind(piece: string, keepAlive: string | undefined = SSE_COMMENT) {
    const { seen, settlement } = stage();
    const { clock, watched, deadlines } = standingClock();
    const buffered = new BufferedBytes({ bufferedBytes: 1 << 30 });
    const taken: PromiseWithResolvers<void>[] = [];
    const upstream = Promise.withResolvers<void>();
    const delivery = await Delivery.begin(
      streamOf(async (take) => {
        await take(piece);
        await upstream.promise;
      }),
      { ...settings, deadlines, buffered, silenceMs: 15_000 },
      keepAlive,
    );
    const sink: Sink = {
      write(bytes) {
        seen.push(String(bytes));
        const one = Promise.withResolvers<void>();
        taken.push(one);
        return one.promise;
      },
    };
    const sending = delivery.send(sink, settlement, attempt());
    await sleep(0);
    return { seen, clock, watched, buffered, taken, upstream, delivery, sending };
  }

  test("is counted with all its pending bytes, again each second, and gets no keep-alive", async () => {
    const { seen, buffered, taken, delivery, clock, upstream, sending } = await behind("abc");

    expect(buffered.total).toBe(3);
    expect(delivery.dueAt).toBe(1_000);
    Object.assign(delivery.stream, { waitingBytes: 10 });
    clock.now = 1_000;
    delivery.onDue(1_000);
    expect(buffered.total).toBe(13);
    expect(delivery.dueAt).toBe(2_000);
    expect(seen).toEqual(["abc"]);

    taken[0]?.resolve();
    await sleep(0);
    expect(buffered.total).toBe(0);
    expect(delivery.dueAt).toBe(16_000);
    upstream.resolve();
    expect(await sending).toBe(true);
  });

  test("is counted with the rest of a large piece", async () => {
    const { buffered, taken, upstream, sending } = await behind("x".repeat(65_536 + 100));

    expect(buffered.total).toBe(65_636);
    taken[0]?.resolve();
    await sleep(0);
    expect(buffered.total).toBe(100);
    taken[1]?.resolve();
    upstream.resolve();
    await sending;
    expect(buffered.total).toBe(0);
  });

  test("gets keep-alives after it has read everything, one at a time", async () => {
    const { seen, clock, taken, delivery, upstream, sending } = await behind("abc");
    taken[0]?.resolve();
    await sleep(0);

    clock.now = 15_000;
    delivery.onDue(15_000);
    expect(seen).toEqual(["abc", SSE_COMMENT]);
    expect(delivery.dueAt).toBe(Infinity);
    clock.now = 20_000;
    taken[1]?.resolve();
    await sleep(0);
    expect(delivery.dueAt).toBe(35_000);
    upstream.resolve();
    await sending;
  });

  test("gets a failure before its call is over", async () => {
    const { seen, taken, upstream, sending } = await behind("abc");
    taken[0]?.resolve();
    upstream.reject(new GatewayError("upstream_failed", "Broken."));
    await sleep(5);
    expect(seen).toHaveLength(3);
    expect(seen[2]).toContain("Broken.");

    taken[1]?.resolve();
    await sending;
    expect(seen.slice(3)).toEqual(["cancel"]);
  });

  test("gets the reason for the end on a line of its own, whether it reads that or not", async () => {
    const { seen, taken, delivery, sending, buffered } = await behind("abc");

    delivery.shed();
    expect(await sending).toBe(false);
    taken[1]?.reject(new Error("The caller left."));
    await sleep(0);

    expect(seen[1]).toBe("fail overloaded");
    expect(seen[2]).toStartWith("\n\n");
    expect(seen[2]).toContain("read too slowly");
    expect(buffered.total).toBe(0);
  });
});

describe("two hundred readers that are behind", () => {
  const READERS = 200;
  const EVENT = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "word ".repeat(20) } }] })}\n\n`;
  const PIECE = Buffer.from(EVENT.repeat(Math.ceil((128 * 1_024) / EVENT.length)));
  const FACTS = {
    model: "m",
    stream: true,
    maxOutputTokens: 1,
    choices: 1,
    messages: 1,
    wantsUsage: true,
  };

  async function openReaders(bufferedBytes: number) {
    const buffered = new BufferedBytes({ bufferedBytes });
    const written: string[][] = [];
    const ends: Promise<boolean>[] = [];
    const failures: string[] = [];
    const all = [];
    for (let i = 0; i < READERS; i++) {
      const stream = new PassedStream(endless(), chat.passthrough.openTap(FACTS), 1_024 * 1_024);
      const delivery = await Delivery.begin(stream, { ...settings, buffered }, SSE_COMMENT);
      const pieces: string[] = [];
      const stuck = new Promise<void>(() => {});
      const sink: Sink = {
        write(bytes) {
          pieces.push(String(bytes));
          // It took some of it, and then no more.
          return pieces.length > 2 ? stuck : undefined;
        },
      };
      const settlement = {
        ...stage().settlement,
        fail: async (error: GatewayError) => void failures.push(error.code),
      } as unknown as Settlement;
      ends.push(delivery.send(sink, settlement, attempt()));
      written.push(pieces);
      all.push(delivery);
    }
    await Bun.sleep(20);
    return { buffered, written, ends, failures, all };
  }

  /** Hands over large pieces as fast as they are taken, and has more that waits. */
  function endless(): UpstreamReply {
    const ended = Promise.withResolvers<never>();
    ended.promise.catch(() => {});
    return {
      waitingBytes: 64 * 1_024,
      async pump(onPiece: OnPiece) {
        for (;;) await Promise.race([ended.promise, onPiece(PIECE) ?? Bun.sleep(1)]);
      },
      close: () => ended.reject(new GatewayError("canceled", "The response was discarded.")),
    } as unknown as UpstreamReply;
  }

  test("hold less than 256 KiB each, and nothing after they disconnect", async () => {
    const { buffered, all, ends } = await openReaders(1_024 * 1_024 * 1_024);

    expect(buffered.total / READERS).toBeWithin(1, 256 * 1_024);
    for (const each of all) each.stream.close();
    expect(await Promise.all(ends)).not.toContain(true);
    expect(buffered.total).toBe(0);
  });

  test("hold no more than the limit together: the slowest get an error event between two events", async () => {
    const limit = 4 * 1_024 * 1_024;
    const { buffered, all, ends, written, failures } = await openReaders(limit);

    expect(buffered.total).toBeWithin(limit / 2, limit + 1);
    expect(failures.length).toBeWithin(1, READERS);
    expect(new Set(failures)).toEqual(new Set(["overloaded"]));
    // Who fell behind first was ended first.
    const told = written.map((pieces) => pieces.at(-1)?.includes("read too slowly") === true);
    expect(told.indexOf(false)).toBe(failures.length);
    for (const { data } of readEvents(written[0]?.join("") ?? "")) {
      expect(parseJson(data)).toBeDefined();
    }

    for (const each of all) each.stream.close();
    await Promise.all(ends);
  });
});
