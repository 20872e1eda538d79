import { spendOfKeys } from "#storage/journal/spend.ts";
import { expect, test } from "bun:test";
import { nanoUsd } from "#core/money.ts";
import type { Storage } from "#storage/open.ts";
import { verifyLedger } from "#storage/accounts/verify-ledger.ts";
import { newId, openAt, reasonOf, recordOf, type Place } from "./contract-place.ts";

/** What both databases promise of members of teams, of searches, and of spending in lists. */
export function describeMembers(openPlace: () => Promise<Place>): void {
  test("a team is created with its members and their budgets, or not at all", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { teams, quotas } = storage;
    const [ada = 0, bob = 0] = await usersOf(storage, ["ada", "bob"]);
    const members = [
      { userId: bob, isOwner: true },
      { userId: ada, budgets: { month: nanoUsd(5) } },
    ];

    const team = await teams.create({ name: "red", members }, "made");
    const again = await reasonOf(teams.create({ name: "red", members: [{ userId: ada }] }, "x"));

    expect(again).toMatchObject({ code: "invalid_request" });
    expect(await teams.members(team.id, { limit: 9 })).toMatchObject([
      { id: ada, teamId: team.id },
      { id: bob, teamId: team.id, isTeamOwner: true },
    ]);
    expect(await quotas.budgets(`member:${team.id}-${ada}`)).toMatchObject([
      { budget: { period: "month", amount: 5 } },
    ]);
    expect(await verifyLedger(storage.db)).toEqual([]);
  });

  test("members change together, and keep the role that a change does not name", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { teams } = storage;
    const [ada = 0, bob = 0, cy = 0] = await usersOf(storage, ["ada", "bob", "cy"]);
    const red = await teams.create({ name: "red", members: [{ userId: ada, isOwner: true }] }, "x");
    const blue = await teams.create(
      { name: "blue", members: [{ userId: bob, isOwner: true }] },
      "x",
    );

    const all = [ada, bob, cy].map((userId) => ({ userId }));
    await teams.putMembers(red.id, all, "all");

    // An owner of another team joins as a member.
    const roles = async () =>
      (await teams.members(red.id, { limit: 9 })).map(({ name, isTeamOwner = false }) => {
        return `${name} ${isTeamOwner}`;
      });
    expect(await roles()).toEqual(["ada true", "bob false", "cy false"]);
    expect(await teams.members(blue.id, { limit: 9 })).toEqual([]);
    expect(await teams.removeMembers(red.id, [bob, cy, 4_711])).toEqual([bob, cy]);
    expect(await teams.removeMembers(red.id, [])).toEqual([]);
    expect(await roles()).toEqual(["ada true"]);
  });

  test("a member is charged to the team from the next call on, and no more after leaving", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { teams, keys } = storage;
    const [ada = 0] = await usersOf(storage, ["ada"]);
    const { secret } = await keys.create({ userId: ada, name: "own", models: ["*"] });
    const accounts = async () => (await keys.find(secret))?.accounts;
    expect(await accounts()).toEqual([`user:${ada}`]);

    const { id } = await teams.create({ name: "red", members: [{ userId: ada }] }, "made");
    expect(await accounts()).toEqual([`user:${ada}`, `team:${id}`]);
    await teams.removeMembers(id, [ada]);
    expect(await accounts()).toEqual([`user:${ada}`]);
    await teams.putMembers(id, [{ userId: ada }], "back");
    expect(await accounts()).toEqual([`user:${ada}`, `team:${id}`]);
  });

  test("a deleted team leaves no budgets of members to a later team", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { teams, quotas } = storage;
    const [ada = 0] = await usersOf(storage, ["ada"]);
    const budgets = { day: nanoUsd(1) };
    const red = await teams.create({ name: "red", members: [{ userId: ada, budgets }] }, "made");

    await teams.removeMembers(red.id, [ada]);
    await teams.delete(red.id);

    expect(await quotas.budgets(`member:${red.id}-${ada}`)).toEqual([]);
  });

  test("users and teams are found by a part of their names, in any script and case", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { users, teams } = storage;
    await users.create({ name: "ada", email: "ada@example.com", role: "user" });
    for (const [i, displayName] of NAMES.entries()) {
      // A random name might contain what is searched for.
      await users.create({ name: `user-${i}`, displayName, role: "user" });
      await teams.create({ name: displayName }, "made");
    }

    for (const [search, found] of SEARCHES) {
      const names = (await users.list(0, 100, { search })).map(({ displayName }) => displayName);
      expect([search, ...names]).toEqual([search, ...found]);
      const ofTeams = (await teams.list(0, 100, search)).map(({ name }) => name);
      expect([search, ...ofTeams]).toEqual([search, ...found.filter((name) => name !== "ada")]);
    }
    const first = await teams.list(0, 2, "a");
    expect(first.map(({ name }) => name)).toEqual(["Straße", "a_b"]);
    expect(await teams.list(first[0]?.id ?? 0, 2, "a")).toEqual(first.slice(1));
  });

  test("users are listed by role, status, group and team", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { users, teams, groups } = storage;
    const group = await groups.create({ name: "partners" });
    const team = await teams.create({ name: "red" }, "made");
    const { id: ada } = await users.create({ name: "ada", role: "auditor", groupId: group.id });
    const [bob = 0] = await usersOf(storage, ["bob"]);
    await teams.putMembers(team.id, [{ userId: bob, budgets: {} }], "made");
    await users.change(ada, { isEnabled: false });

    expect(await users.list(0, 9, { groupId: group.id })).toMatchObject([{ id: ada }]);
    expect(await users.list(0, 9, { teamId: team.id })).toMatchObject([{ id: bob }]);
    expect(await users.list(0, 9, { role: "auditor", search: "a" })).toMatchObject([{ id: ada }]);
    expect(await users.list(0, 9, { isEnabled: false })).toMatchObject([{ id: ada }]);
    expect(await users.list(0, 9, { isEnabled: true, groupId: group.id })).toEqual([]);
  });

  test("a search follows changed names and forgets deleted users", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { users, teams } = storage;
    const [ada = 0] = await usersOf(storage, ["ada"]);
    const team = await teams.create({ name: "red" }, "made");

    await users.change(ada, { displayName: "Ada L." });
    await teams.change(team.id, { name: "赤" }, "x");

    expect(await users.list(0, 9, { search: "ada l." })).toMatchObject([{ id: ada }]);
    expect(await teams.list(0, 9, "red")).toEqual([]);
    expect(await teams.list(0, 9, "赤")).toMatchObject([{ id: team.id }]);
    await users.delete(ada);
    expect(await users.list(0, 9, { search: "ada" })).toEqual([]);
  });

  test("a key of the configuration has a user, a team and budgets, and follows the file", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { keys, teams, quotas } = storage;
    const [ada = 0, bob = 0] = await usersOf(storage, ["ada", "bob"]);
    const red = await teams.create({ name: "red" }, "made");
    const blue = await teams.create({ name: "blue", members: [{ userId: ada }] }, "made");
    const secret = "a-secret-of-the-file-0123456789";
    const entry = { name: "ci", secret, models: ["*"], userId: ada, teamId: red.id };
    const budgets = { day: nanoUsd(5), month: { amount: nanoUsd(9), startDay: 15 } };

    const { id } = await keys.syncNamed({ ...entry, budgets });

    const found = async () => await keys.find(secret);
    expect(await found()).toMatchObject({
      id,
      userId: ada,
      teamId: red.id,
      accounts: [`user:${ada}`, `team:${red.id}`],
      budgets: [
        { period: "month", amount: 9 },
        { period: "day", amount: 5 },
      ],
    });
    expect(await reasonOf(teams.delete(red.id))).toMatchObject({ code: "invalid_request" });
    // Without budgets in the file, those that were set otherwise stay.
    await keys.update(ada, id, { budgets: { day: nanoUsd(7) } });
    await keys.syncNamed(entry);
    expect(await quotas.budgets(`key:${id}`)).toHaveLength(2);
    await keys.syncNamed({ ...entry, budgets: { day: null, month: null } });
    expect(await quotas.budgets(`key:${id}`)).toEqual([]);

    // Another user, and the user's own team.
    const { teamId: _, ...alone } = entry;
    expect(await keys.syncNamed({ ...alone, userId: bob })).toMatchObject({ id, userId: bob });
    expect(await found()).toMatchObject({ accounts: [`user:${bob}`] });
    await keys.syncNamed(alone);
    expect(await found()).toMatchObject({ accounts: [`user:${ada}`, `team:${blue.id}`] });
    await keys.syncNamed(entry);
    await keys.delete(id);
    expect(await teams.delete(red.id)).toBe(true);
    expect(await verifyLedger(storage.db)).toEqual([]);
  });

  test("spending of keys, users and teams counts calls before and after they are summed", async () => {
    await using place = await openPlace();
    const now = Date.parse("2026-11-20T12:00:00Z");
    const clock = { now: () => now, monotonic: () => performance.now() };
    await using storage = await openAt(place.address, { clock });
    const { teams, usage } = storage;
    const [ada = 0, bob = 0] = await usersOf(storage, ["ada", "bob"]);
    const { id } = await teams.create({ name: "red", members: [{ userId: ada }] }, "made");
    const days = ["2026-10-31", "2026-11-01", "2026-11-19", "2026-11-20"];
    for (const [i, day] of days.entries()) {
      const cost = nanoUsd(10 ** i);
      for (const [userId, keyId] of [
        [ada, 1],
        [bob, 2],
      ] as const) {
        const record = { ...recordOf(newId(), cost), userId, keyId, cost };
        storage.journal.write({ ...record, at: Date.parse(`${day}T08:30:00Z`) });
      }
    }
    await storage.ping();

    const expected = { day: nanoUsd(1_000), month: nanoUsd(1_110) };
    const total = nanoUsd(1_111);
    const check = async (): Promise<void> => {
      expect(await usage.spend("key", [1, 3], now)).toEqual(new Map([[1, expected]]));
      const ofKeys = await spendOfKeys(storage.db, [1, 3], now);
      expect(ofKeys).toEqual(new Map([[1, { ...expected, total }]]));
      expect(await usage.spend("user", [ada, bob], now)).toEqual(
        new Map([
          [ada, expected],
          [bob, expected],
        ]),
      );
      expect(await usage.spend("team", [id, 99], now)).toEqual(new Map([[id, expected]]));
      expect(await usage.spend("team", [], now)).toEqual(new Map());
    };
    await check();
    await usage.sum(5);
    await check();
    await usage.sum(100);
    await check();
  });
}

async function usersOf({ users }: Storage, names: readonly string[]): Promise<number[]> {
  await users.ensureRoot();
  const made: number[] = [];
  for (const name of names) made.push((await users.create({ name, role: "user" })).id);
  return made;
}

const NAMES = ["Иван Петров", "山田 花子", "Straße", "100% sure", "a_b"];

const SEARCHES: readonly (readonly [search: string, found: readonly string[]])[] = [
  ["иван", ["Иван Петров"]],
  ["ПЕТР", ["Иван Петров"]],
  ["山田", ["山田 花子"]],
  ["ａｄａ", ["ada"]],
  ["STRASSE", []],
  ["straße", ["Straße"]],
  ["100%", ["100% sure"]],
  ["%", ["100% sure"]],
  ["_", ["a_b"]],
  ["\\", []],
  ["@example", ["ada"]],
  ["", ["ada", ...NAMES]],
];
