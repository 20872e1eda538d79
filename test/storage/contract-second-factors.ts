import { expect, test } from "bun:test";
import type { Clock } from "#lib/clock.ts";
import { hotp, stepAt } from "#lib/totp.ts";
import { openAt, type Place } from "./contract-place.ts";
import type { Storage } from "#storage/open.ts";

const MINUTE_MS = 60_000;

/** What both databases promise of second factors. */
export function describeSecondFactors(openPlace: () => Promise<Place>): void {
  test("a second factor is active once its code was shown, within a quarter of an hour", async () => {
    await using place = await openPlace();
    const clock = standingClock();
    await using storage = await openWithRoot(place, clock);
    const { secondFactors, users, logins } = storage;
    const session = await logins.startSession(1);

    const replaced = await secondFactors.begin(1);
    const secret = await secondFactors.begin(1);
    expect(await secondFactors.confirm(1, codeOf(replaced, clock))).toBeUndefined();
    expect(await secondFactors.spend(1, codeOf(secret, clock))).toBe(false);
    clock.pass(15 * MINUTE_MS);
    expect(await secondFactors.confirm(1, codeOf(secret, clock))).toBeUndefined();
    expect(await users.find(1)).toMatchObject({ hasSecondFactor: false });
    const third = await secondFactors.begin(1);
    const codes = await secondFactors.confirm(1, codeOf(third, clock));

    expect(new Set(codes).size).toBe(10);
    expect(await users.find(1)).toMatchObject({ hasSecondFactor: true });
    expect(await logins.findBySession(session)).toBeUndefined();
    // What was typed to set it up is no login.
    expect(await secondFactors.spend(1, codeOf(third, clock))).toBe(false);
  });

  test("a code and a recovery code are valid once, also in parallel logins", async () => {
    await using place = await openPlace();
    const clock = standingClock();
    await using storage = await openWithRoot(place, clock);
    const { secret, codes } = await setUp(storage, clock);
    clock.pass(MINUTE_MS);
    const spend = (code: string): Promise<boolean> => storage.secondFactors.spend(1, code);

    for (const code of [codeOf(secret, clock), codes[3] ?? ""]) {
      const taken = await Promise.all(Array.from({ length: 8 }, () => spend(code)));
      expect(taken.filter(Boolean)).toHaveLength(1);
    }
    // The step before was good by itself, but is not after a later one.
    expect(await spend(codeOf(secret, clock, -1))).toBe(false);
    expect(await spend(codeOf(secret, clock, 1))).toBe(true);
    expect(await spend(` ${codes[4]?.toUpperCase().replaceAll("-", " ")} `)).toBe(true);
    expect(await spend(codes[5]?.slice(1) ?? "")).toBe(false);
  });

  test("without a second factor, codes and recovery codes are refused", async () => {
    await using place = await openPlace();
    const clock = standingClock();
    await using storage = await openWithRoot(place, clock);
    const { secret, codes } = await setUp(storage, clock);
    const session = await storage.logins.startSession(1, { isConfirmed: true });
    clock.pass(MINUTE_MS);

    expect(await storage.secondFactors.remove(1)).toBe(true);

    expect(await storage.secondFactors.remove(1)).toBe(false);
    expect(await storage.secondFactors.spend(1, codeOf(secret, clock))).toBe(false);
    expect(await storage.secondFactors.spend(1, codes[0] ?? "")).toBe(false);
    expect(await storage.users.find(1)).toMatchObject({ hasSecondFactor: false });
    expect(await storage.logins.findBySession(session)).toMatchObject({ isConfirmed: false });
  });

  test("the second factor of a deleted user is removed", async () => {
    await using place = await openPlace();
    const clock = standingClock();
    await using storage = await openWithRoot(place, clock);
    const { id } = await storage.users.create({ name: "ada", role: "user" });
    const { secret, codes } = await setUp(storage, clock, id);
    clock.pass(MINUTE_MS);

    await storage.users.delete(id);

    expect(await storage.secondFactors.spend(id, codeOf(secret, clock))).toBe(false);
    expect(await storage.secondFactors.spend(id, codes[0] ?? "")).toBe(false);
    expect(await storage.db.selectFrom("recovery_codes").selectAll().execute()).toEqual([]);
  });

  test("the database holds neither the secret nor the codes, and no user's secret works for another", async () => {
    await using place = await openPlace();
    const clock = standingClock();
    await using storage = await openWithRoot(place, clock);
    const { secret, codes } = await setUp(storage, clock);
    const other = await storage.users.create({ name: "other", role: "user" });

    const rows = await storage.db.selectFrom("users").selectAll().execute();
    const kept = JSON.stringify([
      rows,
      await storage.db.selectFrom("recovery_codes").selectAll().execute(),
    ]);
    for (const encoding of ["hex", "base64", "base64url"] as const) {
      expect(kept).not.toContain(Buffer.from(secret).toString(encoding));
    }
    for (const code of codes) {
      expect(kept).not.toContain(code);
      expect(kept).not.toContain(code.replaceAll("-", ""));
    }
    const { totp_secret, totp_step } = rows.find(({ id }) => id === 1) ?? {};
    await storage.db
      .updateTable("users")
      .set({ totp_secret: totp_secret ?? null, totp_step: totp_step ?? null })
      .where("id", "=", other.id)
      .execute();
    clock.pass(MINUTE_MS);
    const moved = storage.secondFactors.spend(other.id, codeOf(secret, clock));
    expect(await moved.catch((cause: unknown) => String(cause))).toContain("cannot be decrypted");
  });

  test("users list their sessions, and end all except the current one", async () => {
    await using place = await openPlace();
    const clock = standingClock();
    await using storage = await openWithRoot(place, clock);
    const { logins } = storage;
    const other = await storage.users.create({ name: "other", role: "user" });
    const others = await logins.startSession(other.id);
    const browser = { network: "203.0.113.0/24", userAgent: "Firefox" };
    const first = await logins.startSession(1, browser);
    const startedAt = clock.now();
    clock.pass(2 * MINUTE_MS);
    const second = await logins.startSession(1, { isConfirmed: true });
    clock.pass(MINUTE_MS);
    await logins.findBySession(second);

    const id = expect.any(String);
    const listed = await logins.listSessions(1, second);
    expect(listed).toEqual([
      { id, createdAt: startedAt + 2 * MINUTE_MS, seenAt: clock.now(), isOwn: true },
      { id, createdAt: startedAt, seenAt: startedAt, isOwn: false, ...browser },
    ]);
    const [, { id: firstId } = { id: "" }] = listed;
    expect(await logins.endSessionOf(other.id, firstId)).toBe(false);
    expect(await logins.endSessionOf(1, firstId)).toBe(true);
    expect(await logins.endSessionOf(1, firstId)).toBe(false);
    expect(await logins.findBySession(first)).toBeUndefined();
    const third = await logins.startSession(1);
    expect(await logins.endOtherSessions(1, second)).toBe(1);
    expect(await logins.findBySession(third)).toBeUndefined();
    expect(await logins.findBySession(second)).toMatchObject({ isConfirmed: true });
    expect(await logins.findBySession(others)).toMatchObject({ isConfirmed: false });
    expect(await logins.endOtherSessions(1, undefined)).toBe(1);
  });
}

async function setUp({ secondFactors }: Storage, clock: Clock, userId = 1) {
  const secret = await secondFactors.begin(userId);
  const codes = await secondFactors.confirm(userId, codeOf(secret, clock));
  if (codes === undefined) throw new Error("The code was not taken.");
  return { secret, codes };
}

function codeOf(secret: Uint8Array, clock: Clock, stepsAhead = 0): string {
  return hotp(secret, stepAt(clock.now()) + stepsAhead);
}

async function openWithRoot(place: Place, clock: Clock): Promise<Storage> {
  const storage = await openAt(place.address, { clock });
  await storage.users.ensureRoot();
  return storage;
}

function standingClock(): Clock & { pass(ms: number): void } {
  let now = Date.now();
  return {
    now: () => now,
    monotonic: () => now,
    pass: (ms) => void (now += ms),
  };
}
