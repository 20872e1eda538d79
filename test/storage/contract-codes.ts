import { expect, test } from "bun:test";
import { nanoUsd } from "#core/money.ts";
import type { Clock } from "#lib/clock.ts";
import { verifyLedger } from "#storage/accounts/verify-ledger.ts";
import type { Storage } from "#storage/open.ts";
import { openAt, reasonOf, type Place } from "./contract-place.ts";

const ONE = nanoUsd(1e9);

/** What both databases promise of redemption codes. */
export function describeCodes(openPlace: () => Promise<Place>): void {
  test("a code raises the quota by a grant of the ledger, and is stored as a digest only", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { codes, quotas } = storage;
    const ada = await newUser(storage, "ada");
    const made = await codes.create({ amount: ONE, count: 3, createdBy: 1, note: "fair" });
    const [code = ""] = made.codes;

    expect(new Set(made.codes).size).toBe(3);
    expect(await codes.redeem(` ${code.toLowerCase().replaceAll("-", " ")} `, ada)).toBe(ONE);
    expect(await codes.redeem(code, ada)).toBeUndefined();
    expect(await codes.redeem("00000-00000-00000-00000", ada)).toBeUndefined();
    expect(await codes.redeem("", ada)).toBeUndefined();

    expect((await storage.ledger.findAccount(`user:${ada}`))?.granted).toBe(nanoUsd(6e9));
    expect((await quotas.history(`user:${ada}`, { limit: 1 }))[0]).toMatchObject({
      amount: ONE,
      note: `redemption code of batch ${made.id}`,
    });
    expect(await codes.find(made.id)).toMatchObject({ count: 3, redeemed: 1, note: "fair" });
    expect(await verifyLedger(storage.db)).toEqual([]);
    const stored = JSON.stringify(await storage.db.selectFrom("codes").selectAll().execute());
    for (const each of made.codes) {
      expect(stored).not.toContain(each);
      expect(stored).not.toContain(each.replaceAll("-", ""));
    }
  });

  test("of users who redeem one code at once through several gateways, one gets the quota", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    // On PostgreSQL a second gateway of the same database.
    const hasSecond = place.address.databaseUrl !== undefined;
    await using second = hasSecond ? await openAt(place.address) : undefined;
    const users = [await newUser(storage, "ada"), await newUser(storage, "bob")];
    const { id, codes } = await storage.codes.create({ amount: ONE, count: 4, createdBy: 1 });

    const got = await Promise.all(
      codes.flatMap((code) =>
        Array.from({ length: 6 }, (_, index) => {
          const gateway = index % 2 === 0 ? storage : (second ?? storage);
          return gateway.codes.redeem(code, users[index % 3 === 0 ? 0 : 1] ?? 0);
        }),
      ),
    );

    expect(got.filter((each) => each !== undefined)).toHaveLength(4);
    const accounts = await Promise.all(
      users.map((user) => storage.ledger.findAccount(`user:${user}`)),
    );
    const granted = accounts.reduce((sum, account) => sum + (account?.granted ?? 0), 0);
    expect(granted).toBe(14e9);
    expect(await storage.codes.find(id)).toMatchObject({ redeemed: 4 });
    expect(await verifyLedger(storage.db)).toEqual([]);
  });

  test("an expired or revoked code grants nothing, and granted quota stays", async () => {
    await using place = await openPlace();
    let passedMs = 0;
    const clock: Clock = { now: () => Date.now() + passedMs, monotonic: () => performance.now() };
    await using storage = await openAt(place.address, { clock });
    const { codes } = storage;
    const ada = await newUser(storage, "ada");
    const expiresAt = clock.now() + 1_000;
    const short = await codes.create({ amount: ONE, count: 1, createdBy: 1, expiresAt });
    const revoked = await codes.create({ amount: ONE, count: 2, createdBy: 1 });

    expect(await codes.redeem(revoked.codes[0] ?? "", ada)).toBe(ONE);
    expect(await codes.revoke(revoked.id)).toBe(true);
    expect(await codes.revoke(revoked.id)).toBe(false);
    expect(await codes.revoke(999)).toBe(false);
    passedMs = 1_000;
    expect(await codes.redeem(revoked.codes[1] ?? "", ada)).toBeUndefined();
    expect(await codes.redeem(short.codes[0] ?? "", ada)).toBeUndefined();

    expect((await storage.ledger.findAccount(`user:${ada}`))?.granted).toBe(nanoUsd(6e9));
    expect((await codes.find(short.id))?.redeemed).toBe(0);
  });

  test("unused codes of ended batches are deleted in batches, and redeemed ones stay", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { codes } = storage;
    const ada = await newUser(storage, "ada");
    const ended = await codes.create({ amount: ONE, count: 4, createdBy: 1 });
    const open = await codes.create({ amount: ONE, count: 2, createdBy: 1 });
    await codes.redeem(ended.codes[0] ?? "", ada);
    await codes.revoke(ended.id);
    const later = Date.now() + 60_000;

    const counts = [
      await codes.prune(0, 2),
      await codes.prune(later, 2),
      await codes.prune(later, 2),
      await codes.prune(later, 2),
    ];

    expect(counts).toEqual([0, 2, 1, 0]);
    expect(await codes.codes(ended.id, { after: 0, limit: 9 })).toMatchObject([
      { redeemedBy: { name: "ada" } },
    ]);
    expect(await codes.codes(open.id, { after: 0, limit: 9 })).toHaveLength(2);
  });

  test("a user without a quota keeps the code unused", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { id: root } = await storage.users.ensureRoot();
    const ada = await newUser(storage, "ada");
    const { codes } = await storage.codes.create({ amount: ONE, count: 1, createdBy: 1 });

    const reason = await reasonOf(storage.codes.redeem(codes[0] ?? "", root));

    expect(reason).toMatchObject({ code: "invalid_request" });
    expect(await storage.codes.redeem(codes[0] ?? "", ada)).toBe(ONE);
  });

  test("batches and codes are listed in pages, with the users who redeemed them", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { codes } = storage;
    const ada = await newUser(storage, "ada");
    const large = await codes.create({ amount: ONE, count: 2_500, createdBy: 1 });
    const small = await codes.create({ amount: ONE, count: 3, createdBy: 1 });
    await codes.redeem(small.codes[1] ?? "", ada);

    const batches = await codes.list({ after: 0, limit: 10 });
    const first = await codes.codes(small.id, { after: 0, limit: 2 });
    const rest = await codes.codes(small.id, { after: first.at(-1)?.id ?? 0, limit: 2 });
    const redeemed = await codes.codes(small.id, { after: 0, limit: 9, isRedeemed: true });
    const unused = await codes.codes(small.id, { after: 0, limit: 9, isRedeemed: false });

    expect(batches.map(({ id, count, redeemed: of }) => [id, count, of])).toEqual([
      [large.id, 2_500, 0],
      [small.id, 3, 1],
    ]);
    expect(await codes.list({ after: large.id, limit: 10 })).toHaveLength(1);
    expect([first.length, rest.length, unused.length]).toEqual([2, 1, 2]);
    expect(redeemed).toMatchObject([{ redeemedBy: { id: ada, name: "ada" } }]);
    expect(redeemed[0]?.redeemedAt).toBeGreaterThan(0);
  });
}

/** A user with a quota of five dollars. */
async function newUser({ users }: Storage, name: string): Promise<number> {
  await users.ensureRoot();
  return (await users.create({ name, role: "user", quota: nanoUsd(5e9) })).id;
}
