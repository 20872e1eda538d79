import { expect, test } from "bun:test";
import type { GroupDraft } from "#core/group.ts";
import type { GradedRates } from "#core/money.ts";
import { times } from "#test/seed.ts";
import { newId, openAt, reasonOf, type Place } from "./contract-place.ts";
import type { Storage } from "#storage/open.ts";

const RATES: GradedRates = {
  input: 1,
  output: 2,
  cachedInput: 0,
  imageOutput: 3,
  image: 4,
  second: 5,
  character: 6,
  search: 7,
  grades: { "4K": { image: 8 }, "1080p audio": { second: 9, output: 0 } },
};

const FULL: GroupDraft = {
  name: "gold",
  models: ["gpt-4o*"],
  channels: ["main"],
  priceFactor: 1_250,
  prices: new Map([["gpt-4o", RATES]]),
  limits: { requestsPerMinute: 1, tokensPerMinute: 2, concurrency: 3 },
  sharedLimits: { requestsPerMinute: 4, tokensPerMinute: 5, concurrency: 6 },
};

/** What both databases promise of groups of users. */
export function describeGroups(openPlace: () => Promise<Place>): void {
  test("a group keeps its settings, and a group without settings has no limits", async () => {
    await using place = await openPlace();
    await using storage = await openWithRoot(place);

    const { id } = await storage.groups.create(FULL);
    const open = await storage.groups.create({ name: "open" });

    const { prices, ...fields } = FULL;
    const found = await storage.groups.find(id);
    expect(found).toMatchObject(fields);
    expect([...(found?.prices ?? [])]).toEqual([
      [
        "gpt-4o",
        {
          ...RATES,
          source: "the group 'gold'",
          date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        },
      ],
    ]);
    expect(prices?.size).toBe(1);
    expect(open).toEqual({
      id: open.id,
      name: "open",
      priceFactor: 1_000,
      prices: new Map(),
      createdAt: open.createdAt,
    });
    expect((await storage.groups.list(0, 10)).map((each) => each.name)).toEqual(["gold", "open"]);
    expect((await storage.groups.list(id, 10)).map((each) => each.name)).toEqual(["open"]);
  });

  test("a group update changes only the named fields; null removes a limit", async () => {
    await using place = await openPlace();
    await using storage = await openWithRoot(place);
    const { id } = await storage.groups.create(FULL);

    const changed = await storage.groups.change(id, {
      models: null,
      priceFactor: 0,
      limits: { tokensPerMinute: null },
      sharedLimits: { concurrency: 7 },
    });

    expect(changed).not.toHaveProperty("models");
    expect(changed).toMatchObject({
      name: "gold",
      channels: ["main"],
      priceFactor: 0,
      sharedLimits: { requestsPerMinute: 4, tokensPerMinute: 5, concurrency: 7 },
    });
    expect(changed?.limits).toEqual({ requestsPerMinute: 1, concurrency: 3 });
    expect(changed?.prices.size).toBe(1);
    expect(await storage.groups.change(id + 1, { priceFactor: 1 })).toBeUndefined();
  });

  test("group names are unique", async () => {
    await using place = await openPlace();
    await using storage = await openWithRoot(place);
    await storage.groups.create({ name: "gold" });
    const { id } = await storage.groups.create({ name: "silver" });

    // One after the other: a refusal that comes before it is awaited would be unhandled.
    for (const take of [
      () => storage.groups.create({ name: "gold" }),
      () => storage.groups.change(id, { name: "gold" }),
    ]) {
      expect(await reasonOf(take())).toMatchObject({ code: "invalid_request", param: "name" });
    }
  });

  test("a key is found with the current group of its user", async () => {
    await using place = await openPlace();
    await using storage = await openWithRoot(place);
    const { users, groups, keys } = storage;
    const gold = await groups.create({ name: "gold", priceFactor: 500 });
    const silver = await groups.create({ name: "silver" });
    const ada = await users.create({ name: "ada", role: "user", groupId: gold.id });
    const { key, secret } = await keys.create({ userId: ada.id, name: "k", models: ["*"] });

    expect(ada.groupId).toBe(gold.id);
    expect(await keys.find(secret)).toEqual({ ...key, group: gold });

    await groups.change(gold.id, { priceFactor: 700, channels: ["main"] });
    expect((await keys.find(secret))?.group).toMatchObject({
      priceFactor: 700,
      channels: ["main"],
    });

    const moved = await users.change(ada.id, { groupId: silver.id });
    expect(moved?.groupId).toBe(silver.id);
    expect((await keys.find(secret))?.group).toEqual(silver);

    await groups.change(gold.id, { priceFactor: 900 });
    expect((await keys.find(secret))?.group).toEqual(silver);

    expect(await users.change(ada.id, { groupId: null })).not.toHaveProperty("groupId");
    expect(await keys.find(secret)).toEqual(key);
  });

  test("keys of one group share one group object in memory", async () => {
    await using place = await openPlace();
    await using storage = await openWithRoot(place);
    const { id: groupId } = await storage.groups.create(FULL);
    const found = [];
    for (const name of ["ada", "bob"]) {
      const { id } = await storage.users.create({ name, role: "user", groupId });
      const { secret } = await storage.keys.create({ userId: id, name: "k", models: ["*"] });
      found.push((await storage.keys.find(secret))?.group);
    }

    expect(found[0]).toBeDefined();
    expect(found[1]).toBe(found[0] as never);
  });

  test("a user cannot be put into a group that does not exist", async () => {
    await using place = await openPlace();
    await using storage = await openWithRoot(place);
    const ada = await storage.users.create({ name: "ada", role: "user" });

    for (const putting of [
      storage.users.create({ name: "bob", role: "user", groupId: 99 }),
      storage.users.change(ada.id, { groupId: 99, displayName: "Ada" }),
    ]) {
      expect(await reasonOf(putting)).toMatchObject({ code: "invalid_request", param: "group_id" });
    }
    expect((await storage.users.list(0, 10)).map((each) => each.displayName)).toEqual([
      "root",
      "ada",
    ]);
  });

  test("a group can be deleted only if it has no users", async () => {
    await using place = await openPlace();
    await using storage = await openWithRoot(place);
    const { id } = await storage.groups.create({ name: "gold" });
    const ada = await storage.users.create({ name: "ada", role: "user", groupId: id });

    expect(await reasonOf(storage.groups.delete(id))).toMatchObject({ code: "invalid_request" });
    await storage.users.change(ada.id, { groupId: null });

    expect(await storage.groups.delete(id)).toBe(true);
    expect(await storage.groups.delete(id)).toBe(false);
    expect(await storage.groups.find(id)).toBeUndefined();
  });

  test("no user is in a deleted group, even if deletions and moves run in parallel", async () => {
    await using place = await openPlace();
    await using storage = await openWithRoot(place);
    const { groups, users, keys } = storage;
    const ada = await users.create({ name: "ada", role: "user" });
    const { secret } = await keys.create({ userId: ada.id, name: "k", models: ["*"] });

    for (let round = 0; round < times(10, 200); round++) {
      const { id } = await groups.create({ name: newId() });
      await keys.find(secret);
      const [deleted] = await Promise.all([
        groups.delete(id).catch(() => false),
        users.change(ada.id, { groupId: id }).catch(() => undefined),
      ]);

      const isInIt = (await users.find(ada.id))?.groupId === id;
      expect(isInIt).toBe(!deleted);
      expect((await keys.find(secret))?.group?.id === id).toBe(isInIt);
    }
  }, 60_000);
}

async function openWithRoot(place: Place): Promise<Storage> {
  const storage = await openAt(place.address);
  await storage.users.ensureRoot();
  return storage;
}
