import { describe, expect, test } from "bun:test";
import { sql } from "kysely";
import type { CallRecord } from "#core/call.ts";
import type { HoldRequest } from "#core/ledger.ts";
import { nanoUsd } from "#core/money.ts";
import { systemClock } from "#lib/clock.ts";
import { recoverHolds } from "#jobs/recover-holds.ts";
import { verifyLedger } from "#storage/accounts/verify-ledger.ts";
import type { Storage } from "#storage/open.ts";
import { correctCharge } from "#storage/postgres/correct-charge.ts";
import { toAccountColumns } from "#storage/tables/accounts.ts";
import { isPostgresReachable } from "#test/scratch-database.ts";
import { verifyShared } from "#test/shared-books.ts";
import { forgetInstances, holdFor, openAt, recordOf, withKey } from "./contract-place.ts";
import { sumAll } from "./contract-usage.ts";
import { openDatabase } from "./postgres-place.ts";

const EARLIER = Date.UTC(2026, 0, 31);
const SUMS = [
  "usage_hours",
  "usage_labels",
  "usage_days",
  "usage_label_days",
  "usage_label_owners",
  "usage_totals",
  "key_usage",
] as const;

/** A call of an earlier hour, which the sums of days have. */
function finalRecord({ callId }: HoldRequest, cost: number): CallRecord {
  return {
    ...recordOf(callId, cost),
    at: EARLIER,
    channel: "a",
    usage: { ...recordOf(callId).usage, outputTokens: cost },
    tags: { session: "s-1", free: ["project=x"] },
  };
}

describe.if(isPostgresReachable)("a call whose hold another instance has closed", () => {
  test.each([
    ["more than was noted until then", 7, 12],
    ["less, because the upstream reported less usage than was counted", 7, 5],
    ["the same", 7, 7],
    ["something, although nothing was noted", null, 9],
    ["nothing, because it failed", 7, 0],
  ])("is charged only the difference if it costs %s", async (_, noted, cost) => {
    await using place = await openDatabase();
    await using one = await openAt(place.address);
    await using two = await openAt(place.address);
    const accounts = await withKey(one, 1_000);
    const hold = holdFor(accounts, 10);
    await one.ledger.hold(hold);
    await takeOver(one, two, hold, noted);
    await sumAll(two);
    const own = holdFor(accounts, 20);
    await one.ledger.hold(own);

    const closed = await Promise.all([
      end(one, hold, cost),
      one.ledger.settle(own.callId, nanoUsd(3), finalRecord(own, 3)),
    ]);

    expect(closed).toEqual([false, true]);
    for (const id of accounts) {
      expect(await two.ledger.findAccount(id)).toMatchObject({ spent: cost + 3, held: 0 });
    }
    expect(await two.calls.find(hold.callId)).toMatchObject({
      cost,
      outcome: cost === 0 ? "failed" : "completed",
    });
    await sumAll(two);
    expect(await sumsOf(two)).toEqual(await sumsAnew(two));
    expect(await verifyLedger(two.db)).toEqual([]);
    expect(await verifyShared(place.address.databaseUrl)).toEqual([]);
  });

  test("is charged the difference once, even if the correction is repeated", async () => {
    await using place = await openDatabase();
    await using one = await openAt(place.address);
    await using two = await openAt(place.address);
    const accounts = await withKey(one, 1_000);
    const hold = holdFor(accounts, 10);
    await one.ledger.hold(hold);
    await takeOver(one, two, hold, 7);

    const correct = () =>
      correctCharge(
        two.db,
        {
          type: "correct",
          kind: "settle",
          callId: hold.callId,
          columns: toAccountColumns(accounts),
          cost: nanoUsd(12),
          at: 1,
          record: finalRecord(hold, 12),
        },
        { maxLabels: 500, linesOf: (text) => sql`unnest(array[${text}]) as line(value)` },
      );
    await Promise.all([end(one, hold, 12), correct(), correct()]);
    await correct();

    expect(await two.ledger.findAccount("user:1")).toMatchObject({ spent: 12, held: 0 });
    expect(await verifyLedger(two.db)).toEqual([]);
  });

  test("stays charged as it was closed if its own instance dies before its end", async () => {
    await using place = await openDatabase();
    await using two = await openAt(place.address);
    const accounts = await withKey(two, 1_000);
    const hold = holdFor(accounts, 10);
    {
      await using one = await openAt(place.address, { limits: { checkpointMs: 0 } });
      await one.ledger.hold(hold);
      await takeOver(one, two, hold, 7);
      // It goes on, notes more, and ends without a settlement.
      one.ledger.checkpoint(hold.callId, nanoUsd(9));
      // The note is written before the second of these.
      await one.ping();
      await one.ping();
    }

    for (const id of accounts) {
      expect(await two.ledger.findAccount(id)).toMatchObject({ spent: 7, held: 0 });
    }
    expect(await two.calls.find(hold.callId)).toMatchObject({ cost: 7 });
    expect(await verifyLedger(two.db)).toEqual([]);
  });

  test("is charged as usual if the two instances close it at the same time", async () => {
    await using place = await openDatabase();
    await using one = await openAt(place.address);
    await using two = await openAt(place.address);
    const accounts = await withKey(one, 10_000);
    const holds = Array.from({ length: 20 }, () => holdFor(accounts, 10));
    await Promise.all(holds.map((each) => one.ledger.hold(each)));

    await Promise.all(
      holds.flatMap((each) => [
        two.ledger.settle(each.callId, nanoUsd(4), recordOf(each.callId, 4)),
        one.ledger.settle(each.callId, nanoUsd(9), recordOf(each.callId, 9)),
      ]),
    );

    expect(await one.ledger.findAccount("user:1")).toMatchObject({ spent: 180, held: 0 });
    expect(await verifyLedger(one.db)).toEqual([]);
  });

  test("is charged nothing further if it is a task, which any instance may close", async () => {
    await using place = await openDatabase();
    await using one = await openAt(place.address);
    await using two = await openAt(place.address);
    const hold = { ...holdFor(await withKey(one, 1_000), 10), isLasting: true } as const;
    await one.ledger.hold(hold);

    await two.ledger.settle(hold.callId, nanoUsd(4), recordOf(hold.callId, 4));
    await one.ledger.settle(hold.callId, nanoUsd(9), recordOf(hold.callId, 9));

    expect(await one.ledger.findAccount("user:1")).toMatchObject({ spent: 4, held: 0 });
  });

  test("is charged as a whole if a fail-over of the database has lost its hold", async () => {
    await using place = await openDatabase();
    await using one = await openAt(place.address);
    const hold = holdFor(await withKey(one, 1_000), 10);
    await one.ledger.hold(hold);
    await sql`alter table ledger disable trigger all`.execute(one.db);
    await one.db.deleteFrom("ledger").where("call_id", "=", hold.callId).execute();
    await one.db.deleteFrom("holds").execute();
    await one.db
      .updateTable("accounts")
      .set({ held: nanoUsd(0) })
      .execute();

    await end(one, hold, 9);

    expect(await one.ledger.findAccount("user:1")).toMatchObject({ spent: 9, held: 0 });
    expect(await one.calls.find(hold.callId)).toMatchObject({ cost: 9 });
    expect(await verifyLedger(one.db)).toEqual([]);
  });
});

/** The other instance closes the hold of the first, as if that one had been silent for long. */
async function takeOver(
  one: Storage,
  two: Storage,
  hold: HoldRequest,
  noted: number | null,
): Promise<void> {
  if (noted !== null) {
    const record = { ...finalRecord(hold, noted), channel: null, outcome: "interrupted" } as const;
    await one.db
      .updateTable("holds")
      .set({
        checkpoint: nanoUsd(noted),
        context: JSON.stringify({ ...hold.context, record }),
      })
      .where("call_id", "=", hold.callId)
      .execute();
  }
  await forgetInstances(one);
  await recoverHolds(two.ledger, systemClock).run(AbortSignal.timeout(60_000));
  expect(await two.calls.find(hold.callId)).toMatchObject({ outcome: "interrupted" });
}

function end(storage: Storage, hold: HoldRequest, cost: number): Promise<boolean> {
  const record = finalRecord(hold, cost);
  return cost === 0
    ? storage.ledger.void(hold.callId, { ...record, outcome: "failed", fault: "upstream_failed" })
    : storage.ledger.settle(hold.callId, nanoUsd(cost), record);
}

async function sumsOf({ db }: Storage): Promise<unknown> {
  const rows = await Promise.all(SUMS.map((table) => db.selectFrom(table).selectAll().execute()));
  return rows.map((each) => each.map((row) => JSON.stringify(row)).toSorted());
}

/** As if the whole journal was summed for the first time. */
async function sumsAnew(storage: Storage): Promise<unknown> {
  for (const table of SUMS) await storage.db.deleteFrom(table).execute();
  await storage.db.deleteFrom("meta").where("key", "like", "usage%").execute();
  await sumAll(storage);
  return await sumsOf(storage);
}
