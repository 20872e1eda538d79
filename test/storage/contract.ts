import { describe, expect, test } from "bun:test";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { sql } from "kysely";
import type { CallQuery, CallRecord } from "#core/call.ts";
import { FAULTS, type FaultCode } from "#core/error.ts";
import { createSecret, KEY_STATUS, type AccountId, type ApiKey } from "#core/key.ts";
import { nanoUsd, type NanoUsd, type Rates } from "#core/money.ts";
import { SEED, times } from "#test/seed.ts";
import { waitFor } from "#test/wait.ts";
import type { ChildTask } from "./contract-child.ts";
import {
  forgetInstances,
  holdFor,
  newId,
  openAt,
  PEPPER,
  reasonOf,
  recordOf,
  withGenerousBudgets,
  withKey,
  type OpenOptions,
  type Place,
} from "./contract-place.ts";
import { migrate } from "#storage/database/migrate.ts";
import { MIGRATIONS } from "#storage/migrations/list.ts";
import type { Storage } from "#storage/open.ts";
import { describeAccessTokens } from "./contract-access-tokens.ts";
import { describeAccounts } from "./contract-accounts.ts";
import { describeBudgets } from "./contract-budgets.ts";
import { describeAlerts } from "./contract-alerts.ts";
import { describeMembers } from "./contract-members.ts";
import { describeAssets } from "./contract-assets.ts";
import { describeAtomically } from "./contract-atomically.ts";
import { describeAudit } from "./contract-audit.ts";
import { describeCodes } from "./contract-codes.ts";
import { describeContents } from "./contract-contents.ts";
import { describeGroups } from "./contract-groups.ts";
import { describeIdentities } from "./contract-identities.ts";
import { describeInvitations } from "./contract-invitations.ts";
import { describeKeptAnswers } from "./contract-idempotency.ts";
import { describeMailLinks } from "./contract-mail-links.ts";
import { describeMedia } from "./contract-media.ts";
import { describeNotices } from "./contract-webhooks.ts";
import { describeTasks } from "./contract-tasks.ts";
import { describeResponses } from "./contract-responses.ts";
import { describeRotation } from "./contract-rotation.ts";
import { describeChannelStates, describeRouting } from "./contract-routing.ts";
import { describeSecondFactors } from "./contract-second-factors.ts";
import { describeLog } from "./contract-log.ts";
import { describeServiceAccounts } from "./contract-service-accounts.ts";
import { describeUsage } from "./contract-usage.ts";
import { verifyLedger } from "#storage/accounts/verify-ledger.ts";

/** What both databases promise. Each test gets an empty one. */
export function describeStorage(name: string, openPlace: () => Promise<Place>): void {
  const engine = name === "SQLite" ? "sqlite" : "postgres";
  describe(`${name}: money`, () => describeMoney(openPlace));
  describe(`${name}: many at once`, () => describeRaces(openPlace));
  describe(`${name}: failures`, () => describeTrouble(openPlace));
  describe(`${name}: the journal`, () => describeJournal(openPlace));
  describe(`${name}: keys`, () => describeKeys(openPlace));
  describe(`${name}: access tokens`, () => describeAccessTokens(openPlace));
  describe(`${name}: service accounts`, () => describeServiceAccounts(openPlace));
  describe(`${name}: rotation of keys`, () => describeRotation(openPlace));
  describe(`${name}: accounts`, () => describeAccounts(openPlace));
  describe(`${name}: budgets`, () => describeBudgets(openPlace));
  describe(`${name}: members`, () => describeMembers(openPlace));
  describe(`${name}: groups of users`, () => describeGroups(openPlace));
  describe(`${name}: identities`, () => describeIdentities(openPlace));
  describe(`${name}: invitations`, () => describeInvitations(openPlace));
  describe(`${name}: links in mails`, () => describeMailLinks(openPlace));
  describe(`${name}: redemption codes`, () => describeCodes(openPlace));
  describe(`${name}: second factors`, () => describeSecondFactors(openPlace));
  describe(`${name}: several stores at once`, () => describeAtomically(openPlace));
  describe(`${name}: responses`, () => describeResponses(openPlace));
  describe(`${name}: idempotency records`, () => describeKeptAnswers(openPlace));
  describe(`${name}: tasks`, () => describeTasks(openPlace, engine));
  describe(`${name}: media`, () => describeMedia(openPlace));
  describe(`${name}: the content log`, () => describeContents(openPlace));
  describe(`${name}: alerts`, () => describeAlerts(openPlace));
  describe(`${name}: webhooks`, () => describeNotices(openPlace));
  describe(`${name}: the asset library`, () => describeAssets(openPlace));
  describe(`${name}: the audit log`, () => describeAudit(openPlace, startChild));
  describe(`${name}: log`, () => describeLog(openPlace, engine));
  describe(`${name}: usage`, () => describeUsage(openPlace, startChild, engine));
  describe(`${name}: channels and models`, () => describeRouting(openPlace));
  describe(`${name}: states of channels`, () => describeChannelStates(openPlace));
  describe(`${name}: the schema`, () => describeSchema(openPlace));
}

function describeMoney(openPlace: () => Promise<Place>): void {
  test("a settlement charges the cost and releases the rest of the hold", async () => {
    await using opened = await openStorageIn(openPlace);
    const { ledger, accounts, callId } = await opened.hold({ quota: 1_000, amount: 300 });
    expect(await ledger.findAccount("key:1")).toMatchObject({ held: 300, spent: 0 });

    const isFirst = await ledger.settle(callId, nanoUsd(120), recordOf(callId, 120));

    expect(isFirst).toBe(true);
    for (const id of accounts) {
      expect(await ledger.findAccount(id)).toMatchObject({ held: 0, spent: 120 });
    }
    expect((await opened.storage.calls.list({ limit: 10 })).calls).toMatchObject([
      { id: callId, cost: 120 },
    ]);
    expect(await opened.violations()).toEqual([]);
  });

  test("a hold refused by one of its accounts reserves nothing on the other", async () => {
    await using opened = await openStorageIn(openPlace);
    const { ledger } = opened.storage;
    const accounts = await withKey(opened.storage, 100);

    const refused = ledger.hold(holdFor(accounts, 101));

    expect(await reasonOf(refused)).toMatchObject({ code: "out_of_quota" });
    for (const id of accounts) expect(await ledger.findAccount(id)).toMatchObject({ held: 0 });
    expect(await opened.violations()).toEqual([]);
  });

  test("a settlement above its hold is charged in full", async () => {
    await using opened = await openStorageIn(openPlace);
    const { ledger, callId } = await opened.hold({ quota: 100, amount: 100 });

    await ledger.settle(callId, nanoUsd(250), recordOf(callId, 250));

    expect(await ledger.findAccount("key:1")).toMatchObject({ granted: 100, held: 0, spent: 250 });
    expect(await opened.violations()).toEqual([]);
  });

  test("a void charges nothing, and is recorded", async () => {
    await using opened = await openStorageIn(openPlace);
    const { ledger, callId } = await opened.hold({ quota: 100, amount: 100 });

    const isFirst = await ledger.void(callId, { ...recordOf(callId), outcome: "failed" });

    expect(isFirst).toBe(true);
    expect(await ledger.findAccount("key:1")).toMatchObject({ held: 0, spent: 0 });
    expect((await opened.storage.calls.list({ limit: 10 })).calls).toMatchObject([
      { id: callId, outcome: "failed" },
    ]);
    expect(await opened.violations()).toEqual([]);
  });

  test("a running call extends its reservation as long as its accounts allow it", async () => {
    await using opened = await openStorageIn(openPlace);
    const { ledger, callId } = await opened.hold({ quota: 100, amount: 40 });

    const answers = [
      await ledger.extend(callId, nanoUsd(40)),
      await ledger.extend(callId, nanoUsd(40)),
      await ledger.extend(callId, nanoUsd(20)),
    ];

    expect(answers).toEqual([true, false, true]);
    expect(await ledger.findAccount("key:1")).toMatchObject({ held: 100 });
    expect(await opened.violations()).toEqual([]);
    await ledger.settle(callId, nanoUsd(90), recordOf(callId, 90));
    expect(await ledger.extend(callId, nanoUsd(1))).toBe(false);
    expect(await ledger.findAccount("key:1")).toMatchObject({ held: 0, spent: 90 });
    expect(await opened.violations()).toEqual([]);
  });

  test("an account without a limit is counted as well", async () => {
    await using opened = await openStorageIn(openPlace);
    const { ledger, accounts, callId } = await opened.hold({ amount: 5_000_000_000_000 });

    await ledger.settle(callId, nanoUsd(7), recordOf(callId, 7));

    expect(accounts).toEqual(["user:1"]);
    expect(await ledger.findAccount("user:1")).toEqual({
      id: "user:1",
      granted: null,
      held: nanoUsd(0),
      spent: nanoUsd(7),
    });
    expect(await opened.violations()).toEqual([]);
  });

  test("an account at the maximum amount stays usable and stays at the maximum", async () => {
    await using opened = await openStorageIn(openPlace);
    const { ledger, accounts, callId } = await opened.hold({ amount: 5 });
    const most = nanoUsd(Number.MAX_SAFE_INTEGER);
    await ledger.settle(callId, most, recordOf(callId, most));

    for (let i = 0; i < 2; i++) {
      const more = holdFor(accounts, 5);
      await (
        await ledger.hold(more)
      ).durable;
      expect(await ledger.settle(more.callId, most, recordOf(more.callId, most))).toBe(true);
    }

    expect(await ledger.findAccount("user:1")).toMatchObject({ held: 0, spent: most });
    const { db } = opened.storage;
    const kept = await db.selectFrom("accounts").select(["held", "spent"]).execute();
    expect(kept).toEqual([{ held: nanoUsd(0), spent: most }]);
    expect(await opened.violations()).toEqual([]);
  });

  test("the sum of reservations never exceeds the maximum amount, even without a limit", async () => {
    await using opened = await openStorageIn(openPlace);
    const most = Number.MAX_SAFE_INTEGER;
    const { ledger, accounts, callId } = await opened.hold({ amount: most });

    const refused = await reasonOf(ledger.hold(holdFor(accounts, 1)));

    expect(refused).toMatchObject({ code: "out_of_quota" });
    expect(await ledger.extend(callId, nanoUsd(1))).toBe(false);
    await ledger.settle(callId, nanoUsd(1), recordOf(callId, 1));
    expect(await ledger.findAccount("user:1")).toMatchObject({ held: 0, spent: 1 });
    expect(await opened.violations()).toEqual([]);
  });

  test("a call that costs nothing is admitted unless the account is overdrawn", async () => {
    await using opened = await openStorageIn(openPlace);
    const { ledger, accounts, callId } = await opened.hold({ quota: 10, amount: 10 });
    await ledger.settle(callId, nanoUsd(10), recordOf(callId, 10));

    const free = await ledger.hold(holdFor(accounts, 0));
    await free.durable;
    await ledger.grant("key:1", nanoUsd(9), "less than was spent");
    const refused = ledger.hold(holdFor(accounts, 0));

    expect(await reasonOf(refused)).toMatchObject({ code: "out_of_quota" });
    expect(await opened.violations()).toEqual([]);
  });

  test("a hold on an account that does not exist is refused", async () => {
    await using opened = await openStorageIn(openPlace);

    const refused = opened.storage.ledger.hold(holdFor(["user:99"], 0));

    expect(await reasonOf(refused)).toMatchObject({ code: "out_of_quota" });
    expect(await opened.storage.ledger.findAccount("user:99")).toBeUndefined();
    expect(await opened.violations()).toEqual([]);
  });

  test("of many attempts to close a hold, only the first takes effect", async () => {
    await using opened = await openStorageIn(openPlace);
    const { ledger, callId } = await opened.hold({ quota: 1_000, amount: 100 });

    const closes = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        i % 2 === 0
          ? ledger.settle(callId, nanoUsd(10), recordOf(callId, 10))
          : ledger.void(callId, recordOf(callId)),
      ),
    );
    const late = await ledger.settle(callId, nanoUsd(10), recordOf(callId, 10));

    expect(closes.filter((isFirst) => isFirst)).toHaveLength(1);
    expect(late).toBe(false);
    expect(await ledger.findAccount("key:1")).toMatchObject({ held: 0, spent: 10 });
    expect(await opened.violations()).toEqual([]);
  });

  test("a repeated hold is made once", async () => {
    await using opened = await openStorageIn(openPlace);
    const { ledger } = opened.storage;
    const accounts = await withKey(opened.storage, 100);
    const request = holdFor(accounts, 60);

    const holds = await Promise.all([ledger.hold(request), ledger.hold(request)]);
    await Promise.all(holds.map((hold) => hold.durable));

    expect(await ledger.findAccount("key:1")).toMatchObject({ held: 60 });
    expect(await opened.violations()).toEqual([]);
  });

  test("a call that was closed cannot be held again under its old id", async () => {
    await using opened = await openStorageIn(openPlace);
    const { ledger, accounts, callId } = await opened.hold({ quota: 100, amount: 10 });
    await ledger.settle(callId, nanoUsd(10), recordOf(callId, 10));

    const again = reasonOf(ledger.hold(holdFor(accounts, 10, callId)).then((hold) => hold.durable));
    const other = await ledger.hold(holdFor(accounts, 10));

    expect(await again).toMatchObject({ code: "internal" });
    await other.durable;
    expect(await ledger.settle(callId, nanoUsd(10), recordOf(callId, 10)).catch(() => false)).toBe(
      false,
    );
    expect(await ledger.findAccount("key:1")).toMatchObject({ held: 10, spent: 10 });
    expect(await opened.violations()).toEqual([]);
  });

  test("a grant sets, changes and removes a limit, each with a ledger entry", async () => {
    await using opened = await openStorageIn(openPlace);
    const { ledger } = opened.storage;
    const granted = async (): Promise<unknown> => (await ledger.findAccount("key:7"))?.granted;

    await ledger.grant("key:7", nanoUsd(500), "first");
    const first = await granted();
    await ledger.grant("key:7", nanoUsd(200), "less");
    const second = await granted();
    await ledger.grant("key:7", null, "no bound");

    expect([first, second, await granted()]).toEqual([500, 200, null]);
    const entries = await opened.storage.db
      .selectFrom("ledger")
      .select(["granted_delta", "bound_delta", "note"])
      .orderBy("op_id")
      .execute();
    expect(entries.toSorted((a, b) => a.granted_delta - b.granted_delta)).toEqual([
      { granted_delta: nanoUsd(-300), bound_delta: 0, note: "less" },
      { granted_delta: nanoUsd(-200), bound_delta: -1, note: "no bound" },
      { granted_delta: nanoUsd(500), bound_delta: 1, note: "first" },
    ]);
    expect(await opened.violations()).toEqual([]);
  });

  test("a hold has its latest checkpoint only", async () => {
    await using opened = await openStorageIn(openPlace, { limits: { checkpointMs: 5 } });
    const { ledger, callId } = await opened.hold({ quota: 100, amount: 10 });

    const held = (): Promise<{ checkpoint: NanoUsd | null; context: string }> =>
      opened.storage.db
        .selectFrom("holds")
        .select(["checkpoint", "context"])
        .executeTakeFirstOrThrow();
    const { context } = await held();

    for (const delivered of [1, 2, 3]) ledger.checkpoint(callId, nanoUsd(delivered));
    await waitFor(async () => (await held()).checkpoint === 3);
    expect((await held()).context).toBe(context);

    const record = recordOf(callId, 4);
    const changed = { userId: 1, keyId: 1, model: "m", style: "chat", isStream: true, record };
    ledger.checkpoint(callId, nanoUsd(4), changed);
    await waitFor(async () => (await held()).checkpoint === 4);
    expect(JSON.parse((await held()).context)).toEqual(JSON.parse(JSON.stringify(changed)));
  });

  test("the ledger stays balanced after any operations in any order", async () => {
    await using opened = await openStorageIn(openPlace);
    const { storage } = opened;
    const accounts = [await withKey(storage, 2_000), await withKey(storage, 500)];
    accounts.push(await withKey(storage));

    await fc.assert(
      fc.asyncProperty(fc.array(someStep, { minLength: 1, maxLength: 60 }), async (steps) => {
        const calls: string[] = [];
        const running: Promise<unknown>[] = [];
        for (const step of steps) {
          running.push(perform(storage, accounts, calls, step).catch(expectedRefusal));
          if (step.isAwaited) await running.at(-1);
        }
        await Promise.all(running);
        await storage.ping();
        expect(await verifyLedger(storage.db)).toEqual([]);
      }),
      { seed: SEED, numRuns: times(25, 1_000) },
    );
    expect(await storage.ledger.findAccount("user:1")).toMatchObject(await sums(storage, "user:1"));
  });

  test("manipulated ledger entries are detected", async () => {
    await using opened = await openStorageIn(openPlace);
    const { ledger, callId } = await opened.hold({ quota: 100, amount: 10 });
    const other = await opened.storage.ledger.hold(holdFor(["user:1"], 5));
    await other.durable;
    await ledger.settle(callId, nanoUsd(10), recordOf(callId, 10));
    expect(await opened.violations()).toEqual([]);
    const db = await opened.place.tamper();
    const broken = async (): Promise<string[]> =>
      (await verifyLedger(db)).map(({ rule, subject }) => `${subject}: ${rule}`);

    await db
      .updateTable("accounts")
      .set({ spent: nanoUsd(9) })
      .where("id", "=", "key:1")
      .execute();
    const wrongSum = await broken();
    await db
      .updateTable("accounts")
      .set({ spent: nanoUsd(10), granted: null })
      .where("id", "=", "key:1")
      .execute();
    const lostBound = await broken();
    await db
      .updateTable("accounts")
      .set({ granted: nanoUsd(100) })
      .where("id", "=", "key:1")
      .execute();
    await db
      .updateTable("calls")
      .set({ cost: nanoUsd(11) })
      .execute();
    const wrongRecord = await broken();
    await db
      .updateTable("calls")
      .set({ cost: nanoUsd(10) })
      .execute();
    await db
      .updateTable("holds")
      .set({ amount: nanoUsd(4) })
      .execute();
    const wrongHold = await broken();
    await db.deleteFrom("holds").execute();
    const lostHold = await broken();
    await db
      .insertInto("ledger")
      .values({
        op_id: `${callId}:void`,
        call_id: callId,
        kind: "void",
        user_account: "user:5",
        held_delta: nanoUsd(-10),
        spent_delta: nanoUsd(0),
        granted_delta: nanoUsd(0),
        bound_delta: 0,
        at: 0,
      })
      .execute();
    const closedTwice = await broken();

    expect(wrongSum).toEqual([expect.stringMatching(/^key:1: .*sums/)]);
    expect(lostBound).toEqual([expect.stringMatching(/^key:1: .*sums/)]);
    expect(wrongRecord).toEqual([expect.stringContaining("record has the cost")]);
    expect(wrongHold).toEqual([expect.stringContaining("with its amount")]);
    expect(lostHold).toEqual([expect.stringContaining("still open")]);
    expect(closedTwice).toEqual(
      expect.arrayContaining([
        expect.stringContaining("at most once"),
        expect.stringContaining("reserves nothing"),
        expect.stringMatching(/^user:5: .*exists/),
      ]),
    );
  });
}

function describeRaces(openPlace: () => Promise<Place>): void {
  test("500 concurrent calls on a budget for 50: exactly 50 are admitted, every time", async () => {
    await using opened = await openStorageIn(openPlace);
    const { storage } = opened;
    const rounds = times(5, 100);

    for (let round = 0; round < rounds; round++) {
      const accounts = await withKey(storage, 50 * 7);
      const holds = await Promise.allSettled(
        Array.from({ length: 500 }, () => storage.ledger.hold(holdFor(accounts, 7))),
      );
      const admitted = holds.filter((hold) => hold.status === "fulfilled");
      await Promise.all(admitted.map((hold) => hold.value.durable));

      expect(admitted).toHaveLength(50);
    }
    expect(await opened.violations()).toEqual([]);
  });

  test("other writes between two batches of calls do not disturb the batches", async () => {
    // However slow the machine is: this is about what is written, and not about how soon.
    await using opened = await openStorageIn(openPlace, { limits: { holdTimeoutMs: 60_000 } });
    const { storage } = opened;
    const accounts = await withKey(storage, 1_000_000);
    // No more at once than there are connections: whoever waits for one is refused after a second.
    const writeFive = async (): Promise<void> => {
      for (let i = 0; i < 5; i++) await withKey(storage, 10);
    };

    await Promise.all([
      ...Array.from({ length: 300 }, async () => {
        const request = holdFor(accounts, 3);
        await (
          await storage.ledger.hold(request)
        ).durable;
        await storage.ledger.settle(request.callId, nanoUsd(2), recordOf(request.callId, 2));
      }),
      ...Array.from({ length: 6 }, writeFive),
    ]);

    expect(await storage.ledger.findAccount(accounts[1] ?? "key:0")).toMatchObject({
      held: 0,
      spent: 600,
    });
    expect(await storage.keys.list(1)).toHaveLength(31);
    expect(await opened.violations()).toEqual([]);
  });
}

function describeTrouble(openPlace: () => Promise<Place>): void {
  test("holds of a killed gateway are found by the next one, and closed once", async () => {
    await using place = await openPlace();
    const accounts = await prepare(place, 100);
    await using child = startChild({
      address: place.address,
      accounts,
      act: { type: "hold", amount: 60, checkpoint: 25 },
    });
    const callId = await child.line(/^held (.+)$/);
    await child.kill();

    await using storage = await openAt(place.address);
    await forgetInstances(storage);
    const abandoned = await storage.ledger.listAbandoned();
    const isFirst = await storage.ledger.settle(callId, nanoUsd(25), recordOf(callId, 25));
    const isSecond = await storage.ledger.void(callId, recordOf(callId));

    expect(abandoned).toMatchObject([
      {
        callId,
        accounts: [...accounts],
        amount: 60,
        checkpoint: 25,
        context: {
          style: "chat",
          tags: { session: "s-1", agent: "a-1", parentAgent: "a-0" },
        },
      },
    ]);
    expect([isFirst, isSecond]).toEqual([true, false]);
    expect(await storage.ledger.listAbandoned()).toEqual([]);
    expect(await storage.ledger.findAccount("key:1")).toMatchObject({ held: 0, spent: 25 });
    expect(await verifyLedger(storage.db)).toEqual([]);
  });

  test("a gateway's own open holds are not abandoned", async () => {
    await using opened = await openStorageIn(openPlace);
    await opened.hold({ quota: 100, amount: 10 });

    expect(await opened.storage.ledger.listAbandoned()).toEqual([]);
  });

  test(
    "a gateway killed at any moment loses no confirmed settlement, and charges none twice",
    async () => {
      await using place = await openPlace();
      const key = await prepareKey(place);

      for (let cycle = 0; cycle < times(4, 200); cycle++) {
        const promised = await churnUntilKilled(place, key, 20 + ((cycle * 37 + SEED) % 180));
        await using storage = await openAt(place.address);
        await forgetInstances(storage);
        // A server may still commit what the dead process had sent.
        await waitFor(async () => {
          for (const { callId, checkpoint } of await storage.ledger.listAbandoned()) {
            const owed = checkpoint ?? 0;
            await storage.ledger.settle(callId, nanoUsd(owed), recordOf(callId, owed));
          }
          return (await storage.ledger.findAccount("user:1"))?.held === 0;
        });

        expect(promised.settled.size).toBeGreaterThan(0);
        expect(await missing(storage, promised)).toEqual([]);
        expect(await verifyLedger(storage.db)).toEqual([]);
        expect(await storage.ledger.findAccount("user:1")).toMatchObject({ held: 0 });
      }
    },
    times(120_000, 1_200_000),
  );

  test("while the database is locked, calls are refused, nothing blocks, and no settlement is lost", async () => {
    await using opened = await openStorageIn(openPlace, {
      limits: { busyTimeoutMs: 150, holdTimeoutMs: 300 },
    });
    const { ledger, callId, accounts } = await opened.hold({ quota: 1_000, amount: 100 });
    const lock = await opened.place.lock();

    const request = holdFor(accounts, 10);
    const late = reasonOf(ledger.hold(request).then((hold) => hold.durable));
    const settled = ledger.settle(callId, nanoUsd(40), recordOf(callId, 40));
    const isSettled = wasSettled(settled);
    expect(await late).toMatchObject({ code: "unavailable" });
    await Bun.sleep(50);
    // The loop turned while the lock was held, and the settlement still waits.
    expect(isSettled()).toBe(false);
    expect(await ledger.void(callId, recordOf(callId))).toBe(false);
    await lock[Symbol.asyncDispose]();

    expect(await settled).toBe(true);
    await waitFor(async () => (await reasonOf(opened.storage.ping())) === undefined);
    const next = await ledger.hold(holdFor(accounts, 10));
    await next.durable;
    // What the refused call had reserved is released as well, however far that got.
    await ledger.void(request.callId, recordOf(request.callId));
    await waitFor(async () => (await ledger.findAccount("key:1"))?.held === 10);
    expect(await ledger.findAccount("key:1")).toMatchObject({ spent: 40 });
    expect(await opened.violations()).toEqual([]);
  }, 30_000);

  test("a gateway with a full write queue refuses new calls", async () => {
    await using opened = await openStorageIn(openPlace, {
      limits: { maxQueuedWrites: 5, busyTimeoutMs: 5_000, holdTimeoutMs: 5_000 },
    });
    const { ledger, callId, accounts } = await opened.hold({ quota: 1_000, amount: 100 });
    const lock = await opened.place.lock();
    const settled = ledger.settle(callId, nanoUsd(40), recordOf(callId, 40));
    await Bun.sleep(50);
    for (let i = 0; i < 5; i++) opened.storage.journal.write(recordOf(newId()));

    const refused = ledger.hold(holdFor(accounts, 10));

    expect(await reasonOf(refused)).toMatchObject({ code: "overloaded" });
    await lock[Symbol.asyncDispose]();
    expect(await settled).toBe(true);
  });

  test("closing writes queued entries that no caller waits for", async () => {
    await using place = await openPlace();
    const storage = await openAt(place.address);
    const accounts = await withKey(storage, 100);
    const request = holdFor(accounts, 10);
    await storage.ledger.hold(request);
    void storage.ledger.settle(request.callId, nanoUsd(4), recordOf(request.callId, 4));
    storage.journal.write(recordOf(newId()));
    await storage.close();

    await using reopened = await openAt(place.address);
    expect(await reopened.ledger.findAccount("key:1")).toMatchObject({ held: 0, spent: 4 });
    expect((await reopened.calls.list({ limit: 10 })).calls).toHaveLength(2);
    expect(await verifyLedger(reopened.db)).toEqual([]);
  });

  test("a closed storage refuses calls instead of losing them", async () => {
    await using opened = await openStorageIn(openPlace);
    const accounts = await withKey(opened.storage, 100);
    await opened.storage.close();

    const refused = opened.storage.ledger.hold(holdFor(accounts, 1)).then((hold) => hold.durable);

    expect(await reasonOf(refused)).toMatchObject({ code: "unavailable" });
  });

  test("the readiness check writes to disk", async () => {
    await using opened = await openStorageIn(openPlace);

    await opened.storage.ping();

    const probe = await opened.storage.db
      .selectFrom("meta")
      .select("value")
      .where("key", "=", "probe")
      .executeTakeFirst();
    expect(Math.abs(Number(probe?.value) - Date.now())).toBeLessThan(60_000);
  });
}

function describeJournal(openPlace: () => Promise<Place>): void {
  test("a call record is read as it was written", async () => {
    await using opened = await openStorageIn(openPlace);
    const { storage } = opened;

    await fc.assert(
      fc.asyncProperty(someRecord, async (record) => {
        const written = { ...record, id: newId() };
        storage.journal.write(written);
        await storage.ping();
        const { calls } = await storage.calls.list({ limit: 1 });
        expect(calls).toEqual([written]);
      }),
      { seed: SEED, numRuns: times(50, 1_000) },
    );
  });

  test("the journal is read page by page, latest first, by user and by key", async () => {
    await using opened = await openStorageIn(openPlace);
    const { storage } = opened;
    const { id: userId } = await storage.users.ensureRoot();
    const own = await storage.keys.create({ userId, name: "own", models: ["*"] });
    const spare = await storage.keys.create({ userId, name: "spare", models: ["*"] });
    const other = await storage.users.create({ name: "other", role: "user" });
    const theirs = await storage.keys.create({ userId: other.id, name: "own", models: ["*"] });
    const makers = [own.key, theirs.key, spare.key];
    for (let i = 0; i < 9; i++) {
      const { id: keyId, userId: makerId } = makers[i % 3] ?? own.key;
      storage.journal.write({ ...recordOf(`call-${i}`), userId: makerId, keyId });
    }
    await storage.ping();

    const list = async (query: Omit<CallQuery, "limit">, limit = 4): Promise<string[]> =>
      (await storage.calls.list({ ...query, limit })).calls.map((call) => call.id);

    expect(await list({ userId })).toEqual(["call-8", "call-6", "call-5", "call-3"]);
    expect(await list({ userId, after: { id: "call-3" } })).toEqual(["call-2", "call-0"]);
    expect(await list({ userId, after: { id: "call-0" } })).toEqual([]);
    expect(await list({ userId, keyId: own.key.id })).toEqual(["call-6", "call-3", "call-0"]);
    expect(await list({ keyId: theirs.key.id })).toEqual(["call-7", "call-4", "call-1"]);
    expect(await list({}, 2)).toEqual(["call-8", "call-7"]);
    expect(await list({ after: { id: "call-7" } }, 2)).toEqual(["call-6", "call-5"]);
    // Somebody else's, and nobody's, are the same.
    for (const keyId of [theirs.key.id, 4_711]) expect(await list({ userId, keyId })).toEqual([]);
    for (const id of ["call-7", "call-x"])
      expect(await list({ userId, after: { id } })).toEqual([]);
    expect(await storage.calls.find("call-7", { userId })).toBeUndefined();
    expect(await storage.calls.find("call-x", { userId })).toBeUndefined();
    expect(await storage.calls.find("call-8", { userId })).toMatchObject({ id: "call-8", userId });
    expect(await storage.calls.find("call-7")).toMatchObject({ userId: other.id });
  });

  test("old records are deleted in batches of limited size, and the ledger keeps its entries", async () => {
    await using opened = await openStorageIn(openPlace);
    const { storage } = opened;
    const { callId, ledger } = await opened.hold({ quota: 100, amount: 10 });
    await ledger.settle(callId, nanoUsd(1), { ...recordOf(callId, 1), at: 1_000 });
    for (let i = 0; i < 6; i++) {
      storage.journal.write({ ...recordOf(`call-${i}`), at: i < 4 ? 2_000 : 9_000 });
    }
    await storage.ping();

    const early = await storage.calls.prune(5_000, 3);
    while ((await storage.usage.sum(2)) > 0);
    const unindexed = await storage.calls.prune(5_000, 3);
    while ((await storage.calls.index(2)) > 0);
    const deleted = [
      await storage.calls.prune(5_000, 3),
      await storage.calls.prune(5_000, 3),
      await storage.calls.prune(5_000, 3),
    ];

    // What was not added up or indexed yet is not deleted.
    expect([early, unindexed]).toEqual([0, 0]);
    expect(deleted).toEqual([3, 2, 0]);
    const { calls } = await storage.calls.list({ limit: 10 });
    expect(calls.map((call) => call.id)).toEqual(["call-5", "call-4"]);
    expect(await opened.violations()).toEqual([]);
  });

  test("records that exceed the queue are dropped and counted", async () => {
    await using opened = await openStorageIn(openPlace, { limits: { maxQueuedRecords: 3 } });
    const { journal, ping, calls } = opened.storage;

    for (let i = 0; i < 10; i++) journal.write(recordOf(newId()));
    await ping();
    journal.write(recordOf(newId()));
    await ping();

    expect(journal.dropped).toBe(7);
    expect((await calls.list({ limit: 100 })).calls).toHaveLength(4);
  });
}

function describeKeys(openPlace: () => Promise<Place>): void {
  test("a key is found only by its secret, and at once if it is cached", async () => {
    await using opened = await openStorageIn(openPlace);
    const { keys } = opened.storage;
    const { key, secret } = await opened.key();

    const found = await keys.find(secret);

    expect(found).toEqual(key);
    expect(keys.find(secret)).toBe(found);
    expect(Object.isFrozen(found)).toBe(true);
    expect(await keys.find(createSecret())).toBeUndefined();
  });

  test("the database never contains a secret", async () => {
    await using opened = await openStorageIn(openPlace);
    const { secret } = await opened.key();

    const rows = await opened.storage.db.selectFrom("keys").selectAll().execute();

    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(JSON.stringify(rows)).not.toContain(secret.slice(7, 39));
    expect(rows[0]?.last4).toBe(secret.slice(-4));
  });

  test("a malformed secret is refused without a query", async () => {
    await using opened = await openStorageIn(openPlace);
    const { secret } = await opened.key();
    const wrong = [
      "",
      "sk-",
      secret.slice(0, -1),
      `${secret}x`,
      secret.toLowerCase(),
      "a".repeat(1e6),
    ];

    // A look-up would be a promise.
    for (const each of wrong) expect(opened.storage.keys.find(each)).toBeUndefined();
  });

  test("a deleted key is refused at once, and its name can be used again", async () => {
    await using opened = await openStorageIn(openPlace);
    const { keys } = opened.storage;
    const { key, secret } = await opened.key("ci");
    await keys.find(secret);

    const isDeleted = await keys.delete(key.id);

    expect(isDeleted).toBe(true);
    expect(await keys.find(secret)).toBeUndefined();
    expect(await keys.delete(key.id)).toBe(false);
    expect(await keys.setStatus(key.id, KEY_STATUS.enabled)).toBe(false);
    const again = await opened.key("ci");
    expect(again.key.id).not.toBe(key.id);
    const tombstone = await opened.storage.db
      .selectFrom("keys")
      .select(["digest", "deleted_at"])
      .where("id", "=", key.id)
      .executeTakeFirstOrThrow();
    expect(tombstone.digest).toBeNull();
    expect(tombstone.deleted_at).toBeNumber();
  });

  test("a disabled key is disabled from the next request on", async () => {
    await using opened = await openStorageIn(openPlace);
    const { keys } = opened.storage;
    const { key, secret } = await opened.key();
    await keys.find(secret);

    await keys.setStatus(key.id, KEY_STATUS.disabled);

    expect(await keys.find(secret)).toMatchObject({ id: key.id, status: KEY_STATUS.disabled });
  });

  test("a key draws on its own account from the moment it gets a quota", async () => {
    await using opened = await openStorageIn(openPlace);
    const { keys, ledger } = opened.storage;
    const { key, secret } = await opened.key();
    const ownAccount: AccountId = `key:${key.id}`;
    const before = await keys.find(secret);

    await keys.setQuota(key.id, nanoUsd(50), "a cap");
    const capped = await keys.find(secret);
    await keys.setQuota(key.id, null, "no cap");

    expect(before?.accounts).toEqual(["user:1"]);
    expect(capped?.accounts).toEqual(["user:1", ownAccount]);
    expect((await keys.find(secret))?.accounts).toEqual(["user:1"]);
    expect(await ledger.findAccount(ownAccount)).toMatchObject({ granted: null });
    expect(await opened.violations()).toEqual([]);
  });

  test("two existing keys of a user cannot share a name, and no two keys share a secret", async () => {
    await using opened = await openStorageIn(openPlace);
    const { keys } = opened.storage;
    const { secret } = await opened.key("ci");

    const sameName = reasonOf(opened.key("ci"));
    const sameSecret = reasonOf(keys.create({ userId: 1, name: "other", models: [], secret }));

    expect(await sameName).toMatchObject({ code: "invalid_request" });
    expect(await sameSecret).toMatchObject({ code: "invalid_request" });
    expect(await keys.list(1)).toHaveLength(1);
  });

  test("a key of the configuration is created once and then follows the file", async () => {
    await using opened = await openStorageIn(openPlace);
    const { keys, users } = opened.storage;
    const { id: userId } = await users.ensureRoot();
    const entry = { userId, name: "ci", secret: "a-secret-of-somebodys-own-making", models: ["*"] };

    const made = await keys.syncNamed(entry);
    const same = await keys.syncNamed(entry);
    const found = await keys.find(entry.secret);
    const changed = await keys.syncNamed({
      ...entry,
      secret: "another-secret-of-their-own-making",
      models: ["gpt-*"],
      quota: nanoUsd(900),
      expiresAt: 4_102_444_800_000,
      networks: ["10.0.0.0/8"],
      limits: { requestsPerMinute: 60 },
    });

    expect(same).toEqual(made);
    expect(found).toEqual(made);
    expect(changed).toEqual({
      ...made,
      models: ["gpt-*"],
      accounts: ["user:1", `key:${made.id}`],
      expiresAt: 4_102_444_800_000,
      networks: ["10.0.0.0/8"],
      limits: { requestsPerMinute: 60 },
    });
    expect(await keys.find(entry.secret)).toBeUndefined();
    expect(await keys.find("another-secret-of-their-own-making")).toEqual(changed);
    expect(keys.find("no-secret-of-anybody-at-all")).toBeUndefined();
    expect(await keys.list(userId)).toMatchObject([{ quota: 900, last4: "king" }]);
    expect(await keys.syncNamed(entry)).toEqual(made);
    expect(await opened.violations()).toEqual([]);
  });

  test("a renamed key of the configuration stays the same key", async () => {
    await using opened = await openStorageIn(openPlace);
    const { keys, users } = opened.storage;
    const { id: userId } = await users.ensureRoot();
    const entry = { userId, secret: "a-secret-of-somebodys-own-making", models: ["*"] };
    const made = await keys.syncNamed({ ...entry, name: "team", quota: nanoUsd(900) });

    const renamed = await keys.syncNamed({ ...entry, name: "platform", quota: nanoUsd(900) });

    expect(renamed).toEqual({ ...made, name: "platform" });
    expect(await keys.find(entry.secret)).toEqual(renamed);
    expect(await keys.list(userId)).toHaveLength(1);
  });

  test("keys of the configuration can exchange their secrets", async () => {
    await using opened = await openStorageIn(openPlace);
    const { keys, users } = opened.storage;
    const { id: userId } = await users.ensureRoot();
    const [one, other] = ["a-secret-of-somebodys-own-making", "another-secret-of-their-own-making"];
    const ci = { userId, name: "ci", models: ["*"] };
    const team = { userId, name: "team", models: ["*"] };
    await keys.syncNamed({ ...ci, secret: one });
    await keys.syncNamed({ ...team, secret: other });

    await keys.syncNamed({ ...ci, secret: other });
    await keys.syncNamed({ ...team, secret: one });

    expect((await keys.find(other))?.name).toBe("ci");
    expect((await keys.find(one))?.name).toBe("team");
  });

  test("no key of the configuration can use the secret of another user's key", async () => {
    await using opened = await openStorageIn(openPlace);
    const { keys, users } = opened.storage;
    const { id: userId } = await users.ensureRoot();
    const { id: annsId } = await users.create({ name: "ann", role: "user" });
    const { key, secret } = await keys.create({ userId: annsId, name: "hers", models: ["*"] });

    const synced = reasonOf(keys.syncNamed({ userId, name: "ci", secret, models: ["*"] }));

    expect(await synced).toMatchObject({ code: "invalid_request" });
    expect(await keys.find(secret)).toEqual(key);
  });

  test("a secret chosen by the user is accepted after a restart", async () => {
    await using place = await openPlace();
    const secret = "a-secret-of-somebodys-own-making";
    const first = await openAt(place.address);
    const { id: userId } = await first.users.ensureRoot();
    const key = await first.keys.syncNamed({ userId, name: "ci", secret, models: ["*"] });
    await first.close();

    await using second = await openAt(place.address);

    expect(await second.keys.find(secret)).toEqual(key);
  });

  test("a secret that was tried before its key existed works once the key exists", async () => {
    await using opened = await openStorageIn(openPlace);
    const { keys } = opened.storage;
    await opened.key();
    const secret = createSecret();
    const before = await keys.find(secret);

    const { key } = await keys.create({ userId: 1, name: "late", models: ["*"], secret });

    expect(before).toBeUndefined();
    expect(await keys.find(secret)).toEqual(key);
  });

  test("a gateway with another secret than its keys were created with does not start", async () => {
    await using place = await openPlace();
    const other = PEPPER.map((byte) => byte + 1);
    const first = await openAt(place.address);
    await first.close();
    // As long as there is no key, nothing is lost.
    const second = await openAt(place.address, { pepper: other });
    await withKey(second);
    await second.close();

    const refused = openAt(place.address);

    expect(String(await reasonOf(refused))).toContain("belong to another secret");
    await using third = await openAt(place.address, { pepper: other });
    expect(await third.keys.list(1)).toHaveLength(1);
  });
}

function describeSchema(openPlace: () => Promise<Place>): void {
  test("a ledger entry cannot be changed or deleted", async () => {
    await using opened = await openStorageIn(openPlace);
    await opened.hold({ quota: 100, amount: 10 });
    const db = await opened.place.tamper();

    const changed = reasonOf(
      db
        .updateTable("ledger")
        .set({ held_delta: nanoUsd(0) })
        .execute(),
    );
    const deleted = reasonOf(db.deleteFrom("ledger").execute());

    expect(String(await changed)).toContain("append-only");
    expect(String(await deleted)).toContain("append-only");
    expect(await opened.violations()).toEqual([]);
  });

  test("a database with a newer schema is refused and left unchanged", async () => {
    await using place = await openPlace();
    await (await openAt(place.address)).close();
    const db = await place.tamper();
    const migrations = sql.table("sluice_migrations");
    await sql`insert into ${migrations} (name, timestamp) values ('9999-future', 'now')`.execute(
      db,
    );

    const refused = openAt(place.address);

    expect(String(await reasonOf(refused))).toContain(
      "newer version of Sluice: this version does not know 9999-future",
    );
    const { rows } = await sql<{ name: string }>`select name from ${migrations}`.execute(db);
    expect(rows.map((row) => row.name).sort()).toEqual([...Object.keys(MIGRATIONS), "9999-future"]);
  });

  test("a migration that fails halfway changes nothing", async () => {
    await using place = await openPlace();
    await (await openAt(place.address)).close();
    const db = await place.tamper();
    const broken: typeof MIGRATIONS = {
      ...MIGRATIONS,
      "9998-broken": async (transaction) => {
        await sql`create table half (id text)`.execute(transaction);
        throw new Error("half-way");
      },
    };

    const failed = await reasonOf(migrate(db, place.ddl, broken));

    expect(String(failed)).toContain("database migration failed");
    const tables = await db.introspection.getTables();
    expect(tables.map((table) => table.name)).not.toContain("half");
    expect(tables.map((table) => table.name)).toContain("ledger");
    await using storage = await openAt(place.address);
    await storage.ping();
  });

  test("a restart finds all stored data", async () => {
    await using place = await openPlace();
    const first = await openAt(place.address);
    const accounts = await withKey(first, 100);
    const request = holdFor(accounts, 30);
    await first.ledger.hold(request);
    await first.close();

    await using second = await openAt(place.address);

    expect(await second.ledger.findAccount("key:1")).toMatchObject({ granted: 100, held: 30 });
    expect(await second.ledger.listAbandoned()).toMatchObject([{ callId: request.callId }]);
    expect(await second.users.ensureRoot()).toEqual({ id: 1, name: "root", role: "root" });
    expect(await verifyLedger(second.db)).toEqual([]);
  });
}

interface OpenedStorage extends AsyncDisposable {
  readonly place: Place;
  readonly storage: Storage;
  hold(options: { quota?: number; amount: number }): Promise<{
    readonly ledger: Storage["ledger"];
    readonly accounts: readonly AccountId[];
    readonly callId: string;
  }>;
  key(name?: string): ReturnType<Storage["keys"]["create"]>;
  violations(): ReturnType<typeof verifyLedger>;
}

async function openStorageIn(
  openPlace: () => Promise<Place>,
  options?: OpenOptions,
): Promise<OpenedStorage> {
  await using stack = new AsyncDisposableStack();
  const place = stack.use(await openPlace());
  const storage = stack.use(await openAt(place.address, options));
  const held = stack.move();
  return {
    place,
    storage,
    async hold({ quota, amount }) {
      const accounts = await withKey(storage, quota);
      const request = holdFor(accounts, amount);
      await (
        await storage.ledger.hold(request)
      ).durable;
      return { ledger: storage.ledger, accounts, callId: request.callId };
    },
    async key(name = newId()) {
      const { id: userId } = await storage.users.ensureRoot();
      return storage.keys.create({ userId, name, models: ["*"] });
    },
    violations: () => verifyLedger(storage.db),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

async function prepare(place: Place, quota?: number): Promise<readonly AccountId[]> {
  await using storage = await openAt(place.address);
  return await withKey(storage, quota);
}

async function prepareKey(place: Place): Promise<ApiKey> {
  await using storage = await openAt(place.address);
  return await withGenerousBudgets(storage);
}

interface Child extends AsyncDisposable {
  /** Waits for a line, and gives its first group. */
  line(pattern: RegExp): Promise<string>;
  readonly lines: readonly string[];
  kill(): Promise<void>;
}

export function startChild(task: ChildTask): Child {
  const program = fileURLToPath(new URL("contract-child.ts", import.meta.url));
  const child = spawn(process.execPath, [program, JSON.stringify(task)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: string[] = [];
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n");
    // What a kill cut off says nothing.
    rest = parts.pop() ?? "";
    lines.push(...parts);
  });
  const kill = async (): Promise<void> => {
    if (isRunning(child)) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  };
  return {
    lines,
    async line(pattern) {
      await waitFor(() => lines.some((line) => pattern.test(line)), 20_000);
      return lines.map((line) => pattern.exec(line)?.[1]).find((each) => each !== undefined) ?? "";
    },
    kill,
    [Symbol.asyncDispose]: kill,
  };
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

interface Promised {
  readonly held: ReadonlySet<string>;
  readonly settled: ReadonlyMap<string, number>;
}

async function churnUntilKilled(
  place: Place,
  { accounts, budgets = [] }: ApiKey,
  afterMs: number,
): Promise<Promised> {
  await using child = startChild({
    address: place.address,
    accounts,
    budgets,
    act: { type: "churn" },
  });
  await child.line(/^settled (.+)$/);
  await Bun.sleep(afterMs);
  await child.kill();
  const words = child.lines.map((line) => line.split(" "));
  return {
    held: new Set(words.flatMap(([verb, id]) => (verb === "held" && id ? [id] : []))),
    settled: new Map(
      words.flatMap(([verb, id, cost]) =>
        verb === "settled" && id && cost ? [[id, Number(cost)] as const] : [],
      ),
    ),
  };
}

/** Promises that the ledger does not know of, or knows otherwise. */
async function missing(storage: Storage, promised: Promised): Promise<string[]> {
  const rows = await storage.db
    .selectFrom("ledger")
    .select(["call_id", "kind", "spent_delta"])
    .execute();
  const spent = new Map(
    rows.flatMap((row) => (row.kind === "settle" ? [[row.call_id, row.spent_delta]] : [])),
  );
  const held = new Set(rows.flatMap((row) => (row.kind === "hold" ? [row.call_id] : [])));
  return [
    ...[...promised.settled].filter(([id, cost]) => spent.get(id) !== cost).map(([id]) => id),
    ...[...promised.held].filter((id) => !held.has(id)),
  ];
}

function wasSettled(promise: Promise<unknown>): () => boolean {
  let isSettled = false;
  void reasonOf(promise).then(() => {
    isSettled = true;
  });
  return () => isSettled;
}

type Step = {
  readonly verb: "hold" | "extend" | "settle" | "void" | "checkpoint" | "grant" | "unbind";
  readonly key: number;
  readonly call: number;
  readonly amount: number;
  readonly isAwaited: boolean;
};

const someStep: fc.Arbitrary<Step> = fc.record({
  verb: fc.constantFrom(
    "hold",
    "hold",
    "extend",
    "settle",
    "settle",
    "void",
    "checkpoint",
    "grant",
    "unbind",
  ),
  key: fc.nat(2),
  call: fc.nat(40),
  amount: fc.nat(400),
  isAwaited: fc.boolean(),
});

async function perform(
  { ledger }: Storage,
  accounts: readonly (readonly AccountId[])[],
  calls: string[],
  { verb, key, call, amount: given }: Step,
): Promise<unknown> {
  const amount = nanoUsd(given);
  const callId = calls[call] ?? "never-held";
  switch (verb) {
    case "hold": {
      const request = holdFor(accounts[key] ?? [], amount);
      calls.push(request.callId);
      return (await ledger.hold(request)).durable;
    }
    case "extend":
      return ledger.extend(callId, amount);
    case "settle":
      return ledger.settle(callId, amount, recordOf(callId, amount));
    case "void":
      return ledger.void(callId, recordOf(callId));
    case "checkpoint":
      return ledger.checkpoint(callId, amount);
    case "grant":
      return ledger.grant(`key:${key + 1}`, amount, "a test");
    case "unbind":
      return ledger.grant(`key:${key + 1}`, null, "a test");
  }
}

function expectedRefusal(error: unknown): void {
  expect(error).toMatchObject({ code: "out_of_quota" });
}

async function sums(storage: Storage, id: AccountId): Promise<{ held: number; spent: number }> {
  return storage.db
    .selectFrom("ledger")
    .select(({ fn, cast }) => [
      cast<number>(fn.sum("held_delta"), "bigint").as("held"),
      cast<number>(fn.sum("spent_delta"), "bigint").as("spent"),
    ])
    .where("user_account", "=", id)
    .executeTakeFirstOrThrow();
}

const count = fc.nat(100_000_000);
const text = fc.oneof(fc.string({ unit: "grapheme" }), fc.constant("a'b\"c\\{},\n"));
const fault = fc.option(fc.constantFrom(...(Object.keys(FAULTS) as FaultCode[])));

const someRates: fc.Arbitrary<Rates> = fc.record(
  {
    input: count,
    output: count,
    cachedInput: count,
    longCacheWrite: count,
    audioOutput: count,
    imageInput: count,
    imageOutput: count,
    image: count,
    referenceImage: count,
    second: count,
    character: count,
    search: count,
  },
  { requiredKeys: ["input", "output"] },
);

const someFields = fc.record({
  id: fc.constant(""),
  at: fc.nat(4_000_000_000_000),
  userId: fc.nat(),
  keyId: fc.nat(),
  model: text,
  upstreamModel: fc.option(text),
  channel: fc.option(text),
  provider: fc.option(text),
  style: text,
  isStream: fc.boolean(),
  outcome: fc.constantFrom("completed", "failed", "canceled", "interrupted"),
  fault,
  usage: fc.record({
    inputTokens: count,
    cachedInputTokens: count,
    cacheWriteTokens: count,
    audioInputTokens: count,
    outputTokens: count,
    reasoningTokens: count,
    audioOutputTokens: count,
    isEstimated: fc.boolean(),
  }),
  cost: fc.maxSafeNat().map(nanoUsd),
  firstByteMs: fc.option(fc.nat()),
  durationMs: fc.nat(),
  attempts: fc.array(
    fc.record({
      channel: text,
      credential: text,
      fault,
      status: fc.option(fc.nat(599)),
      durationMs: fc.nat(),
    }),
    { maxLength: 3 },
  ),
  lost: fc.array(text, { maxLength: 3 }),
});

/** What few calls have: absent where there is none. */
const some = fc.integer({ min: 1, max: 100_000_000 });
const someUnits = fc.record(
  {
    imageInputTokens: some,
    imageOutputTokens: some,
    images: some,
    referenceImages: some,
    durationMs: some,
    characters: some,
    searches: some,
    grade: text,
    longCacheWriteTokens: count,
  },
  { requiredKeys: [] },
);

/** How it was served, and what it was charged by where that differs: kept beside the rates. */
const someServed = fc.option(fc.record({ serviceTier: text, speed: text }, { requiredKeys: [] }));
const someCharges = fc.option(
  fc.array(
    fc.record(
      {
        usage: fc.record({
          inputTokens: count,
          cachedInputTokens: count,
          cacheWriteTokens: count,
          audioInputTokens: count,
          outputTokens: count,
          reasoningTokens: count,
          audioOutputTokens: count,
          isEstimated: fc.boolean(),
        }),
        rates: someRates,
        model: text,
      },
      { requiredKeys: ["usage", "rates"] },
    ),
    { minLength: 2, maxLength: 3 },
  ),
);

const someRecord: fc.Arbitrary<CallRecord> = fc
  .tuple(someFields, fc.option(someRates), someUnits, someServed, someCharges)
  .map(([fields, rates, units, served, charges]) => ({
    ...fields,
    usage: {
      ...fields.usage,
      ...units,
      ...(rates === null || served === null ? {} : { served }),
    },
    ...(rates === null ? {} : { rates }),
    ...(rates === null || charges === null ? {} : { charges }),
  }));
