import { expect, test } from "bun:test";
import { sql, type CompiledQuery, type Kysely } from "kysely";
import type { CallRecord, CallTags } from "#core/call.ts";
import { nanoUsd } from "#core/money.ts";
import type { QuotaOwner } from "#core/quota.ts";
import type { Usage } from "#core/usage.ts";
import type { UsageQuery, UsageReport } from "#core/usage-report.ts";
import { Semaphore } from "#lib/semaphore.ts";
import { random, SEED, times } from "#test/seed.ts";
import type { ChildTask } from "./contract-child.ts";
import {
  holdFor,
  newId,
  openAt,
  reasonOf,
  recordOf,
  withKey,
  type Place,
} from "./contract-place.ts";
import type { Storage } from "#storage/open.ts";
import { createSpendReports, spendOfKeys } from "#storage/journal/spend.ts";
import { createUsageReports } from "#storage/journal/usage-report.ts";
import { verifyLedger } from "#storage/accounts/verify-ledger.ts";
import type { Tables } from "#storage/tables.ts";
import { readList } from "#storage/tables/calls.ts";
import { COUNTS } from "#storage/tables/usage-hours.ts";
import { FILLED_UNTIL, fillJournal } from "./fill-journal.ts";
import { planOf, Watch } from "./plans.ts";
import { USAGE_REPORTS } from "./usage-reports.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAY = Date.UTC(2026, 0, 31);
const ALWAYS = { from: DAY - 40 * DAY_MS, to: DAY + 40 * DAY_MS } as const;

type StartChild = (task: ChildTask) => AsyncDisposable & {
  line(pattern: RegExp): Promise<string>;
  kill(): Promise<void>;
};

/** What both databases promise of sums of usage. */
export function describeUsage(
  openPlace: () => Promise<Place>,
  startChild: StartChild,
  engine: "sqlite" | "postgres",
): void {
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

  test("a report adds calls to the sums, and says if more wait than it can add", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    for (let i = 0; i < 3; i++) {
      await write(
        storage,
        Array.from({ length: 4_100 }, () => ({ at: DAY })),
      );
    }
    const ask = () => storage.usage.report({ ...ALWAYS, by: [] });

    expect(await ask()).toMatchObject({ isComplete: false, total: { calls: 11_000 } });
    expect(await ask()).toMatchObject({ isComplete: true, total: { calls: 12_300 } });
    expect(await storage.usage.sum(5_000)).toBe(0);
  }, 60_000);

  test("a report reads at most 1,000 calls of the journal, if calls cannot be added to the sums", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    await write(
      storage,
      Array.from({ length: 1_500 }, () => ({ at: DAY })),
    );
    const db = await place.tamper();
    await sql`create table frozen as select * from usage_hours`.execute(db);
    await sql`drop table usage_hours`.execute(db);
    await sql`create view usage_hours as select * from frozen`.execute(db);

    const report = await storage.usage.report({ ...ALWAYS, by: [] });

    expect(report).toMatchObject({ isComplete: false, total: { calls: 1_000 } });
  });

  test("after thousands of calls with sums and deletions, every report equals plain SQL", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const db = await place.tamper();
    await sql`create table kept as select * from calls where 1 = 0`.execute(db);
    const draw = random(SEED);
    const pick = (count: number): number => Math.floor(draw() * count);
    const rounds = times(20, 500);
    let deleted = 0;

    for (let round = 0; round < rounds; round++) {
      await write(
        storage,
        Array.from({ length: 200 }, () => someCall(pick)),
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

    for (let cycle = 0; cycle < times(2, 50); cycle++) {
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
    // In the long form more calls wait than a report adds.
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

  test("usage is reported by team, group, endpoint, tag and session, from summed and unsummed calls", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const call = { at: DAY, cost: nanoUsd(5), endpoint: "text", teamId: 3, groupId: 4 } as const;
    await write(storage, [
      { ...call, tags: { session: "s", free: ["project=x", "agent=y"] } },
      { ...call, userId: 2, tags: { free: ["project=x"] } },
      { at: DAY, cost: nanoUsd(1), endpoint: "images", tags: { session: "s" } },
      { at: DAY, cost: nanoUsd(7) },
    ]);
    const reports = async () => {
      const report = async (query: Partial<UsageQuery>) => {
        const { groups, total } = await storage.usage.report({ ...ALWAYS, by: [], ...query });
        const lines = groups.map(({ of, sum }) => [...Object.values(of), sum.cost].join(" "));
        return [...lines.toSorted(), `total ${total.cost}`];
      };
      expect(await report({ by: ["team"] })).toEqual([" 8", "3 10", "total 18"]);
      expect(await report({ by: ["group", "endpoint"] })).toEqual([
        "  7",
        " images 1",
        "4 text 10",
        "total 18",
      ]);
      expect(await report({ teamId: 3, by: ["user"] })).toEqual(["1 5", "2 5", "total 10"]);
      expect(await report({ endpoint: "images" })).toEqual(["1", "total 1"]);
      expect(await report({ groupId: 4 })).toEqual(["10", "total 10"]);
      // A call with two tags is in both, and once in the total.
      expect(await report({ by: ["tag"] })).toEqual(["agent=y 5", "project=x 10", "total 18"]);
      expect(await report({ by: ["tag", "user"], userId: 2 })).toEqual([
        "project=x 2 5",
        "total 5",
      ]);
      expect(await report({ tag: "project=x" })).toEqual(["10", "total 10"]);
      expect(await report({ session: "s", by: ["endpoint"] })).toEqual([
        "images 1",
        "text 5",
        "total 6",
      ]);
      expect(await report({ by: ["session"] })).toEqual(["s 6", "total 18"]);
      expect(await report({ session: "project=x" })).toEqual(["total 0"]);
    };

    await reports();
    await storage.usage.sum(2);
    await reports();
    await sumAll(storage);
    await reports();
    expect(
      await reasonOf(storage.usage.report({ ...ALWAYS, by: ["tag"], session: "s" })),
    ).toMatchObject({ code: "invalid_request" });
  });

  test("the dearest groups are reported, with the sum of the others", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const calls = Array.from({ length: 1_001 }, (_, i) => ({
      at: DAY,
      keyId: i + 1,
      cost: nanoUsd(i),
    }));
    await write(storage, calls);
    await sumAll(storage);

    const report = await storage.usage.report({ ...ALWAYS, by: ["key"], limit: 2 });

    expect(report.groups.map(({ of }) => of.key)).toEqual([1_001, 1_000]);
    expect(report.others).toMatchObject({ calls: 999, cost: 500_500 - 1_000 - 999 });
    expect(report.total).toMatchObject({ calls: 1_001, cost: 500_500 });
  });

  test("tags of a key above its limit in an hour share a label", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address, { limits: { maxKeyLabels: 3 } });
    const tagged = (tag: number, keyId = 1): Partial<CallRecord> => ({
      at: DAY,
      keyId,
      tags: { free: [`user=${tag}`] },
    });
    await write(
      storage,
      [1, 2, 3, 4, 5, 4].map((tag) => tagged(tag)),
    );
    await sumAll(storage);
    await write(storage, [tagged(1), tagged(6), tagged(6, 2)]);
    await sumAll(storage);

    const { groups } = await storage.usage.report({ ...ALWAYS, by: ["key", "tag"] });

    expect(groups.map(({ of, sum }) => `${of.key} ${of.tag} ${sum.calls}`).toSorted()).toEqual([
      "1 null 4",
      "1 user=1 2",
      "1 user=2 1",
      "1 user=3 1",
      "2 user=6 1",
    ]);
  });

  test("a task counts for the team that paid for it, also if its user has left the team", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { ledger, teams, users } = storage;
    const { id: userId } = await users.ensureRoot();
    const team = await teams.create({ name: "movies" }, "a test");
    const accounts = [...(await withKey(storage, 100)), `team:${team.id}` as const];
    await ledger.grant(`team:${team.id}`, nanoUsd(100), "a test");
    const request = holdFor(accounts, 10);
    await (
      await ledger.hold({ ...request, isLasting: true })
    ).durable;
    // The user is in no team any more.
    const task = { ...recordOf(request.callId, 4), userId, at: DAY, endpoint: "videos" } as const;
    await ledger.settle(request.callId, nanoUsd(4), task);
    await sumAll(storage);

    const { groups } = await storage.usage.report({ ...ALWAYS, by: ["team"] });

    expect(groups.map(({ of, sum }) => [of.team, sum.cost])).toEqual([[team.id, 4]]);
  });

  test("after hundreds of random calls, tasks and refunds, the sums of users and teams are those of the ledger", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { ledger, quotas, users, teams } = storage;
    const draw = random(SEED);
    const pick = (count: number): number => Math.floor(draw() * count);
    const team = await teams.create({ name: "movies" }, "a test");
    const root = await users.ensureRoot();
    const ada = await users.create({ name: "ada", role: "user", quota: nanoUsd(1e12) });
    const owners = [
      { userId: root.id, accounts: [`user:${root.id}`] },
      { userId: ada.id, teamId: team.id, accounts: [`user:${ada.id}`, `team:${team.id}`] },
    ] as const;

    const call = async (operation: number): Promise<void> => {
      const { userId, accounts, ...more } = owners[pick(2)] ?? owners[0];
      const request = holdFor(accounts, 1 + pick(1_000));
      const kind = (["complete", "stream", "task"] as const)[pick(3)] ?? "task";
      const [cost, isVoid, isExtended] = [pick(1_500), pick(5) === 0, pick(4) === 0];
      await ledger.hold({
        ...request,
        ...(kind === "complete" && { isProvisional: true }),
        ...(kind === "task" && { isLasting: true }),
      });
      if (isExtended) await ledger.extend(request.callId, nanoUsd(500));
      // The record of a task does not name the team.
      const record = {
        ...recordOf(request.callId, isVoid ? 0 : cost),
        userId,
        at: request.openedAt,
        ...(kind === "task" ? { endpoint: "videos" as const } : more),
      };
      if (isVoid) await ledger.void(request.callId, record);
      else await ledger.settle(request.callId, nanoUsd(cost), record);
      // A refund raises the quota; the amount spent stays.
      if (operation % 10 > 0) return;
      const refund = { amount: nanoUsd(cost), operation: `${operation}`, note: "a refund" };
      await quotas.topUp(`user:${ada.id}`, refund);
    };
    for (let batch = 0; batch < times(8, 100); batch++) {
      await Promise.all(Array.from({ length: 50 }, (_, i) => call(batch * 50 + i)));
      await storage.usage.sum(1 + pick(100));
    }
    await storage.ping();
    await sumAll(storage);

    const now = Date.now();
    const span = { from: now - 40 * DAY_MS, to: now + DAY_MS, by: [] };
    const { rows } = await sql<Record<"user_account" | "more_accounts" | "spent", unknown>>`
      select user_account, more_accounts, cast(sum(spent_delta) as bigint) as spent
      from ledger where kind = 'settle' group by 1, 2`.execute(storage.db);
    const charged = (account: string): number =>
      rows
        .filter((row) => [row.user_account, row.more_accounts].includes(account))
        .reduce((sum, { spent }) => sum + Number(spent), 0);
    for (const [account, filter] of [
      [`user:${root.id}`, { userId: root.id }],
      [`user:${ada.id}`, { userId: ada.id }],
      [`team:${team.id}`, { teamId: team.id }],
    ] as const) {
      const { total } = await storage.usage.report({ ...span, ...filter });
      expect([account, total.cost]).toEqual([account, charged(account)]);
      expect((await ledger.findAccount(account))?.spent).toBe(nanoUsd(total.cost));
      expect(total.cost).toBeGreaterThan(0);
      expect(await storage.usage.countOpen(account, now + DAY_MS)).toBe(0);
    }
    expect(await verifyLedger(storage.db)).toEqual([]);
  }, 60_000);

  test("a task that is not charged yet is an open call of its user and team", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    await storage.ledger.grant("team:3", nanoUsd(100), "a test");
    const request = holdFor(["user:1", "team:3"], 10);
    await storage.ledger.grant("user:1", nanoUsd(100), "a test");
    await (
      await storage.ledger.hold({ ...request, isLasting: true })
    ).durable;
    const open = async (owner: QuotaOwner, before: number) =>
      await storage.usage.countOpen(owner, before);

    for (const owner of ["user:1", "team:3"] as const) {
      expect(await open(owner, request.openedAt + 1)).toBe(1);
      expect(await open(owner, request.openedAt)).toBe(0);
    }
    expect(await open("team:33", request.openedAt + 1)).toBe(0);
  });

  test("no report of usage reads calls that are summed, or all sums", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    await fillJournal(storage.db, 20_000, engine);
    await sumAll(storage);
    await sql`analyze`.execute(storage.db);
    const queries: CompiledQuery[] = [];
    const db = storage.db.withPlugin(new Watch(storage.db, queries));
    const reports = createUsageReports({
      db,
      linesOf: () => sql`(select '' as value) as line`,
      turns: new Semaphore(1, 1),
      findCallsEnd: async () => undefined,
      sumUpTo: async () => 0,
    });
    const spends = createSpendReports(db);

    for (const query of USAGE_REPORTS) await reports.report({ ...query, limit: 1_000 });
    for (const by of ["key", "user", "team"] as const) await spends.spend(by, [1, 2], FILLED_UNTIL);
    await spendOfKeys(db, [1, 2], FILLED_UNTIL);

    expect(queries.length).toBeGreaterThan(USAGE_REPORTS.length * 4);
    const bad: string[] = [];
    for (const query of queries) {
      const plan = await planOf(storage.db, query, engine);
      if (FULL_SCAN[engine].test(plan)) bad.push(`${query.sql}\n${plan}`);
    }
    expect(bad).toEqual([]);
  });

  test("the sums of the days are those of the hours, also for calls that end late", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const call = { cost: nanoUsd(5), tags: { session: "s", free: ["project=x"] } } as const;
    await write(storage, [
      { ...call, at: DAY + HOUR_MS },
      { ...call, at: DAY + DAY_MS },
    ]);
    await sumAll(storage);
    const now = Date.now();
    await write(storage, [
      { ...call, at: DAY + 2 },
      { ...call, at: DAY + HOUR_MS + 2 },
      { ...call, at: now },
    ]);
    await sumAll(storage);
    const span = { from: DAY - 40 * DAY_MS, to: now + DAY_MS };
    const costs = async (query: Partial<UsageQuery>) =>
      (await storage.usage.report({ ...span, by: [], ...query })).groups.map(({ sum }) => sum.cost);

    for (const filter of [{}, { userId: 1 }, { userId: 1, keyId: 1 }]) {
      for (const label of [{}, { tag: "project=x" }, { session: "s" }]) {
        expect(await costs({ ...filter, ...label })).toEqual([25]);
        expect(await costs({ ...filter, ...label, by: ["day"] })).toEqual([15, 5, 5]);
        expect(await costs({ ...filter, ...label, by: ["hour"] })).toEqual([5, 10, 5, 5]);
        const cut = { from: DAY + HOUR_MS, to: DAY + DAY_MS };
        expect(await costs({ ...filter, ...label, ...cut })).toEqual([10]);
      }
    }
    const { rows } = await sql<{ calls: number }>`
      select sum(calls) as calls from usage_days`.execute(storage.db);
    expect(Number(rows[0]?.calls)).toBe(4);
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
    expect((await storage.usage.report({ ...ALWAYS, by: ["user"] })).total.calls).toBe(1);
    expect(await storage.usage.prune(DAY + HOUR_MS)).toBe(false);
  });
}

/** PostgreSQL reads small tables whole, except for the calls after the last sum. */
const FULL_SCAN = {
  sqlite: /SCAN (?:calls|usage_)/,
  postgres: /Seq Scan on calls/,
} as const;

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
  const [userId, model] = [1 + pick(3), pick(4)];
  return {
    at: DAY + pick(3 * DAY_MS),
    userId,
    keyId: 1 + pick(5),
    // Of the user and the model, so that there are no more groups than a report may have.
    ...(userId === 1 ? {} : { teamId: userId, groupId: 10 + userId }),
    endpoint: model === 0 ? "images" : "text",
    model: `model-${model}`,
    ...(pick(3) === 0 ? {} : { tags: someTags(pick) }),
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

function someTags(pick: (count: number) => number): CallTags {
  return {
    ...(pick(2) === 0 ? {} : { session: `session-${pick(4)}` }),
    free: Array.from(new Set([`project=${pick(3)}`, `agent=${pick(3)}`])).slice(pick(2)),
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
    by: ["day", "user", "key", "team", "group", "model", "channel", "endpoint"],
  });
  const sums = COUNTS.slice(2).map((name) => sql`sum(${sql.ref(name)})`);
  const db = await place.tamper();
  const { rows } = await sql<Record<string, unknown>>`
    select at - at % ${sql.lit(DAY_MS)} as day, user_id, key_id, team_id, group_id, model, channel,
      endpoint, count(*) as calls,
      sum(case when outcome = 'failed' or outcome = 'interrupted' then 1 else 0 end) as failed,
      ${sql.join(sums.map((sum, i) => sql`${sum} as ${sql.ref(`sum_${i}`)}`))}
    from kept group by 1, 2, 3, 4, 5, 6, 7, 8`.execute(db);
  const lines = (values: readonly unknown[][]): string[] =>
    values.map((each) => each.map(String).join(" ")).toSorted();

  expect(
    lines(report.groups.map(({ of, sum }) => [...Object.values(of), ...Object.values(sum)])),
  ).toEqual(lines(rows.map((row) => Object.values(row))));
  expect(rows.length).toBeGreaterThan(100);
  await expectSameLabels(storage, db);
  return report.total;
}

/** The same for tags and sessions. */
async function expectSameLabels(storage: Storage, db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<Labelled>`select session_id as session, tags, cost from kept`.execute(
    db,
  );
  const sums = new Map<string, number>();
  for (const { session, tags, cost } of rows) {
    const labels = [
      ...(session === null ? [] : [`session ${session}`]),
      ...readList(tags).map((each) => `tag ${each}`),
    ];
    for (const label of labels) sums.set(label, (sums.get(label) ?? 0) + Number(cost));
  }
  for (const more of [[], ["user"], ["model"]] as const) {
    const found = new Map<string, number>();
    for (const kind of ["tag", "session"] as const) {
      const { groups } = await storage.usage.report({ ...ALWAYS, by: [kind, ...more] });
      for (const { of, sum } of groups) {
        const label = `${kind} ${of[kind]}`;
        found.set(label, (found.get(label) ?? 0) + sum.cost);
      }
    }
    expect(found).toEqual(sums);
  }
  expect(sums.size).toBe(10);
  for (const kind of ["tag", "session"] as const) await expectSameDearest(storage, kind);
}

/** The dearest labels have the same counts as in a report of all, and the others are the rest. */
async function expectSameDearest(storage: Storage, kind: "tag" | "session"): Promise<void> {
  const query = { ...ALWAYS, by: [kind, "model"] } as const;
  const { groups } = await storage.usage.report(query);
  const dearest = groups.toSorted(({ sum: one }, { sum: other }) => other.cost - one.cost);
  const limited = await storage.usage.report({ ...query, limit: 3 });

  expect(limited.groups).toEqual(dearest.slice(0, 3));
  const others = Object.keys(limited.total).map((name) => [
    name,
    dearest.slice(3).reduce((sum, each) => sum + Number(Reflect.get(each.sum, name)), 0),
  ]);
  expect(limited.others).toEqual(Object.fromEntries(others));
}

interface Labelled {
  readonly session: string | null;
  readonly tags: string | null;
  readonly cost: number | string;
}
