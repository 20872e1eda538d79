import { expect, test } from "bun:test";
import { CompiledQuery } from "kysely";
import { nanoUsd } from "#core/money.ts";
import type { Clock } from "#lib/clock.ts";
import { compileLookup } from "#storage/keys/keys.ts";
import { openAt, reasonOf, type Place } from "./contract-place.ts";

const HOUR_MS = 3_600_000;

/** What both databases promise of keys with a new secret. */
export function describeRotation(openPlace: () => Promise<Place>): void {
  test("a rotated key keeps its row and accounts; the old secret works until the overlap ends", async () => {
    await using place = await openPlace();
    const clock = frozenClock();
    await using storage = await openAt(place.address, { clock });
    const { keys } = storage;
    await storage.users.ensureRoot();
    const quota = nanoUsd(5);
    const made = await keys.create({ userId: 1, name: "k", models: ["gpt*"], quota });
    await keys.find(made.secret);

    const rotated = await keys.rotate(1, made.key.id, HOUR_MS);

    const secret = rotated?.secret ?? "";
    const last4 = made.secret.slice(-4);
    const endsAt = clock.now() + HOUR_MS;
    expect(rotated?.listed).toMatchObject({ last4: secret.slice(-4), old: { last4, endsAt } });
    const found = await keys.find(secret);
    expect(found).toEqual(made.key);
    expect(found).not.toHaveProperty("expiresAt");
    expect(await keys.find(made.secret)).toEqual({ ...made.key, expiresAt: endsAt });
    clock.pass(HOUR_MS);
    expect((await keys.find(made.secret))?.expiresAt).toBe(clock.now());
    expect(await keys.find(secret)).toEqual(made.key);
  });

  test("the old secret ends at once if it is told to, at another rotation, and with the key", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { keys } = storage;
    await storage.users.ensureRoot();
    const { key, secret: first } = await keys.create({ userId: 1, name: "k", models: ["*"] });
    const rotate = async (overlapMs = HOUR_MS): Promise<string> =>
      (await keys.rotate(1, key.id, overlapMs))?.secret ?? "";
    const known = async (...secrets: readonly string[]): Promise<readonly boolean[]> =>
      await Promise.all(secrets.map(async (each) => (await keys.find(each)) !== undefined));

    const second = await rotate();
    expect(await known(first, second)).toEqual([true, true]);
    expect(await keys.endOldSecret(1, key.id)).toBe(true);
    expect(await keys.endOldSecret(1, key.id)).toBe(false);
    expect(await known(first, second)).toEqual([false, true]);
    const third = await rotate();
    const fourth = await rotate();
    expect(await known(second, third, fourth)).toEqual([false, true, true]);
    const fifth = await rotate(0);
    expect(await known(third, fourth, fifth)).toEqual([false, false, true]);
    const sixth = await rotate();
    expect(await keys.ownerOf(key.id)).toBe(1);
    await keys.delete(key.id);
    expect(await known(fifth, sixth)).toEqual([false, false]);
    expect(await keys.ownerOf(key.id)).toBeUndefined();
    expect(await keys.rotate(1, key.id, HOUR_MS)).toBeUndefined();
  });

  test("an old secret does not outlive its key's own end, and is disabled with the key", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { keys } = storage;
    await storage.users.ensureRoot();
    const expiresAt = Date.now() + 1_000;
    const { key, secret } = await keys.create({ userId: 1, name: "k", models: ["*"], expiresAt });

    await keys.rotate(1, key.id, HOUR_MS);
    expect((await keys.find(secret))?.expiresAt).toBe(expiresAt);
    await keys.update(1, key.id, { status: 2 });

    expect((await keys.find(secret))?.status).toBe(2);
  });

  test("a key is rotated by its owner only, and one of the configuration file not at all", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { keys } = storage;
    await storage.users.ensureRoot();
    const { key, secret } = await keys.create({ userId: 1, name: "k", models: ["*"] });
    const ofFile = await keys.syncNamed({
      userId: 1,
      name: "of the file",
      models: ["*"],
      secret: "written-in-the-file-0123456789",
    });

    expect(await keys.rotate(2, key.id, HOUR_MS)).toBeUndefined();
    expect(await keys.endOldSecret(2, key.id)).toBe(false);
    expect(await keys.find(secret)).toEqual(key);
    expect(await reasonOf(keys.rotate(1, ofFile.id, HOUR_MS))).toMatchObject({
      code: "invalid_request",
    });
  });

  test("a secret of a foreign format works during the overlap, also after a restart", async () => {
    await using place = await openPlace();
    const secret = "written-in-the-file-0123456789";
    {
      await using before = await openAt(place.address);
      await before.users.ensureRoot();
      await before.keys.create({ userId: 1, name: "k", models: ["*"], secret });
      const [listed] = await before.keys.list(1);
      await before.keys.rotate(1, listed?.key.id ?? 0, HOUR_MS);
      expect(await before.keys.find(secret)).toMatchObject({ name: "k" });
    }

    await using storage = await openAt(place.address);

    expect(await storage.keys.find(secret)).toMatchObject({ name: "k" });
  });

  test("a look-up by digest reads indexes, for present and for old secrets", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const isSqlite = place.address.databaseUrl === undefined;

    const plan = await storage.db.transaction().execute(async (transaction) => {
      if (!isSqlite) {
        // A small table is read as a whole.
        await transaction.executeQuery(CompiledQuery.raw("set local enable_seqscan = off"));
      }
      const { sql } = compileLookup(transaction);
      const explain = isSqlite ? "explain query plan" : "explain";
      const query = CompiledQuery.raw(`${explain} ${sql}`, ["x", "x"]);
      return JSON.stringify((await transaction.executeQuery(query)).rows);
    });

    expect(plan).toContain("keys_old_digest");
    expect(plan).not.toMatch(/SCAN keys|Seq Scan on keys/);
  });
}

function frozenClock(): Clock & { pass(ms: number): void } {
  let now = Date.now();
  return { now: () => now, monotonic: () => now, pass: (ms) => void (now += ms) };
}
