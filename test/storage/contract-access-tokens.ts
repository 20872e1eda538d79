import { expect, test } from "bun:test";
import { sql } from "kysely";
import type { Clock } from "#lib/clock.ts";
import { createSecret } from "#core/key.ts";
import { accessTokens as migrateAccessTokens } from "#storage/migrations/0029-access-tokens.ts";
import { digestOf } from "#storage/secrets/secrets.ts";
import { openAt, PEPPER, reasonOf, type Place } from "./contract-place.ts";

const MINUTE_MS = 60_000;

/** What both databases promise of access tokens. */
export function describeAccessTokens(openPlace: () => Promise<Place>): void {
  test("a user has several tokens; making or revoking one ends no other", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    await storage.users.ensureRoot();
    const { accessTokens } = storage;
    const first = await accessTokens.create({ userId: 1, name: "a", scopes: ["logs:read"] }, 9);
    const second = await accessTokens.create({ userId: 1, name: "b" }, 9);

    expect(await accessTokens.find(first.secret)).toMatchObject({
      user: { id: 1 },
      token: { name: "a", scopes: ["logs:read"], last4: first.secret.slice(-4) },
    });
    expect((await accessTokens.list(1)).map(({ name }) => name)).toEqual(["b", "a"]);
    expect(await accessTokens.revoke(2, first.token.id)).toBe(false);
    expect(await accessTokens.revoke(1, first.token.id)).toBe(true);
    expect(await accessTokens.revoke(1, first.token.id)).toBe(false);

    expect(await accessTokens.find(first.secret)).toBeUndefined();
    const found = await accessTokens.find(second.secret);
    expect(found?.token).toEqual(second.token);
    expect(found?.token).not.toHaveProperty("scopes");
    expect(await accessTokens.revokeAll(1)).toBe(1);
    expect(await accessTokens.find(second.secret)).toBeUndefined();
  });

  test("a token ends at its time, to the millisecond, and leaves room for another", async () => {
    await using place = await openPlace();
    const clock = frozenClock();
    await using storage = await openAt(place.address, { clock });
    await storage.users.ensureRoot();
    const { accessTokens } = storage;
    const endsAt = clock.now() + MINUTE_MS;
    const { secret, token } = await accessTokens.create({ userId: 1, name: "t", endsAt }, 1);
    expect(await reasonOf(accessTokens.create({ userId: 1, name: "more" }, 1))).toMatchObject({
      message: "The limit of 1 access tokens of a user is reached. Revoke some first.",
    });

    clock.pass(endsAt - clock.now() - 1);
    expect((await accessTokens.find(secret))?.token).toEqual(token);
    clock.pass(1);
    expect(await accessTokens.find(secret)).toBeUndefined();

    await accessTokens.create({ userId: 1, name: "more" }, 1);
    expect((await accessTokens.list(1)).map(({ name }) => name)).toEqual(["more"]);
  });

  test("of tokens that are made at once, no more than the limit are made", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    await storage.users.ensureRoot();
    const make = (name: string) => storage.accessTokens.create({ userId: 1, name }, 3);

    const made = await Promise.allSettled(["a", "b", "c", "d", "e", "f"].map(make));

    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    expect(await storage.accessTokens.list(1)).toHaveLength(3);
  });

  test("the time of the last use is written once for many uses, not with each", async () => {
    await using place = await openPlace();
    const clock = frozenClock();
    await using storage = await openAt(place.address, { clock });
    await storage.users.ensureRoot();
    const { accessTokens } = storage;
    const used = await accessTokens.create({ userId: 1, name: "used" }, 9);
    await accessTokens.create({ userId: 1, name: "unused" }, 9);
    const usedAt = async () =>
      (await accessTokens.list(1)).map(({ name, usedAt: at }) => [name, at] as const);

    for (let i = 0; i < 3; i++) await accessTokens.find(used.secret);
    expect(await usedAt()).toEqual([
      ["unused", undefined],
      ["used", undefined],
    ]);
    await accessTokens.noteUses();
    const first = clock.now();
    expect((await usedAt())[1]).toEqual(["used", first]);

    clock.pass(MINUTE_MS / 2);
    await accessTokens.find(used.secret);
    await accessTokens.noteUses();
    expect((await usedAt())[1]).toEqual(["used", first]);
    clock.pass(MINUTE_MS);
    await accessTokens.find(used.secret);
    await accessTokens.noteUses();
    expect((await usedAt())[1]).toEqual(["used", first + 1.5 * MINUTE_MS]);
  });

  test("a scope that this version does not know opens nothing", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    await storage.users.ensureRoot();
    const { secret } = await storage.accessTokens.create(
      { userId: 1, name: "t", scopes: ["logs:read"] },
      9,
    );
    const scopes = JSON.stringify(["logs:read", "moon:write"]);
    await storage.db.updateTable("access_tokens").set({ scopes }).execute();

    expect((await storage.accessTokens.find(secret))?.token.scopes).toEqual(["logs:read"]);
  });

  test("the only access token of an earlier version keeps working, with all scopes", async () => {
    await using place = await openPlace();
    const secret = createSecret("slc-user_");
    await (await openAt(place.address)).close();
    {
      const db = await place.tamper();
      await db.schema.dropTable("access_tokens").execute();
      await db.schema.alterTable("users").addColumn("token_digest", "text").execute();
      await db.schema
        .createIndex("users_token_digest")
        .unique()
        .on("users")
        .columns(["token_digest"])
        .execute();
      await db.schema.alterTable("users").dropColumn("is_service").execute();
      await db.schema.alterTable("sessions").dropColumn("user_agent").execute();
      const digest = digestOf(secret, PEPPER);
      await sql`insert into users (id, name, role, status, created_at, token_digest)
        values (1, 'root', 'root', 1, 5, ${digest})`.execute(db);
      await migrateAccessTokens(db, place.ddl);
    }

    await using storage = await openAt(place.address);

    const found = await storage.accessTokens.find(secret);
    expect(found?.user.name).toBe("root");
    expect(found?.token).toEqual({ id: expect.any(Number), userId: 1, name: "access token" });
  });
}

function frozenClock(): Clock & { pass(ms: number): void } {
  let now = Date.now();
  return { now: () => now, monotonic: () => now, pass: (ms) => void (now += ms) };
}
