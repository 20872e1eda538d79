import { describe, expect, test } from "bun:test";
import type { AttemptRecord, CallRecord } from "#core/call.ts";
import { GatewayError } from "#core/error.ts";
import type { HoldContext, HoldRequest, Ledger } from "#core/ledger.ts";
import type { RateReservation } from "#core/limits.ts";
import { nanoUsd, type NanoUsd, type Price } from "#core/money.ts";
import { NO_USAGE, type Units, type Usage } from "#core/usage.ts";
import { systemClock } from "#lib/clock.ts";
import { Deadlines } from "#lib/deadlines.ts";
import { findProvider } from "#providers/index.ts";
import type { Served } from "../call.ts";
import { endable, OpenCalls } from "./open-calls.ts";
import type { Candidate } from "../routing/route.ts";
import { noteUnpriced, Settlement, type Metered } from "./settlement.ts";
import { aChannel } from "#test/a-channel.ts";
import { waitFor } from "#test/wait.ts";

const PRICE: Price = {
  input: 0,
  output: 0,
  image: 40_000_000_000,
  grades: { "4K": { image: 240_000_000_000 } },
  source: "test",
  date: "2026-01-01",
};

/** The record of a call that asked for `units` and whose upstream reported `usage`. */
async function settled(units: Units, usage: Usage | undefined): Promise<CallRecord> {
  const records: CallRecord[] = [];
  const settlement = await opened(units, records, nanoUsd(0), Infinity);
  settlement.beginMetering(candidate(), { usage, takeOutputText: () => "" }, { lost: [] });
  await settlement.complete();
  const [record] = records;
  if (record === undefined) throw new Error("The call was not closed.");
  return record;
}

/** Of a call that reserved `estimate`, and whose caller has so much more. */
async function opened(
  units: Units,
  records: CallRecord[],
  estimate: NanoUsd,
  available: number,
  asked: number[] = [],
): Promise<Settlement> {
  let left = available;
  const ledger: Ledger = {
    hold: async () => ({ durable: Promise.resolve() }),
    async extend(_id: string, amount: NanoUsd) {
      asked.push(amount);
      if (amount > left) return false;
      left -= amount;
      return true;
    },
    checkpoint: () => {},
    settle: async () => true,
    void: async () => true,
  } as unknown as Ledger;
  const served: Served = {
    id: "call-1",
    key: { id: 1, userId: 1, name: "k", status: 1, models: ["*"], accounts: ["user:1"] },
    style: { id: "images" },
    facts: { model: "m", stream: false, maxOutputTokens: 0, choices: 1 },
    inputTokens: 0,
    units,
    signal: new AbortController().signal,
    at: 0,
    startedAt: 0,
    count: () => Promise.reject(new Error("Nobody can count here.")),
  };
  const deps = {
    ledger,
    limiter: undefined as never,
    clock: systemClock,
    delivery: { deadlines: new Deadlines() },
    open: new OpenCalls(),
    maxOpen: 10,
    onClosed: (record: CallRecord) => void records.push(record),
    onUnpriced: () => {},
    onError: () => {},
  };
  return await Settlement.open(endable(served), { estimate }, deps);
}

function candidate(): Candidate {
  const provider = findProvider("openai");
  if (provider === undefined) throw new Error("A provider was expected.");
  return {
    channel: aChannel({ name: "a" }),
    provider,
    upstreamModel: "m",
    price: PRICE,
    traits: {},
    suffixes: [],
  };
}

test("if an upstream does not report the kind of its result, the requested kind is charged", async () => {
  const record = await settled({ images: 3, grade: "4K" }, { ...NO_USAGE, images: 2 });

  expect(record.usage).toMatchObject({ images: 2, grade: "4K" });
  expect(record).toMatchObject({ cost: 480_000_000, rates: { image: 240_000_000_000 } });
});

test("the kind that an upstream reports is charged, even if another was requested", async () => {
  const record = await settled({ images: 3, grade: "4K" }, { ...NO_USAGE, images: 2, grade: "1K" });

  expect(record.usage.grade).toBe("1K");
  expect(record).toMatchObject({ cost: 80_000_000, rates: { image: 40_000_000_000 } });
});

test("if usage is unknown, the requested amount is charged", async () => {
  const record = await settled({ images: 3, grade: "4K" }, undefined);

  expect(record.usage).toMatchObject({ images: 3, grade: "4K", isEstimated: true });
  expect(Number(record.cost)).toBe(720_000_000);
});

test("a response that exceeds the reservation continues as long as its client can pay", async () => {
  const settlement = await opened({}, [], nanoUsd(400_000_000), 100_000_000);
  const metered = { usage: { ...NO_USAGE, images: 10 }, takeOutputText: () => "" };
  settlement.beginMetering(candidate(), metered, { lost: [] });

  expect(await settlement.checkpoint()).toBe(true);
  for (const [images, isPaid] of [
    [11, true],
    [12, true],
    [13, false],
  ] as const) {
    metered.usage = { ...NO_USAGE, images };
    expect(await settlement.checkpoint()).toBe(isPaid);
  }
});

/** What is asked for beyond a hold of ten pictures at four cents, once `images` are made. */
async function extensions(images: number, available: number): Promise<readonly number[]> {
  const asked: number[] = [];
  const settlement = await opened({}, [], nanoUsd(400_000_000), available, asked);
  const metered = { usage: { ...NO_USAGE, images }, takeOutputText: () => "" };
  settlement.beginMetering(candidate(), metered, { lost: [] });
  await settlement.checkpoint();
  return asked;
}

test("a response within its hold reserves nothing more", async () => {
  expect(await extensions(10, Infinity)).toEqual([]);
});

test("a response that exceeds its hold reserves half of it in addition, so that not every event needs a reservation", async () => {
  expect(await extensions(11, Infinity)).toEqual([200_000_000]);
});

test("if half of the hold exceeds the client's money, only the missing part is reserved", async () => {
  expect(await extensions(11, 40_000_000)).toEqual([200_000_000, 40_000_000]);
});

test("a response that exceeds its hold by more than half reserves all that is missing, in one step", async () => {
  expect(await extensions(16, Infinity)).toEqual([240_000_000]);
  expect(await extensions(16, 0)).toEqual([240_000_000]);
});

/** A call in a gateway whose clock, ledger and limits the test holds, with all that was done to them. */
function stage({
  isLasting = false,
  stream = true,
  maxOpen = 10,
  count = async (text: string, counted: number): Promise<Usage> => ({
    ...NO_USAGE,
    inputTokens: 5,
    outputTokens: counted + text.length,
    isEstimated: true,
  }),
  hold = async (): Promise<{ durable: Promise<void> }> => ({ durable: Promise.resolve() }),
  settle = async (): Promise<boolean> => true,
  budgets,
}: {
  isLasting?: boolean;
  stream?: boolean;
  maxOpen?: number;
  count?: (text: string, counted: number) => Promise<Usage>;
  hold?: () => Promise<{ durable: Promise<void> }>;
  settle?: () => Promise<boolean>;
  budgets?: Served["key"]["budgets"];
} = {}) {
  const holds: HoldRequest[] = [];
  const closed: string[] = [];
  const noted: { delivered: number; context: HoldContext | undefined }[] = [];
  const records: CallRecord[] = [];
  const troubles: unknown[] = [];
  const unpriced: string[] = [];
  const limits: string[] = [];
  const time = { ms: 100 };
  const clock = { now: () => 0, monotonic: () => time.ms };
  const open = new OpenCalls();
  const ledger = {
    async hold(request: HoldRequest) {
      holds.push(request);
      return await hold();
    },
    extend: async () => false,
    checkpoint: (_: string, delivered: NanoUsd, context?: HoldContext) =>
      void noted.push({ delivered, context }),
    settle(_: string, cost: NanoUsd) {
      closed.push(`settle ${cost}`);
      return settle();
    },
    async void() {
      closed.push("void");
      return true;
    },
  } as unknown as Ledger;
  const served = {
    id: "call-1",
    key: {
      id: 1,
      userId: 2,
      name: "k",
      status: 1,
      models: ["*"],
      accounts: ["user:2"],
      ...(budgets === undefined ? {} : { budgets }),
    },
    style: { id: "chat" },
    facts: { model: "m", stream, maxOutputTokens: 0, choices: 1 },
    inputTokens: 7,
    signal: new AbortController().signal,
    at: 50,
    startedAt: 100,
    ...(isLasting ? { isLasting: true } : {}),
    onUnpriced: () => void unpriced.push("caller"),
    count: (text: string, _: unknown, counted: number) => count(text, counted),
  } satisfies Served;
  const deps = {
    ledger,
    limiter: {
      take: () => ({ statuses: [] }),
      correct: ({ id }: RateReservation, tokens: number) =>
        void limits.push(`${id} used ${tokens}`),
      release: ({ id }: RateReservation) => void limits.push(`${id} released`),
      peek: () => ({ statuses: [] }),
    },
    clock,
    delivery: { deadlines: new Deadlines(clock) },
    open,
    maxOpen,
    onClosed: (record: CallRecord) => void records.push(record),
    onUnpriced: ({ model, channel }: { model: string; channel: string }) =>
      void unpriced.push(`${model} at ${channel}`),
    onError: (cause: unknown) => void troubles.push(cause),
  };
  return {
    open: async (reservation?: RateReservation) =>
      await Settlement.open(endable(served), { estimate: nanoUsd(9_000) }, deps, reservation),
    calls: open,
    served,
    deps,
    time,
    holds,
    closed,
    noted,
    records,
    troubles,
    unpriced,
    limits,
  };
}

/** A microdollar for each token of an answer. */
const BY_TOKEN: Price = { input: 0, output: 1_000_000_000, source: "test", date: "2026-01-01" };

function routeWith(price: Price | undefined): Candidate {
  return { ...candidate(), price };
}

/** An answer that has delivered `text` since it was last asked for it. */
function answerOf(text: string, more: Partial<Metered> = {}): Metered & { text: string } {
  return {
    usage: undefined,
    ...more,
    text,
    takeOutputText() {
      const { text: taken } = this;
      this.text = "";
      return taken;
    },
  };
}

const CALLERS: RateReservation = { id: "caller's", bounds: [] };
const CHANNELS: RateReservation = { id: "channel's", bounds: [] };
const CUT = new GatewayError("upstream_failed", "The upstream cut its answer.");
const TRIED: AttemptRecord = {
  channel: "a",
  credential: "",
  fault: null,
  status: 200,
  durationMs: 1,
};
const NO_VALUES = { lost: [] };

describe("an admitted call", () => {
  test("reserves its possible cost, on its key's budgets as well", async () => {
    const budgets = [{ owner: "key:1", period: "day", amount: nanoUsd(1) }] as const;
    const plain = stage();
    const bounded = stage({ budgets });
    await plain.open();
    await bounded.open();

    const context = { userId: 2, keyId: 1, model: "m", style: "chat", isStream: true };
    const request = {
      callId: "call-1",
      accounts: ["user:2"],
      amount: 9_000,
      openedAt: 50,
      context,
    };
    expect(plain.holds).toMatchObject([request]);
    expect(plain.holds[0]?.budgets).toBeUndefined();
    expect(bounded.holds).toMatchObject([{ ...request, budgets }]);
  });

  test.each([
    ["a stream is on disk before its first byte", { stream: true }, {}],
    ["a whole answer's need not be", { stream: false }, { isProvisional: true }],
    ["a task's outlives its process", { stream: false, isLasting: true }, { isLasting: true }],
  ])("makes its reservation in the required way: %s", async (_, options, kind) => {
    const { open, holds } = stage(options);
    await open();

    const { isProvisional, isLasting } = holds[0] ?? {};
    expect({ isProvisional, isLasting }).toEqual({
      isProvisional: undefined,
      isLasting: undefined,
      ...kind,
    } as never);
  });

  test("counts as open until it is closed", async () => {
    const { open, calls } = stage();
    const settlement = await open();
    expect(calls.count).toBe(1);

    await settlement.cancel();

    expect(calls.count).toBe(0);
  });

  test("without a possible reservation is not open, and holds nothing", async () => {
    const { open, calls } = stage({ hold: () => Promise.reject(new Error("out of quota")) });

    expect(await open().catch(String)).toContain("out of quota");
    expect(calls.count).toBe(0);
  });

  test("above the limit of concurrent calls is refused with a retry after one second, and nothing is reserved", async () => {
    const { open, holds } = stage({ maxOpen: 1 });
    await open();

    const refused = await open().catch((cause: unknown) => cause);

    expect(refused).toMatchObject({ code: "overloaded", retryAfterMs: 1_000 });
    expect(holds.length).toBe(1);
  });

  test("whose hold is not written to disk fails only if its result is awaited", async () => {
    const { open } = stage({
      hold: async () => ({ durable: Promise.reject(new Error("The disk is full.")) }),
    });

    const { durable } = await open();
    await Bun.sleep(1);

    expect(await durable.catch(String)).toContain("The disk is full.");
  });
});

describe("a call that ends", () => {
  test("normally is charged, and releases unused limits", async () => {
    const { open, closed, records, limits, time } = stage();
    const settlement = await open(CALLERS);
    settlement.attachChannelReservation(CHANNELS);
    settlement.recordAttempt(TRIED);
    time.ms = 130;
    settlement.beginMetering(routeWith(BY_TOKEN), answerOf("12345"), { lost: ["seed"] });
    time.ms = 170;
    await settlement.complete();

    expect(closed).toEqual(["settle 5000000"]);
    expect(records).toMatchObject([
      {
        outcome: "completed",
        fault: null,
        cost: 5_000_000,
        channel: "a",
        usage: { inputTokens: 5, outputTokens: 5 },
        firstByteMs: 30,
        durationMs: 70,
        attempts: [TRIED],
        lost: ["seed"],
      },
    ]);
    expect(limits).toEqual([
      "caller's used 10",
      "caller's released",
      "channel's used 10",
      "channel's released",
    ]);
  });

  test.each([
    ["failed", "upstream_failed", "failed"],
    ["canceled", "canceled", "canceled"],
  ] as const)("as %s is recorded as such in the journal", async (_, code, outcome) => {
    const { open, records, closed } = stage();
    const settlement = await open();

    await settlement.fail(new GatewayError(code, "It ended."));

    expect(records).toMatchObject([{ outcome, fault: code, cost: 0 }]);
    expect(closed).toEqual(["void"]);
  });

  test("is closed once, by its first end", async () => {
    const { open, records, closed, calls } = stage();
    const settlement = await open();
    await Promise.all([settlement.cancel(), settlement.complete(), settlement.fail(CUT)]);

    expect(records).toMatchObject([{ outcome: "canceled", fault: "canceled" }]);
    expect(closed).toEqual(["void"]);
    expect(calls.count).toBe(0);
  });

  test.each([
    ["a stream that delivered something is owed", true, {}, "settle 3000000"],
    ["a stream that delivered nothing is not", true, { hasContent: false }, "void"],
    ["a whole answer that was not sent is not", false, {}, "void"],
  ])("early: %s", async (_, stream, more, expected) => {
    const { open, closed } = stage({ stream });
    const settlement = await open();
    settlement.beginMetering(routeWith(BY_TOKEN), answerOf("abc", more), NO_VALUES);

    await settlement.fail(CUT);

    expect(closed).toEqual([expected]);
  });

  test("before any response is not charged, even as complete", async () => {
    const { open, closed } = stage();
    await (await open()).complete();

    expect(closed).toEqual(["void"]);
  });

  test("and whose response cannot be counted is charged by an estimate, and marked as estimated", async () => {
    const uncountable = (): Promise<Usage> => Promise.reject(new Error("no vocabulary"));
    const { open, records, troubles, closed } = stage({ count: uncountable });
    const settlement = await open();
    const metered = answerOf("x".repeat(30));
    settlement.beginMetering(routeWith(BY_TOKEN), metered, NO_VALUES);
    settlement.collect();
    metered.text = "y".repeat(30);

    await settlement.complete();

    expect(records).toMatchObject([
      { usage: { inputTokens: 7, outputTokens: 20, isEstimated: true } },
    ]);
    expect(closed).toEqual(["settle 20000000"]);
    expect(troubles.map(String)).toEqual(["Error: no vocabulary"]);
  });

  test("with usage from its upstream is charged by that, and its text does not count", async () => {
    const { open, closed } = stage();
    const settlement = await open();
    const usage = { ...NO_USAGE, inputTokens: 1, outputTokens: 2 };
    settlement.beginMetering(routeWith(BY_TOKEN), answerOf("a long answer", { usage }), NO_VALUES);
    settlement.collect();

    await settlement.complete();

    expect(closed).toEqual(["settle 2000000"]);
  });

  test.each([
    ["the input usage that its upstream reported", 900, 0, { inputTokens: 900, outputTokens: 3 }],
    ["more output, if the upstream reported more", 900, 8, { inputTokens: 900, outputTokens: 8 }],
    [
      "the gateway's count, if the upstream reported none",
      0,
      8,
      { inputTokens: 5, outputTokens: 3 },
    ],
  ])("without a full report is charged by %s", async (_, inputTokens, outputTokens, expected) => {
    const { open, records } = stage();
    const settlement = await open();
    const inputUsage = { ...NO_USAGE, inputTokens, outputTokens, cachedInputTokens: 0 };
    settlement.beginMetering(routeWith(BY_TOKEN), answerOf("abc", { inputUsage }), NO_VALUES);

    await settlement.complete();

    expect(records).toMatchObject([{ usage: { ...expected, isEstimated: true } }]);
  });

  test("waits for the disk, and reports a refusal", async () => {
    const disk = Promise.withResolvers<boolean>();
    const { open, troubles } = stage({ settle: () => disk.promise });
    const settlement = await open();
    settlement.beginMetering(routeWith(BY_TOKEN), answerOf("abc"), NO_VALUES);
    let isClosed = false;
    const closing = settlement.complete().then(() => (isClosed = true));
    await Bun.sleep(1);
    expect(isClosed).toBe(false);

    disk.reject(new Error("The disk is full."));
    await closing;

    expect(troubles.map(String)).toEqual(["Error: The disk is full."]);
  });

  test("waits for the disk for five seconds, and no longer", async () => {
    const { open, troubles, time, deps } = stage({ settle: () => new Promise(() => {}) });
    const settlement = await open();
    settlement.beginMetering(routeWith(BY_TOKEN), answerOf("abc"), NO_VALUES);
    let isClosed = false;
    const closing = settlement.complete().then(() => (isClosed = true));
    await waitFor(() => deps.delivery.deadlines.size === 1);

    time.ms += 4_999;
    await Bun.sleep(250);
    expect(isClosed).toBe(false);
    time.ms += 1;
    await closing;

    expect(troubles.map(String)).toEqual(["Error: The settlement is not on disk yet."]);
    expect(deps.delivery.deadlines.size).toBe(0);
  });

  test("and is on disk is not awaited any more", async () => {
    const { open, troubles, deps } = stage();
    await (await open()).cancel();

    expect(deps.delivery.deadlines.size).toBe(0);
    expect(troubles).toEqual([]);
  });

  test("after a transfer releases its limits at once, once, and keeps its hold", async () => {
    const { open, closed, calls, limits } = stage();
    const settlement = await open(CALLERS);
    settlement.transfer();
    settlement.transfer();
    await settlement.complete();

    expect(closed).toEqual([]);
    expect(calls.count).toBe(0);
    expect(limits).toEqual(["caller's used 0", "caller's released"]);
  });

  test("and was closed before cannot be transferred", async () => {
    const { open, limits, calls } = stage();
    const settlement = await open(CALLERS);
    await settlement.complete();
    settlement.transfer();

    expect(limits).toEqual(["caller's used 0", "caller's released"]);
    expect(calls.count).toBe(0);
  });
});

describe("a response that broke off", () => {
  const attemptsAfter = async (
    tried: readonly AttemptRecord[],
    error: GatewayError,
  ): Promise<CallRecord["attempts"] | undefined> => {
    const { open, records } = stage();
    const settlement = await open();
    for (const each of tried) settlement.recordAttempt(each);
    await settlement.fail(error);
    return records[0]?.attempts;
  };
  const REFUSED: AttemptRecord = { ...TRIED, fault: "upstream_rate_limited", status: 429 };

  test("by its upstream's fault counts as a failed attempt", async () => {
    expect(await attemptsAfter([REFUSED, TRIED], CUT)).toEqual([
      REFUSED,
      { ...TRIED, fault: "upstream_failed" },
    ]);
    expect(await attemptsAfter([REFUSED], CUT)).toEqual([REFUSED]);
    expect(await attemptsAfter([], CUT)).toEqual([]);
  });

  test("with the vendor's own code keeps the code", async () => {
    const error = new GatewayError("upstream_failed", "Too busy.", {
      vendor: { status: 500, code: "server_error" },
    });

    expect(await attemptsAfter([TRIED], error)).toEqual([
      { ...TRIED, fault: "upstream_failed", code: "server_error" },
    ]);
  });

  test("for another reason does not count as a failed attempt", async () => {
    expect(await attemptsAfter([TRIED], new GatewayError("canceled", "The caller left."))).toEqual([
      TRIED,
    ]);
  });
});

describe("a checkpoint", () => {
  const at = async (metered: Metered, more: Parameters<typeof stage>[0] = {}) => {
    const place = stage(more);
    const settlement = await place.open();
    settlement.beginMetering(routeWith(BY_TOKEN), metered, NO_VALUES);
    return { ...place, settlement, goesOn: await settlement.checkpoint() };
  };

  test("is due by the clock, from the call's start and from the one before", async () => {
    const { open, time } = stage();
    const settlement = await open();
    expect(settlement.isCheckpointDue(1_099, 1_000)).toBe(false);
    expect(settlement.isCheckpointDue(1_100, 1_000)).toBe(true);

    time.ms = 1_100;
    await settlement.checkpoint();

    expect(settlement.isCheckpointDue(2_099, 1_000)).toBe(false);
    expect(settlement.isCheckpointDue(2_100, 1_000)).toBe(true);
  });

  test("records the delivered part at its price, with the call's record", async () => {
    const { noted } = await at(answerOf("abc"));
    await waitFor(() => noted.length > 0);

    expect(noted).toMatchObject([
      {
        delivered: 1_000_000,
        context: {
          userId: 2,
          record: { outcome: "interrupted", fault: "internal", cost: 1_000_000, channel: "a" },
        },
      },
    ]);
    expect(noted[0]?.context?.record?.usage.isEstimated).toBe(true);
  });

  test("uses the usage reported so far, as an estimate", async () => {
    const usage = { ...NO_USAGE, outputTokens: 4 };
    const { noted } = await at(answerOf("abc", { usage }));
    await waitFor(() => noted.length > 0);

    expect(noted).toMatchObject([
      { delivered: 4_000_000, context: { record: { usage: { ...usage, isEstimated: true } } } },
    ]);
  });

  test("that cannot be counted uses a rough estimate", async () => {
    const { noted, troubles } = await at(answerOf("x".repeat(6)), {
      count: () => Promise.reject(new Error("no vocabulary")),
    });
    await waitFor(() => noted.length > 0);

    expect(noted).toMatchObject([{ delivered: 2_000_000 }]);
    expect(troubles.length).toBe(1);
  });

  test.each([
    ["before anything answers", undefined],
    ["before any content", answerOf("abc", { hasContent: false })],
  ])("%s records nothing, and the call continues", async (_, metered) => {
    const place = stage();
    const settlement = await place.open();
    if (metered !== undefined) settlement.beginMetering(routeWith(BY_TOKEN), metered, NO_VALUES);

    expect(await settlement.checkpoint()).toBe(true);
    await Bun.sleep(1);
    expect(place.noted).toEqual([]);
  });

  test("of an ended call records nothing", async () => {
    const { open, noted, closed } = stage();
    const settlement = await open();
    settlement.beginMetering(routeWith(BY_TOKEN), answerOf("abc"), NO_VALUES);
    await settlement.complete();

    expect(await settlement.checkpoint()).toBe(true);
    settlement.collect();
    await Bun.sleep(20);
    expect(noted).toEqual([]);
    expect(closed.length).toBe(1);
  });

  test("that is still counted when the call ends is dropped", async () => {
    const counted = Promise.withResolvers<Usage>();
    let isCounting = false;
    const { open, noted } = stage({
      count() {
        isCounting = true;
        return counted.promise;
      },
    });
    const settlement = await open();
    settlement.beginMetering(routeWith(undefined), answerOf("abc"), NO_VALUES);
    await settlement.checkpoint();
    await waitFor(() => isCounting);

    const closing = settlement.complete();
    counted.resolve(NO_USAGE);
    await closing;
    await Bun.sleep(1);

    expect(noted).toEqual([]);
  });

  test("ends a response whose client cannot pay for more than was reserved", async () => {
    // Nine microdollars were reserved, of which the estimate has long run out.
    const { goesOn } = await at(answerOf("a fox crosses the river ".repeat(20)));

    expect(goesOn).toBe(false);
  });

  test("uses the exact count if the rough one exceeds the reservation", async () => {
    const { goesOn, troubles } = await at(answerOf("x".repeat(60)), {
      count: async () => ({ ...NO_USAGE, outputTokens: 0, isEstimated: true }),
    });

    expect(goesOn).toBe(true);
    expect(troubles).toEqual([]);
  });

  test("is counted once at a time", async () => {
    const counted = Promise.withResolvers<Usage>();
    let counts = 0;
    const { open, noted } = stage({
      count() {
        counts++;
        return counted.promise;
      },
    });
    const settlement = await open();
    settlement.beginMetering(routeWith(undefined), answerOf("abc"), NO_VALUES);
    await settlement.checkpoint();
    await waitFor(() => counts > 0);
    await settlement.checkpoint();
    counted.resolve(NO_USAGE);
    await waitFor(() => noted.length > 0);
    expect([counts, noted.length]).toEqual([1, 1]);

    await settlement.checkpoint();
    await waitFor(() => noted.length > 1);
    expect([counts, noted.length]).toEqual([2, 2]);
  });
});

test("amounts reserved during a call count as reserved and are not reserved twice", async () => {
  const asked: number[] = [];
  const settlement = await opened({}, [], nanoUsd(400_000_000), Infinity, asked);
  const metered = { usage: { ...NO_USAGE, images: 11 }, takeOutputText: () => "" };
  settlement.beginMetering(candidate(), metered, { lost: [] });
  await settlement.checkpoint();
  metered.usage = { ...NO_USAGE, images: 15 };
  await settlement.checkpoint();
  expect(asked).toEqual([200_000_000]);

  // The count of the checkpoint before is over.
  await Bun.sleep(1);
  metered.usage = { ...NO_USAGE, images: 16 };
  await settlement.checkpoint();

  expect(asked).toEqual([200_000_000, 300_000_000]);
});

test("the journal names the model and provider that answered, and items without a price", async () => {
  const priced = stage();
  const settlement = await priced.open();
  settlement.beginMetering(routeWith(BY_TOKEN), answerOf("abc"), NO_VALUES);
  await settlement.complete();
  const unpriced = stage();
  const free = await unpriced.open();
  free.beginMetering(routeWith(undefined), answerOf("abc"), NO_VALUES);
  await free.complete();
  const unused = stage({ count: async () => NO_USAGE });
  const nothing = await unused.open();
  nothing.beginMetering(routeWith(BY_TOKEN), answerOf(""), NO_VALUES);
  await nothing.complete();

  expect(priced.records).toMatchObject([{ upstreamModel: "m", provider: "openai" }]);
  expect(priced.records[0]).not.toHaveProperty("isUnpriced");
  expect(priced.records[0]).toHaveProperty("rates");
  expect(unpriced.records).toMatchObject([{ isUnpriced: true, cost: 0 }]);
  expect(unpriced.records[0]).not.toHaveProperty("rates");
  expect(unused.records[0]).not.toHaveProperty("rates");
});

describe("a model without a price", () => {
  test("is reported to the client and the operator when it answers", async () => {
    const { open, unpriced } = stage();
    (await open()).beginMetering(routeWith(undefined), answerOf(""), NO_VALUES);

    expect(unpriced).toEqual(["caller", "m at a"]);
  });

  test("is not reported if there is a price", async () => {
    const { open, unpriced } = stage();
    (await open()).beginMetering(routeWith(BY_TOKEN), answerOf(""), NO_VALUES);

    expect(unpriced).toEqual([]);
  });

  test("is reported to the operator if the client cannot be informed", () => {
    const { deps, served, unpriced } = stage();
    noteUnpriced({ facts: served.facts }, routeWith(undefined), deps);

    expect(unpriced).toEqual(["m at a"]);
  });
});
