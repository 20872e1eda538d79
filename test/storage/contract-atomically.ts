import { expect, test } from "bun:test";
import { credential } from "#core/channel.ts";
import { createSecret } from "#core/key.ts";
import { nanoUsd } from "#core/money.ts";
import type { UserChange } from "#core/user.ts";
import { newId, openAt, reasonOf, type Place } from "./contract-place.ts";

const CHANNEL = {
  name: "main",
  provider: "some-vendor",
  credentials: [credential("what-the-vendor-gave-us-obsidian")],
  models: { kind: "discover" },
  priority: 0,
  weight: 1,
  isEnabled: true,
  reach: "public",
} as const;

/** What both databases promise of changes to several stores at once. */
export function describeAtomically(openPlace: () => Promise<Place>): void {
  test("changes of several stores are committed together and visible to reads", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);

    await storage.atomically(async ({ settings, channels, models, groups, teams }) => {
      await settings.put("users.rpm", "5");
      const { id } = await channels.create(CHANNEL);
      await channels.update(id, () => ({ ...CHANNEL, priority: 7 }));
      await models.put("m", { contextTokens: 5 });
      await groups.create({ name: "gold" });
      const team = await teams.create({ name: "research", budgets: { day: nanoUsd(5) } }, "made");
      await teams.change(team.id, { budgets: { month: nanoUsd(9) } }, "changed");
    });

    expect(await storage.settings.list()).toEqual(new Map([["users.rpm", "5"]]));
    const [channel] = await storage.channels.list();
    expect(channel).toMatchObject({ name: "main", priority: 7, sealedCredentials: 0 });
    expect(channel?.credentials.map((each) => each.open())).toEqual([
      "what-the-vendor-gave-us-obsidian",
    ]);
    expect((await storage.models.list()).map(({ name }) => name)).toEqual(["m"]);
    expect((await storage.groups.list(0, 9)).map(({ name }) => name)).toEqual(["gold"]);
    const [team] = await storage.teams.list(0, 9);
    expect(await storage.teams.budgets()).toEqual(
      new Map([
        [
          team?.id ?? 0,
          [
            { owner: `team:${team?.id ?? 0}`, period: "month", amount: nanoUsd(9) },
            { owner: `team:${team?.id ?? 0}`, period: "day", amount: nanoUsd(5) },
          ],
        ],
      ]),
    );
  });

  test("if one of several changes fails, none is committed, and later ones work", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    await storage.groups.create({ name: "gold" });

    const reason = await reasonOf(
      storage.atomically(async ({ settings, channels, teams, groups }) => {
        await settings.put("users.rpm", "5");
        await channels.create(CHANNEL);
        await teams.create({ name: "research" }, "made");
        await groups.create({ name: "gold" });
      }),
    );

    expect(reason).toMatchObject({ code: "invalid_request" });
    expect(await storage.settings.list()).toEqual(new Map());
    expect(await storage.channels.list()).toEqual([]);
    expect(await storage.teams.list(0, 9)).toEqual([]);
    expect(await storage.routingVersion.read()).toBe("0");
    await storage.channels.create(CHANNEL);
    expect(await storage.routingVersion.read()).toBe("1");
  });

  test("a group and a budget apply to keys that were cached before", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const group = await storage.groups.create({ name: "gold" });
    const team = await storage.teams.create({ name: "research" }, "made");
    const keyOf = async (membership: UserChange): Promise<string> => {
      const user = await storage.users.create({ name: newId(), role: "user" });
      await storage.users.change(user.id, membership);
      const secret = createSecret();
      await storage.keys.create({ userId: user.id, name: "a", models: ["*"], secret });
      return secret;
    };
    const inGroup = await keyOf({ groupId: group.id });
    const inTeam = await keyOf({ teamId: team.id });
    const find = () =>
      Promise.all([inGroup, inTeam].map(async (each) => await storage.keys.find(each)));
    const before = await find();

    await storage.atomically(async ({ groups, teams }) => {
      await groups.change(group.id, { priceFactor: 5 });
      await teams.change(team.id, { budgets: { day: nanoUsd(1) } }, "changed");
      // As a call would, before any of this is so.
      expect(await find()).toEqual(before);
    });

    const [grouped, teamed] = await find();
    expect(grouped?.group?.priceFactor).toBe(5);
    expect(teamed?.budgets).toMatchObject([{ owner: `team:${team.id}`, period: "day", amount: 1 }]);
  });

  test("a parallel change of a group waits, and sees the first change", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { id } = await storage.groups.create({ name: "gold" });
    let other: Promise<unknown> = Promise.resolve();
    let isMade = false;

    await storage.atomically(async ({ groups }) => {
      other = storage.groups.change(id, { name: "silver" }).then(() => (isMade = true));
      // Time enough for it, if it did not wait.
      await Promise.race([other, Bun.sleep(100)]);
      expect(isMade).toBe(false);
      await groups.change(id, { priceFactor: 5 });
    });

    await other;
    expect(await storage.groups.find(id)).toMatchObject({ name: "silver", priceFactor: 5 });
  });
}
