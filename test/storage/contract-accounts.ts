import { expect, test } from "bun:test";
import { sql } from "kysely";
import type { Clock } from "#lib/clock.ts";
import { createSecret } from "#core/key.ts";
import { nanoUsd } from "#core/money.ts";
import { random, SEED, times } from "#test/seed.ts";
import { openAt, reasonOf, type Place } from "./contract-place.ts";
import type { Storage } from "#storage/open.ts";
import { verifyLedger } from "#storage/accounts/verify-ledger.ts";

const PASSWORD = "a long enough password";
const MINUTE_MS = 60_000;

/** What both databases promise of users, their logins and their own keys. */
export function describeAccounts(openPlace: () => Promise<Place>): void {
  test("a user logs in by name or by address, in any case, and by nothing else", async () => {
    await using place = await openPlace();
    await using storage = await openWithRoot(place);
    const ada = await storage.users.create({
      name: "ada",
      email: "Ada@Example.com",
      role: "user",
      password: PASSWORD,
    });
    const { logins } = storage;

    expect(await logins.checkPassword(" ADA ", PASSWORD)).toEqual(ada);
    expect(await logins.checkPassword("ada@example.COM", PASSWORD)).toEqual(ada);
    expect(await logins.checkPassword("ada", `${PASSWORD} `)).toBeUndefined();
    expect(await logins.checkPassword("nobody", PASSWORD)).toBeUndefined();
    // Who was given no password has no login, and not an empty one.
    expect(await logins.checkPassword("root", "")).toBeUndefined();
  });

  test("the database holds no password, no session and no token", async () => {
    await using place = await openPlace();
    await using storage = await openWithRoot(place);
    const { id } = await storage.users.create({ name: "ada", role: "user", password: PASSWORD });
    const secrets = [
      PASSWORD,
      await storage.logins.startSession(id),
      (await storage.accessTokens.create({ userId: id, name: "t" }, 9)).secret,
      (await storage.logins.issueSetupToken()) ?? "",
    ];

    const kept = JSON.stringify([
      await storage.db.selectFrom("users").selectAll().execute(),
      await storage.db.selectFrom("sessions").selectAll().execute(),
      await storage.db.selectFrom("access_tokens").selectAll().execute(),
      await storage.db.selectFrom("meta").selectAll().execute(),
    ]);

    expect(kept).toContain("$argon2id$");
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(20);
      expect(kept).not.toContain(secret);
    }
  });

  test("a session ends at its idle limit, at its maximum age, and at logout", async () => {
    await using place = await openPlace();
    const clock = settableClock();
    await using storage = await openWithRoot(place, clock);
    const { logins } = storage;
    const idle = await logins.startSession(1);
    const ended = await logins.startSession(1);
    const used = await logins.startSession(1);

    await logins.endSession(ended);
    expect(await logins.findBySession(ended)).toBeUndefined();
    expect(await logins.findBySession(idle)).toMatchObject({ user: { id: 1 } });
    for (let minutes = 0; minutes < 12 * 60 - 20; minutes += 20) {
      expect(await logins.findBySession(used)).toMatchObject({ user: { id: 1 } });
      clock.pass(20 * MINUTE_MS);
    }

    expect(await logins.findBySession(idle)).toBeUndefined();
    expect(await logins.findBySession(used)).toMatchObject({ user: { id: 1 } });
    clock.pass(20 * MINUTE_MS);
    expect(await logins.findBySession(used)).toBeUndefined();
  });

  test("a user keeps at most the five most recently used sessions", async () => {
    await using place = await openPlace();
    const clock = settableClock();
    await using storage = await openWithRoot(place, clock);
    const sessions: string[] = [];
    for (let i = 0; i < 7; i++) {
      sessions.push(await storage.logins.startSession(1));
      clock.pass(1_000);
    }

    const found = await Promise.all(sessions.map((each) => storage.logins.findBySession(each)));

    expect(found.map((user) => user !== undefined)).toEqual([
      false,
      false,
      true,
      true,
      true,
      true,
      true,
    ]);
  });

  test("a session, a token and a key do not work in place of each other", async () => {
    await using place = await openPlace();
    await using storage = await openWithRoot(place);
    const { logins, keys } = storage;
    const session = await logins.startSession(1);
    const token = await makeToken(storage, 1);
    const { secret: key } = await keys.create({ userId: 1, name: "k", models: ["*"] });

    for (const secret of [token, key, createSecret()]) {
      expect(await logins.findBySession(secret)).toBeUndefined();
    }
    for (const secret of [session, key, createSecret()]) {
      expect(await storage.accessTokens.find(secret)).toBeUndefined();
    }
    for (const secret of [session, token]) expect(await keys.find(secret)).toBeUndefined();
  });

  test("a disabled user and the user's keys are refused; after enabling, only the keys work without a new login", async () => {
    await using place = await openPlace();
    await using storage = await openWithRoot(place);
    const { users, logins, keys } = storage;
    const { id } = await users.create({ name: "ada", role: "user", password: PASSWORD });
    const session = await logins.startSession(id);
    const token = await makeToken(storage, id);
    const { key, secret } = await keys.create({ userId: id, name: "k", models: ["*"] });
    expect(await keys.find(secret)).toMatchObject({ status: 1 });

    await users.change(id, { isEnabled: false });

    expect(await logins.checkPassword("ada", PASSWORD)).toBeUndefined();
    expect(await logins.findBySession(session)).toBeUndefined();
    expect(await storage.accessTokens.find(token)).toBeUndefined();
    // Whoever was just being let in is not, either.
    expect(await logins.findBySession(await logins.startSession(id))).toBeUndefined();
    expect(await storage.accessTokens.find(await makeToken(storage, id))).toBeUndefined();
    expect(await keys.find(secret)).toMatchObject({ status: 2 });
    expect(await storage.keys.findRefused([key.id])).toEqual([key.id]);
    await users.change(id, { isEnabled: true });
    expect(await keys.find(secret)).toMatchObject({ status: 1 });
    expect(await logins.findBySession(session)).toBeUndefined();
    expect(await storage.accessTokens.find(token)).toBeUndefined();
    expect(await storage.keys.findRefused([key.id])).toEqual([]);
  });

  test("a deleted user can never log in; name and address are free, and the ledger stays", async () => {
    await using place = await openPlace();
    await using storage = await openWithRoot(place);
    const { users, logins, keys } = storage;
    const draft = { name: "ada", email: "ada@example.com", role: "user" } as const;
    const { id } = await users.create({ ...draft, password: PASSWORD, quota: nanoUsd(9) });
    const session = await logins.startSession(id);
    const token = await makeToken(storage, id);
    const { key, secret } = await keys.create({ userId: id, name: "k", models: ["*"] });
    expect(await keys.find(secret)).toMatchObject({ status: 1 });

    expect(await users.delete(id)).toBe(true);

    expect(await users.delete(id)).toBe(false);
    expect(await users.find(id)).toBeUndefined();
    expect((await users.list(0, 10)).map((each) => each.name)).toEqual(["root"]);
    expect(await logins.checkPassword("ada", PASSWORD)).toBeUndefined();
    expect(await logins.checkPassword(`(deleted ${id})`, PASSWORD)).toBeUndefined();
    expect(await logins.findBySession(session)).toBeUndefined();
    expect(await storage.accessTokens.find(token)).toBeUndefined();
    expect(await keys.find(secret)).toBeUndefined();
    expect(await storage.keys.findRefused([key.id])).toEqual([key.id]);
    expect(await users.change(id, { isEnabled: true, password: PASSWORD })).toBeUndefined();
    const late = await keys.create({ userId: id, name: "late", models: ["*"] });
    expect(await keys.find(late.secret)).toMatchObject({ status: 2 });
    const row = storage.db.selectFrom("users").selectAll().where("id", "=", id);
    expect(JSON.stringify(await row.execute())).not.toContain("ada");

    const again = await users.create({ ...draft, password: PASSWORD });
    expect(again.id).not.toBe(id);
    expect(await logins.checkPassword("ada@example.com", PASSWORD)).toEqual(again);
    expect(await storage.ledger.findAccount(`user:${id}`)).toMatchObject({ granted: 9 });
    expect(await verifyLedger(storage.db)).toEqual([]);
  });

  test("the root user is not deleted", async () => {
    await using place = await openPlace();
    await using storage = await openWithRoot(place);

    expect(await storage.users.delete(1)).toBe(false);
    expect(await storage.users.find(1)).toMatchObject({ name: "root" });
  });

  test("no key of a user survives the user's deletion, even if keys are created in parallel", async () => {
    await using place = await openPlace();
    await using storage = await openWithRoot(place);
    const { users, keys } = storage;

    for (let round = 0; round < times(10, 200); round++) {
      const { id } = await users.create({ name: `ada${round}`, role: "user" });
      const make = async (name: string): Promise<string> => {
        const { secret } = await keys.create({ userId: id, name, models: ["*"] });
        await keys.find(secret);
        return secret;
      };
      const [, ...secrets] = await Promise.all([users.delete(id), make("a"), make("b"), make("c")]);

      for (const secret of secrets) expect((await keys.find(secret))?.status ?? 2).toBe(2);
    }
  }, 60_000);

  test("a new user gets an account, and the ledger stays balanced", async () => {
    await using place = await openPlace();
    await using storage = await openWithRoot(place);

    const rich = await storage.users.create({ name: "rich", role: "user" });
    const poor = await storage.users.create({ name: "poor", role: "user", quota: nanoUsd(7) });

    expect(await storage.ledger.findAccount(`user:${rich.id}`)).toMatchObject({ granted: null });
    expect(await storage.ledger.findAccount(`user:${poor.id}`)).toMatchObject({ granted: 7 });
    expect(await reasonOf(storage.users.create({ name: "rich", role: "user" }))).toMatchObject({
      code: "invalid_request",
    });
    expect(await verifyLedger(storage.db)).toEqual([]);
  });

  test("the root account is set up once, with a token of the last hour", async () => {
    await using place = await openPlace();
    const clock = settableClock();
    await using storage = await openWithRoot(place, clock);
    const { logins } = storage;
    const late = (await logins.issueSetupToken()) ?? "";
    clock.pass(61 * MINUTE_MS);
    const good = (await logins.issueSetupToken()) ?? "";
    const email = "root@example.com";

    expect(await logins.setUp(late, email, PASSWORD)).toBeUndefined();
    expect(await logins.setUp(good, email, PASSWORD)).toMatchObject({ id: 1, email });
    expect(await logins.setUp(good, email, "another good password")).toBeUndefined();
    expect(await logins.issueSetupToken()).toBeUndefined();
    expect(await storage.users.ensureRootLogin("x@example.com", "y".repeat(20))).toBe(false);
    expect(await logins.checkPassword(email, PASSWORD)).toMatchObject({ id: 1 });
  });

  test("the root login from the settings invalidates the set-up token", async () => {
    await using place = await openPlace();
    await using storage = await openWithRoot(place);
    const token = (await storage.logins.issueSetupToken()) ?? "";

    expect(await storage.users.ensureRootLogin("root@example.com", PASSWORD)).toBe(true);

    expect(await storage.logins.setUp(token, "x@example.com", PASSWORD)).toBeUndefined();
    expect(await storage.logins.checkPassword("root@example.com", PASSWORD)).toMatchObject({
      id: 1,
    });
  });

  test("a database without logins is migrated, and its keys still work", async () => {
    await using place = await openPlace();
    const before = await openWithRoot(place);
    const { key, secret } = await before.keys.create({ userId: 1, name: "k", models: ["*"] });
    await before.close();
    await undoAccounts(place);

    await using storage = await openAt(place.address);

    expect(await storage.keys.find(secret)).toEqual(key);
    expect(await storage.users.find(1)).toMatchObject({ name: "root", hasPassword: false });
    expect(await storage.users.ensureRootLogin("root@example.com", PASSWORD)).toBe(true);
    expect(await storage.logins.checkPassword("root", PASSWORD)).toMatchObject({ id: 1 });
  });

  test("a key that is found by its secret has its networks and limits", async () => {
    await using place = await openPlace();
    await using storage = await openWithRoot(place);
    const bounds = {
      networks: ["10.0.0.0/8"],
      limits: { requestsPerMinute: 1, tokensPerMinute: 2, concurrency: 3 },
    };
    const { key, secret } = await storage.keys.create({
      userId: 1,
      name: "k",
      models: ["*"],
      ...bounds,
    });

    expect(await storage.keys.find(secret)).toMatchObject(bounds);
    await storage.keys.update(1, key.id, { networks: null, limits: { tokensPerMinute: null } });
    const found = await storage.keys.find(secret);
    expect(found?.limits).toEqual({ requestsPerMinute: 1, concurrency: 3 });
    expect(found).not.toHaveProperty("networks");
  });

  test("a key update is applied in full or not at all", async () => {
    await using place = await openPlace();
    await using storage = await openWithRoot(place);
    const { keys } = storage;
    await keys.create({ userId: 1, name: "taken", models: ["*"] });
    const { key } = await keys.create({ userId: 1, name: "k", models: ["*"], quota: nanoUsd(5) });
    const before = await keys.findOwn(1, key.id);

    const refused = keys.update(1, key.id, { name: "taken", quota: nanoUsd(9) });

    expect(await reasonOf(refused)).toMatchObject({ code: "invalid_request" });
    expect(await keys.findOwn(1, key.id)).toEqual(before);
    expect(await keys.update(1, key.id, { name: "free", quota: nanoUsd(9) })).toMatchObject({
      key: { name: "free" },
      quota: 9,
    });
    expect(await storage.ledger.findAccount(`key:${key.id}`)).toMatchObject({ granted: 9 });
    expect(await verifyLedger(storage.db)).toEqual([]);
  });

  test("parallel creation of keys does not exceed the user's maximum", async () => {
    await using place = await openPlace();
    await using storage = await openWithRoot(place);
    const { keys } = storage;

    const made = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) =>
        keys.create({ userId: 1, name: `k${i}`, models: ["*"] }, 7),
      ),
    );

    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(7);
    expect((await keys.page(1, 0, 1)).total).toBe(7);
  });

  test("[A4.1-b] only the owner can see, change or delete a user's keys", async () => {
    await using place = await openPlace();
    await using storage = await openWithRoot(place);
    const other = await storage.users.create({ name: "other", role: "admin" });
    const { key, secret } = await storage.keys.create({ userId: 1, name: "k", models: ["*"] });
    const { keys } = storage;

    expect(await keys.findOwn(other.id, key.id)).toBeUndefined();
    expect(await keys.update(other.id, key.id, { status: 2, quota: nanoUsd(0) })).toBeUndefined();
    expect(await keys.deleteOwn(other.id, [key.id])).toEqual([]);
    expect(await keys.page(other.id, 0, 10)).toEqual({ items: [], total: 0 });
    expect(await keys.find(secret)).toEqual(key);
  });

  test("[A3.1-a] a deleted key stays deleted, even if it is updated and used in parallel", async () => {
    await using place = await openPlace();
    await using storage = await openWithRoot(place);
    const { keys } = storage;
    const draw = random(SEED);
    const pick = (count: number): number => Math.floor(draw() * count);
    const revived: string[] = [];

    for (let round = 0; round < times(60, 10_000); round++) {
      const { key, secret } = await keys.create({ userId: 1, name: `k${round}`, models: ["*"] });
      let isDeleted = false;
      const steps = Array.from({ length: 6 }, () => pick(5));
      const deleteAt = pick(6);
      const running = steps.map(async (step, i) => {
        if (i === deleteAt) {
          await keys.deleteOwn(1, [key.id]);
          isDeleted = true;
          return;
        }
        if (pick(2) === 0) await Promise.resolve();
        switch (step) {
          case 0:
            return void (await keys.update(1, key.id, { status: 1 }));
          case 1:
            return void (await keys.update(1, key.id, { status: 2, name: `k${round}-${i}` }));
          case 2:
            return void (await keys.update(1, key.id, { quota: nanoUsd(i) }));
          case 3:
            return void (await keys.setStatus(key.id, 1));
          default: {
            const wasDeleted = isDeleted;
            const found = await keys.find(secret);
            if (wasDeleted && found !== undefined) revived.push(`found in round ${round}`);
          }
        }
      });
      await Promise.all(running);

      if ((await keys.find(secret)) !== undefined) revived.push(`alive after round ${round}`);
      if ((await keys.update(1, key.id, { status: 1 })) !== undefined) revived.push("updated");
      if ((await keys.findOwn(1, key.id)) !== undefined) revived.push("listed");
    }

    expect(revived).toEqual([]);
    expect((await keys.page(1, 0, 1)).total).toBe(0);
    expect(await verifyLedger(storage.db)).toEqual([]);
  }, 600_000);
}

async function makeToken({ accessTokens }: Storage, userId: number): Promise<string> {
  return (await accessTokens.create({ userId, name: "program" }, 9)).secret;
}

/** What the third and every later migration added. */
const ADDED = {
  tables: [
    "sessions",
    "access_tokens",
    "kept_answers",
    "channels",
    "models",
    "recovery_codes",
    "identities",
    "audit",
    "usage_hours",
    "usage_labels",
    "usage_days",
    "usage_label_days",
    "usage_label_owners",
    "usage_totals",
    "key_usage",
    "settings",
    "tasks",
    "notices",
    "media",
    "assets",
    "identity_sessions",
    "catalog_rows",
    "channel_balances",
    "channel_states",
    "call_blocks",
    "call_terms",
    "channel_minutes",
    "invitation_uses",
    "invitations",
    "mail_links",
    "codes",
    "code_batches",
    "asset_groups",
    "call_contents",
    "alert_rules",
    "alert_destinations",
    "alerts",
    "alert_lease",
    "gateway_facts",
    "imported",
  ],
  indexes: [
    "users_email",
    "keys_old_digest",
    "users_by_group",
    "users_by_team",
    "ledger_grants_by_user_account",
    "ledger_grants_by_more_accounts",
    "calls_by_session",
  ],
  columns: {
    users: [
      ["email", "display_name", "password"],
      ["team_id", "group_id", "deleted_at"],
      ["totp_secret", "totp_step", "totp_pending", "totp_pending_until"],
      ["webhook_generation", "webhook_rotated_at"],
      ["is_team_owner", "is_service"],
      ["search"],
    ],
    keys: [
      ["networks", "requests_per_minute", "tokens_per_minute", "concurrency"],
      ["endpoints"],
      ["team_id"],
      ["content_log"],
      ["old_digest", "old_last4", "old_ends_at", "old_is_custom"],
      ["own_group_id"],
    ],
    accounts: [["raises"]],
    holds: [["more_accounts"]],
    ledger: [["more_accounts"]],
    calls: [
      ["long_cache_write_tokens", "rates"],
      ["image_input_tokens", "image_output_tokens", "images"],
      ["media_ms", "characters", "searches", "grade"],
      ["is_unpriced"],
      ["session_id", "agent_id", "parent_agent_id"],
      ["reference_images"],
      ["endpoint", "team_id", "group_id", "tags", "failed_channels"],
      ["refused_by"],
    ],
  },
  /** Others refer to them. */
  lastTables: ["teams", "budgets", "groups"],
};

/** The schema as it was before its third migration. */
async function undoAccounts(place: Place): Promise<void> {
  const db = await place.tamper();
  for (const table of ADDED.tables) await db.schema.dropTable(table).execute();
  for (const index of ADDED.indexes) await db.schema.dropIndex(index).execute();
  for (const [table, columns] of Object.entries(ADDED.columns)) {
    for (const column of columns.flat()) {
      await db.schema.alterTable(table).dropColumn(column).execute();
    }
  }
  for (const table of ADDED.lastTables) await db.schema.dropTable(table).execute();
  await sql`delete from sluice_migrations where name >= '0003'`.execute(db);
}

async function openWithRoot(place: Place, clock?: Clock): Promise<Storage> {
  const storage = await openAt(place.address, clock === undefined ? {} : { clock });
  await storage.users.ensureRoot();
  return storage;
}

function settableClock(): Clock & { pass(ms: number): void } {
  let passedMs = 0;
  return {
    now: () => Date.now() + passedMs,
    monotonic: () => performance.now() + passedMs,
    pass: (ms) => void (passedMs += ms),
  };
}
