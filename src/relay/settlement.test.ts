import { expect, test } from "bun:test";
import type { CallRecord } from "#core/call.ts";
import type { Ledger } from "#core/ledger.ts";
import { nanoUsd, type NanoUsd, type Price } from "#core/money.ts";
import { NO_USAGE, type Units, type Usage } from "#core/usage.ts";
import { systemClock } from "#lib/clock.ts";
import { Deadlines } from "#lib/deadlines.ts";
import { findProvider } from "#providers/index.ts";
import type { Served } from "./call.ts";
import { endable, OpenCalls } from "./open-calls.ts";
import type { Candidate } from "./route.ts";
import { Settlement } from "./settlement.ts";
import { aChannel } from "#test/a-channel.ts";

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
  settlement.answering(candidate(), { usage, takeOutputText: () => "" }, { lost: [] });
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
    onTrouble: () => {},
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

test("where an upstream does not say of what kind its result is, it costs what was asked for", async () => {
  const record = await settled({ images: 3, grade: "4K" }, { ...NO_USAGE, images: 2 });

  expect(record.usage).toMatchObject({ images: 2, grade: "4K" });
  expect(record).toMatchObject({ cost: 480_000_000, rates: { image: 240_000_000_000 } });
});

test("what an upstream says of its result holds, whatever was asked for", async () => {
  const record = await settled({ images: 3, grade: "4K" }, { ...NO_USAGE, images: 2, grade: "1K" });

  expect(record.usage.grade).toBe("1K");
  expect(record).toMatchObject({ cost: 80_000_000, rates: { image: 40_000_000_000 } });
});

test("where nobody can say what was used, it is what was asked for", async () => {
  const record = await settled({ images: 3, grade: "4K" }, undefined);

  expect(record.usage).toMatchObject({ images: 3, grade: "4K", isEstimated: true });
  expect(Number(record.cost)).toBe(720_000_000);
});

test("an answer that outgrows what was reserved goes on for as long as its caller can pay for it", async () => {
  const settlement = await opened({}, [], nanoUsd(400_000_000), 100_000_000);
  const metered = { usage: { ...NO_USAGE, images: 10 }, takeOutputText: () => "" };
  settlement.answering(candidate(), metered, { lost: [] });

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
  settlement.answering(candidate(), metered, { lost: [] });
  await settlement.checkpoint();
  return asked;
}

test("an answer within its hold reserves nothing more", async () => {
  expect(await extensions(10, Infinity)).toEqual([]);
});

test("an answer that outgrows its hold reserves half of it again, so that it need not ask for each piece", async () => {
  expect(await extensions(11, Infinity)).toEqual([200_000_000]);
});

test("if that is more than its caller has, what is missing is reserved", async () => {
  expect(await extensions(11, 40_000_000)).toEqual([200_000_000, 40_000_000]);
});

test("an answer that outgrows its hold by more than half reserves all that is missing, and asks once", async () => {
  expect(await extensions(16, Infinity)).toEqual([240_000_000]);
  expect(await extensions(16, 0)).toEqual([240_000_000]);
});
