import { expect, test } from "bun:test";
import type { AccountId } from "#core/key.ts";
import { nanoUsd } from "#core/money.ts";
import { holdFor, openAt, reasonOf, recordOf, withKey, type Place } from "./contract-place.ts";
import { verifyLedger } from "./verify-ledger.ts";

/** What both databases promise of budgets, teams and top-ups. */
export function describeBudgets(openPlace: () => Promise<Place>): void {
  test("a call draws on as many accounts as it is under, from its hold to its end", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { ledger } = storage;
    const others: AccountId[] = ["team:3", "key:1@2026-11", "user:1@2026-11-20"];
    for (const id of others) await ledger.grant(id, nanoUsd(100), "a test");
    const accounts = [...(await withKey(storage, 100)), ...others];
    const request = holdFor(accounts, 60);

    await (
      await ledger.hold(request)
    ).durable;

    for (const id of accounts) expect(await ledger.findAccount(id)).toMatchObject({ held: 60 });
    expect(await verifyLedger(storage.db)).toEqual([]);
    expect(await ledger.extend(request.callId, nanoUsd(41))).toBe(false);
    expect(await ledger.extend(request.callId, nanoUsd(40))).toBe(true);
    await ledger.settle(request.callId, nanoUsd(70), recordOf(request.callId, 70));
    for (const id of accounts) {
      expect(await ledger.findAccount(id)).toMatchObject({ held: 0, spent: 70 });
    }
    // Whichever of them it is that cannot bear a call, none reserves anything for it.
    for (const id of others) {
      await ledger.grant(id, nanoUsd(75), "less");
      const refused = await reasonOf(ledger.hold(holdFor(accounts, 10)));
      expect(refused).toMatchObject({ code: "out_of_quota" });
      await ledger.grant(id, nanoUsd(100), "as before");
    }
    for (const id of accounts) expect(await ledger.findAccount(id)).toMatchObject({ held: 0 });
    expect(await verifyLedger(storage.db)).toEqual([]);
  });

  test("books that were tampered with are found out on the last account of a call, too", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const others: AccountId[] = ["team:3", "key:1@2026-11", "user:1@2026-11-20"];
    for (const id of others) await storage.ledger.grant(id, nanoUsd(100), "a test");
    const accounts = [...(await withKey(storage, 100)), ...others];
    const request = holdFor(accounts, 60);
    await (
      await storage.ledger.hold(request)
    ).durable;
    const db = await place.tamper();
    const broken: string[] = [];

    for (const id of others) {
      const held = (amount: number) =>
        db
          .updateTable("accounts")
          .set({ held: nanoUsd(amount) })
          .where("id", "=", id)
          .execute();
      await held(59);
      broken.push(...(await verifyLedger(db)).map(({ subject }) => subject));
      await held(60);
    }
    expect(broken).toEqual(others);
    await db.deleteFrom("accounts").where("id", "=", "team:3").execute();
    expect(await verifyLedger(db)).toEqual([
      { rule: expect.stringContaining("exists"), subject: "team:3" },
    ]);
  });
}
