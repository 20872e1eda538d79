import { describe, expect, test } from "bun:test";
import type { CallRecord } from "#core/call.ts";
import type { Ledger } from "#core/ledger.ts";
import { FREE, nanoUsd, type Price } from "#core/money.ts";
import type { Task, TaskPlace } from "#core/task.ts";
import { NO_USAGE } from "#core/usage.ts";
import { defined } from "#lib/values.ts";
import { aTask, CREATED_AT } from "#test/a-task.ts";
import { settleTask } from "./settle.ts";

/** A dollar for a thousand seconds. */
const PRICE: Price = {
  input: 0,
  output: 0,
  second: 1_000_000_000,
  source: "test",
  date: "2026-01-01",
};
const USAGE = { ...NO_USAGE, durationMs: 5_000, isEstimated: true };
const PLACE = {
  channel: "one",
  provider: "ark",
  upstreamModel: "seedance",
  format: "video-ark",
  credential: "",
};

const at = (provider: string): TaskPlace => ({ ...PLACE, provider });

type Change = Partial<Omit<Task, "price" | "place">> & {
  readonly price?: Price | undefined;
  readonly place?: TaskPlace | undefined;
};

async function settled(change: Change, { isFirst = true } = {}) {
  const { price, place, ...more } = { price: PRICE, place: PLACE, ...change };
  const booked: { readonly kind: string; readonly cost: number; readonly record: CallRecord }[] =
    [];
  const closed: CallRecord[] = [];
  const ledger = {
    settle: (_: string, cost: number, record: CallRecord) => {
      booked.push({ kind: "settle", cost, record });
      return Promise.resolve(isFirst);
    },
    void: (_: string, record: CallRecord) => {
      booked.push({ kind: "void", cost: 0, record });
      return Promise.resolve(isFirst);
    },
  } satisfies Partial<Ledger> as unknown as Ledger;
  const task = aTask({ usage: USAGE, ...more, ...defined({ price, place }) });
  await settleTask(task, { ledger, onClosed: (record) => void closed.push(record) });
  return { booked, closed };
}

describe("a task that succeeded", () => {
  test.each([
    ["pays for each given image above the free ones", 7, 5_000_000 + 2 * 40_000_000, 2],
    ["pays nothing for the free ones", 5, 5_000_000, undefined],
  ])("%s", async (_what, referenceImages, cost, charged) => {
    const price = { ...PRICE, referenceImage: 40_000_000_000, freeReferenceImages: 5 };
    const usage = { ...USAGE, referenceImages };
    const { booked } = await settled({ status: "succeeded", price, usage });

    expect(booked).toMatchObject([{ kind: "settle", cost }]);
    expect(booked[0]?.record.usage.referenceImages).toBe(charged as never);
  });

  test("has the cost of its usage, and a record with it", async () => {
    const { booked, closed } = await settled({
      status: "succeeded",
      finishedAt: CREATED_AT + 90_000,
      lost: ["seed"],
    });

    expect(booked).toMatchObject([{ kind: "settle", cost: 5_000_000 }]);
    expect(closed).toEqual([
      {
        id: "task_1",
        isTask: true,
        at: CREATED_AT,
        userId: 1,
        keyId: 1,
        model: "a-model",
        upstreamModel: "seedance",
        channel: "one",
        provider: "ark",
        style: "video-unified",
        endpoint: "videos",
        isStream: false,
        outcome: "completed",
        fault: null,
        usage: USAGE,
        cost: nanoUsd(5_000_000),
        rates: expect.anything(),
        firstByteMs: null,
        durationMs: 90_000,
        attempts: [],
        lost: ["seed"],
      },
    ]);
  });

  test("has no duration if its end is unknown, or by a clock that went back", async () => {
    expect((await settled({ status: "succeeded" })).closed).toMatchObject([{ durationMs: 0 }]);
    expect(
      (await settled({ status: "succeeded", finishedAt: CREATED_AT - 1 })).closed,
    ).toMatchObject([{ durationMs: 0 }]);
  });

  test("is closed once, and reported once", async () => {
    const { booked, closed } = await settled({ status: "succeeded" }, { isFirst: false });

    expect(booked).toHaveLength(1);
    expect(closed).toEqual([]);
  });

  test.each([
    ["without a price", { price: undefined }, true],
    ["whose model has no price", { price: FREE }, true],
    ["with a price", {}, undefined],
    ["with a price of something else", { usage: NO_USAGE }, true],
    ["of the operator's own machine", { price: FREE, place: at("vllm") }, undefined],
    ["without a channel", { price: undefined, place: undefined }, true],
    ["of a provider that is no more", { price: FREE, place: at("none") }, true],
  ])("%s is marked as unpriced only if it may be charged", async (_, more, isUnpriced) => {
    const { closed } = await settled({ status: "succeeded", ...more });

    expect(closed[0]?.isUnpriced).toBe(isUnpriced as true | undefined);
  });
});

describe("a task that failed", () => {
  test("costs nothing, even if its vendor counted usage, and has a record", async () => {
    const { booked, closed } = await settled({ status: "failed" });

    expect(booked.map(({ kind }) => kind)).toEqual(["void"]);
    expect(closed).toMatchObject([
      { outcome: "failed", fault: "upstream_failed", usage: NO_USAGE, cost: 0 },
    ]);
    expect(closed[0]).not.toHaveProperty("isUnpriced");
    expect(closed[0]).not.toHaveProperty("rates");
  });

  test("before it had a channel is recorded without one", async () => {
    const { closed } = await settled({ status: "failed", place: undefined });

    expect(closed).toMatchObject([{ upstreamModel: null, channel: null, provider: null }]);
  });
});
