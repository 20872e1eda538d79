import { expect, test } from "bun:test";
import { sql } from "kysely";
import type { CallRecord } from "#core/call.ts";
import { nanoUsd } from "#core/money.ts";
import type { Usage } from "#core/usage.ts";
import type { UsageQuery, UsageReport } from "#core/usage-report.ts";
import { random, SEED, times } from "#test/seed.ts";
import type { ChildTask } from "./contract-child.ts";
import { newId, openAt, reasonOf, recordOf, type Place } from "./contract-place.ts";
import type { Storage } from "#storage/open.ts";
import { COUNTS } from "#storage/tables/usage-hours.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAY = Date.UTC(2026, 0, 31);
const ALWAYS = { from: DAY - 40 * DAY_MS, to: DAY + 40 * DAY_MS } as const;

type StartChild = (task: ChildTask) => AsyncDisposable & {
  line(pattern: RegExp): Promise<string>;
  kill(): Promise<void>;
};

/** What both databases promise of sums of usage. */
export function describeUsage(openPlace: () => Promise<Place>, startChild: StartChild): void {
  test("usage is reported by time, user, key, model and channel, from summed and unsummed calls", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const call = { cost: nanoUsd(5), channel: "a" } as const;
    await write(storage, [
      { ...call, at: DAY + 1 },
      { ...call, at: DAY + HOUR_MS, userId: 2, keyId: 7, model: "x" },
      { ...call, at: DAY + DAY_MS, outcome: "failed", channel: null },
    ]);
    expect(await storage.usage.sum(2)).toBe(2);
    const report = async (query: Partial<UsageQuery>) =>
      (await storage.usage.report({ ...ALWAYS, by: [], ...query })).groups.map(({ of, sum }) => [
        ...Object.values(of),
        sum.calls,
        sum.failedCalls,
        sum.cost,
      ]);

    expect(await report({})).toEqual([[3, 1, 15]]);
    expect(await report({ by: ["hour"] })).toEqual([
      [DAY, 1, 0, 5],
      [DAY + HOUR_MS, 1, 0, 5],
      [DAY + DAY_MS, 1, 1, 5],
    ]);
    expect(await report({ by: ["day"] })).toEqual([
      [DAY, 2, 0, 10],
      [DAY + DAY_MS, 1, 1, 5],
    ]);
    expect(await report({ by: ["month", "channel"] })).toEqual([
      [Date.UTC(2026, 0), "a", 2, 0, 10],
      [Date.UTC(2026, 1), null, 1, 1, 5],
    ]);
    expect(await report({ by: ["user", "key", "model"], userId: 2 })).toEqual([
      [2, 7, "x", 1, 0, 5],
    ]);
    expect(await report({ keyId: 7 })).toEqual([[1, 0, 5]]);
    expect(await report({ model: "x" })).toEqual([[1, 0, 5]]);
    expect(await report({ channel: "a" })).toEqual([[2, 0, 10]]);
    expect(await report({ from: DAY + HOUR_MS, to: DAY + DAY_MS })).toEqual([[1, 0, 5]]);
    // Somebody else's, and nobody's, are the same.
    for (const keyId of [7, 4_711]) expect(await report({ userId: 1, keyId })).toEqual([]);
  });

  test("the sum of costs may exceed the maximum of an account", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const half = nanoUsd(2 ** 52);
    await write(storage, [
      { at: DAY, cost: half },
      { at: DAY, cost: half },
      { at: DAY, cost: half },
    ]);

    const waiting = await storage.usage.report({ ...ALWAYS, by: [] });
    await sumAll(storage);
    const { total } = await storage.usage.report({ ...ALWAYS, by: ["key"] });

    expect(waiting.total.cost).toBe(3 * 2 ** 52);
    expect(total.cost).toBe(3 * 2 ** 52);
  });

  test("unknown model names share one label", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    await write(
      storage,
      Array.from({ length: 2_000 }, (_, i) => ({
        at: DAY,
        model: `m${i}`,
        fault: "model_not_found" as const,
      })),
    );
    await storage.usage.sum(1_000);

    const { groups } = await storage.usage.report({ ...ALWAYS, by: ["model"] });

    expect(groups).toMatchObject([{ of: { model: null }, sum: { calls: 2_000 } }]);
  });

  test("more groups than the limit are refused, from every source", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    await write(
      storage,
      Array.from({ length: 1_001 }, (_, i) => ({ at: DAY, keyId: i + 1 })),
    );
    const ask = (query: Partial<UsageQuery>) =>
      reasonOf(storage.usage.report({ ...ALWAYS, by: ["key"], ...query }));

    const waiting = await ask({});
    await sumAll(storage);

    expect(waiting).toMatchObject({ code: "invalid_request", param: "by" });
    expect(await ask({})).toMatchObject({ code: "invalid_request", param: "by" });
    expect(await ask({ by: ["day"] })).toBeUndefined();
  });

  test("a report over tens of thousands of unsummed calls counts up to its limit and says so", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    for (let i = 0; i < 5; i++) {
      await write(
        storage,
        Array.from({ length: 4_100 }, () => ({ at: DAY })),
      );
    }
    const ask = () => storage.usage.report({ ...ALWAYS, by: [] });

    expect(await ask()).toMatchObject({ isComplete: false, total: { calls: 20_000 } });
    await storage.usage.sum(1_000);
    expect(await ask()).toMatchObject({ isComplete: true, total: { calls: 20_500 } });
  }, 60_000);

  test("after 10,000 calls with sums and deletions, every report equals plain SQL", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const db = await place.tamper();
    await sql`create table kept as select * from calls where 1 = 0`.execute(db);
    const draw = random(SEED);
    const pick = (count: number): number => Math.floor(draw() * count);
    const rounds = times(50, 500);
    let deleted = 0;

    for (let round = 0; round < rounds; round++) {
      await write(
        storage,
        Array.from({ length: 10_000 / 50 }, () => someCall(pick)),
      );
      const keeping = sql`insert into kept select * from calls
        where seq > (select coalesce(max(seq), 0) from kept)`;
      await keeping.execute(db);
      for (let runs = pick(3); runs > 0; runs--) await storage.usage.sum(1 + pick(600));
      while ((await storage.calls.index(1_000)) > 0);
      if (pick(3) === 0) deleted += await storage.calls.prune(DAY + 90 * DAY_MS, 1 + pick(300));
    }

    expect(deleted).toBeGreaterThan(rounds);
    const waiting = await expectSame(storage, place);
    await sumAll(storage);
    const summed = await expectSame(storage, place);
    expect(summed).toEqual(waiting);
    expect(summed.calls).toBe(rounds * 200);
  }, 600_000);

  test("a gateway killed while it sums usage counts each call exactly once", async () => {
    await using place = await openPlace();
    const calls = times(3_000, 20_000);

    for (let cycle = 0; cycle < times(3, 50); cycle++) {
      await using child = startChild({
        address: place.address,
        accounts: [],
        act: { type: "sum", calls },
      });
      await child.line(/^(summed)/);
      await Bun.sleep(5 + ((cycle * 37 + SEED) % 60));
      await child.kill();
    }
    await using storage = await openAt(place.address);
    const query = { from: 0, to: Date.now() + DAY_MS, by: [] };
    const waiting = await storage.usage.report(query);
    await sumAll(storage);
    const { total } = await storage.usage.report(query);

    const kept = await sql<{ calls: number; cost: number }>`
      select count(*) as calls, cast(sum(cost) as bigint) as cost from calls`.execute(storage.db);
    expect([{ calls: total.calls, cost: Number(total.cost) }]).toEqual(kept.rows);
    // In the long form more calls wait than a report adds up by itself.
    if (waiting.isComplete) expect(waiting.total).toEqual(total);
  }, 120_000);

  test("a call recorded after all others were deleted is counted", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    await write(storage, [{ at: DAY }, { at: DAY }, { at: DAY }]);
    await sumAll(storage);
    await storage.calls.prune(DAY + 1, 100);
    await write(storage, [{ at: DAY }]);
    await sumAll(storage);

    const { total } = await storage.usage.report({ ...ALWAYS, by: [] });

    expect(total.calls).toBe(4);
  });

  test("usage sums are deleted one hour at a time, the oldest first", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    await write(storage, [{ at: DAY }, { at: DAY, model: "x" }, { at: DAY + 9 * HOUR_MS }]);
    await sumAll(storage);
    const left = async () => (await storage.usage.report({ ...ALWAYS, by: [] })).total.calls;

    expect(await storage.usage.prune(DAY + HOUR_MS - 1)).toBe(false);
    expect(await storage.usage.prune(DAY + HOUR_MS)).toBe(true);
    expect(await left()).toBe(1);
    expect(await storage.usage.prune(DAY + HOUR_MS)).toBe(false);
  });
}

/** Writes calls to the journal, and waits until they can be seen. */
export async function write(
  storage: Storage,
  calls: readonly Partial<CallRecord>[],
): Promise<void> {
  for (const call of calls) storage.journal.write({ ...recordOf(newId()), ...call });
  await storage.ping();
}

export async function sumAll(storage: Storage): Promise<void> {
  while ((await storage.usage.sum(1_000)) > 0);
}

function someCall(pick: (count: number) => number): Partial<CallRecord> {
  return {
    at: DAY + pick(3 * DAY_MS),
    userId: 1 + pick(3),
    keyId: 1 + pick(5),
    model: `model-${pick(4)}`,
    channel: pick(4) === 0 ? null : `channel-${pick(3)}`,
    outcome: (["completed", "failed", "canceled", "interrupted"] as const)[pick(4)] ?? "completed",
    usage: {
      inputTokens: pick(1_000_000),
      cachedInputTokens: pick(1_000),
      cacheWriteTokens: pick(1_000),
      audioInputTokens: pick(10),
      outputTokens: pick(1_000_000),
      reasoningTokens: pick(1_000),
      audioOutputTokens: pick(10),
      isEstimated: false,
      ...(pick(2) === 0 ? {} : someMedia(pick)),
    },
    cost: nanoUsd(pick(1_000_000_000)),
  };
}

function someMedia(pick: (count: number) => number): Partial<Usage> {
  return {
    imageInputTokens: pick(1_000),
    imageOutputTokens: pick(5_000),
    images: pick(10),
    referenceImages: pick(10),
    durationMs: pick(600_000),
    characters: pick(4_096),
    searches: pick(5),
    grade: `grade-${pick(3)}`,
  };
}

/** Compares a report of everything with a query that knows of no sums. */
async function expectSame(storage: Storage, place: Place): Promise<UsageReport["total"]> {
  const report = await storage.usage.report({
    ...ALWAYS,
    by: ["day", "user", "key", "model", "channel"],
  });
  const sums = COUNTS.slice(2).map((name) => sql`sum(${sql.ref(name)})`);
  const db = await place.tamper();
  const { rows } = await sql<Record<string, unknown>>`
    select at - at % ${sql.lit(DAY_MS)} as day, user_id, key_id, model, channel, count(*) as calls,
      sum(case when outcome = 'failed' or outcome = 'interrupted' then 1 else 0 end) as failed,
      ${sql.join(sums.map((sum, i) => sql`${sum} as ${sql.ref(`sum_${i}`)}`))}
    from kept group by 1, 2, 3, 4, 5`.execute(db);
  const lines = (values: readonly unknown[][]): string[] =>
    values.map((each) => each.map(String).join(" ")).toSorted();

  expect(
    lines(report.groups.map(({ of, sum }) => [...Object.values(of), ...Object.values(sum)])),
  ).toEqual(lines(rows.map((row) => Object.values(row))));
  expect(rows.length).toBeGreaterThan(100);
  return report.total;
}
