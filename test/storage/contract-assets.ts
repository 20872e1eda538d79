import { expect, test } from "bun:test";
import type { Asset, AssetGroup } from "#core/asset.ts";
import type { IdentitySession } from "#core/identity-session.ts";
import { newId, openAt, type Place } from "./contract-place.ts";

/** What both databases promise of the asset library. */
export function describeAssets(openPlace: () => Promise<Place>): void {
  test("an asset of a vendor is in the library once, under a unique id", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { assets } = storage;
    const group = aGroup();
    const asset = anAsset(group);

    expect(await assets.addGroup(group)).toBe(true);
    expect(await assets.addGroup({ ...group, userId: 2 })).toBe(false);
    expect(await assets.addGroup({ ...group, id: "group-other", userId: 2 })).toBe(false);
    expect(await assets.add(asset)).toBe(true);
    expect(await assets.add({ ...asset, userId: 2 })).toBe(false);
    expect(await assets.add({ ...asset, id: "asset-other" })).toBe(false);

    expect(await assets.findGroup(1, group.id)).toEqual(group);
    expect(await assets.findGroupAt("ark", "up-group")).toEqual(group);
    expect(await assets.find(1, asset.id)).toEqual(asset);
    expect(await assets.stockOf(1)).toEqual({ groups: 1, assets: 1, bytes: 0 });
  });

  test("a user cannot find another user's groups and assets", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { assets } = storage;
    const group = aGroup();
    const asset = anAsset(group);
    await assets.addGroup(group);
    await assets.add(asset);

    expect(await assets.findGroup(2, group.id)).toBeUndefined();
    expect(await assets.find(2, asset.id)).toBeUndefined();
    expect(await assets.renameGroup(2, group.id, "mine", 9)).toBe(false);
    expect(await assets.rename(2, asset.id, "mine", 9)).toBe(false);
    expect(await assets.remove(2, asset.id)).toBe(false);
    expect((await assets.list({ userId: 2, skip: 0, limit: 10 })).total).toBe(0);
    expect(await assets.find(1, asset.id)).toEqual(asset);
  });

  test("[B3.2] a status can only follow 'pending': the second of two updates has no effect", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { assets } = storage;
    const group = aGroup();
    const asset = anAsset(group);
    await assets.addGroup(group);
    await assets.add(asset);
    const failure = { code: "DownloadFailed", message: "No." };

    const both = await Promise.all([
      assets.change(asset.id, { status: "active", updatedAt: 7 }),
      assets.change(asset.id, { status: "failed", failure, updatedAt: 8 }),
    ]);

    expect(both.filter((each) => each !== undefined)).toHaveLength(1);
    expect(await assets.change(asset.id, { status: "pending" })).toBeUndefined();
    expect(await assets.change(asset.id, { status: "failed" })).toBeUndefined();
    const link = { url: "https://cdn.example/a.png", endsAt: 99 };
    expect((await assets.change(asset.id, { link }))?.link).toEqual(link);
  });

  test("[B3.2] a removed asset cannot be found, and its row stays until it is purged", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { assets } = storage;
    const group = aGroup();
    const asset = anAsset(group);
    await assets.addGroup(group);
    await assets.add(asset);

    expect(await assets.remove(1, asset.id)).toBe(true);
    expect(await assets.remove(1, asset.id)).toBe(false);

    expect(await assets.find(1, asset.id)).toBeUndefined();
    expect(await assets.findAny(asset.id)).toBeUndefined();
    expect(await assets.change(asset.id, { status: "active" })).toBeUndefined();
    expect(await assets.lease(60_000, 10)).toEqual([]);
    expect(await assets.listRemoved(10)).toEqual([asset]);
    await assets.forget(asset.id);
    expect(await assets.listRemoved(10)).toEqual([]);
  });

  test("groups are listed with the number of their assets, and assets by kind", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { assets, identitySessions: sessions } = storage;
    const [first, second] = [aGroup(), aGroup({ place: { ...AT, upstreamId: "2" }, createdAt: 2 })];
    for (const group of [first, second, aGroup({ place: { ...AT, upstreamId: "3" }, userId: 2 })]) {
      await assets.addGroup(group);
    }
    const sound = anAsset(first, { type: "audio" });
    for (const asset of [anAsset(first), sound, anAsset(first)]) await assets.add(asset);
    await assets.remove(1, sound.id);
    const film = anAsset(second, { type: "video" });
    await assets.add(film);
    for (const userId of [1, 2, 1]) await sessions.add(aSession({ userId }));

    expect(await assets.listGroups(1, 0, 1)).toEqual({
      groups: [{ ...second, assets: 1 }],
      total: 2,
    });
    expect((await assets.listGroups(1, 1, 9)).groups).toEqual([{ ...first, assets: 2 }]);
    expect(await assets.list({ type: "video", skip: 0, limit: 9 })).toEqual({
      assets: [film],
      total: 1,
    });
    expect((await sessions.list(1, 0, 1)).total).toBe(2);
    expect((await sessions.list(undefined, 1, 9)).sessions).toHaveLength(2);
  });

  test("assets of a deleted user are removed with them", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    await storage.users.ensureRoot();
    const user = await storage.users.create({ name: newId(), role: "user" });
    const group = aGroup({ userId: user.id });
    const asset = anAsset(group);
    await storage.assets.addGroup(group);
    await storage.assets.add(asset);

    await storage.users.delete(user.id);

    expect(await storage.assets.listRemoved(10)).toEqual([asset]);
  });

  test("[B4.9-a] assets are listed newest first, page by page, with filters", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { assets } = storage;
    const group = aGroup();
    const people = kept(aGroup({ kind: "identity" }));
    await assets.addGroup(group);
    await assets.addGroup(people);
    for (let at = 1; at <= 5; at++) {
      await assets.add(
        anAsset(group, { createdAt: at, name: `cat ${at}`, status: at > 3 ? "active" : "pending" }),
      );
    }
    await assets.add(kept(anAsset(people, { createdAt: 6, name: "100%_dog" })));
    const all = { userId: 1, skip: 0, limit: 10 };
    const namesOf = async (more: object): Promise<readonly string[]> =>
      (await assets.list({ ...all, ...more })).assets.map(({ name }) => name);

    expect(await namesOf({ limit: 2 })).toEqual(["100%_dog", "cat 5"]);
    expect(await namesOf({ skip: 2, limit: 2 })).toEqual(["cat 4", "cat 3"]);
    expect((await assets.list({ ...all, skip: 100 })).total).toBe(6);
    expect(await namesOf({ groupIds: [people.id] })).toEqual(["100%_dog"]);
    expect(await namesOf({ groupKind: "identity" })).toEqual(["100%_dog"]);
    expect(await namesOf({ statuses: ["active"] })).toEqual(["cat 5", "cat 4"]);
    expect(await namesOf({ name: "%_" })).toEqual(["100%_dog"]);
    expect(await namesOf({ name: "_" })).toEqual(["100%_dog"]);
    expect(await namesOf({ groupIds: ["group-none"] })).toEqual([]);
  });

  test("a due pending asset is leased to one gateway at a time", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { assets } = storage;
    const group = aGroup();
    await assets.addGroup(group);
    const due = Array.from({ length: 6 }, () => anAsset(group));
    for (const each of due) await assets.add(each);
    await assets.add(anAsset(group, { dueAt: Date.now() + 3_600_000 }));
    await assets.add(anAsset(group, { status: "active" }));

    const [one, two] = await Promise.all([assets.lease(60_000, 4), assets.lease(60_000, 4)]);
    const rest = await assets.lease(60_000, 10);

    const ids = [...one, ...two, ...rest].map(({ id }) => id);
    expect(ids.toSorted()).toEqual(due.map(({ id }) => id).toSorted());
  });

  test("a pending asset of a busy user waits, and does not delay other users", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { assets } = storage;
    const group = kept(aGroup());
    const other = kept(aGroup({ userId: 2 }));
    const placed = aGroup();
    for (const each of [group, other, placed]) await assets.addGroup(each);
    const slow = kept(anAsset(group, { dueAt: 1 }));
    const quick = kept(anAsset(other, { dueAt: 2, userId: 2 }));
    const away = anAsset(placed, { dueAt: 3 });
    for (const each of [slow, quick, away]) await assets.add(each);
    const leased = async (users: number[], channels: string[]): Promise<readonly string[]> =>
      (await assets.lease(60_000, 1, { users, channels })).map(({ id }) => id);

    expect(await leased([1], [])).toEqual([quick.id]);
    expect(await leased([1], [AT.channel])).toEqual([]);
    expect(await leased([1, 2], [])).toEqual([away.id]);
    expect(await leased([2], [AT.channel])).toEqual([slow.id]);
  });

  test("[B4.9-d] if two requests complete one session, one succeeds and one group exists", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { identitySessions: sessions, assets } = storage;
    const session = aSession();
    await sessions.add(session);
    const one = aGroup({ kind: "identity" });
    const other = aGroup({ kind: "identity", place: { ...AT, upstreamId: "up-other" } });

    const both = await Promise.all([
      sessions.pass(session, one, { askAt: null }),
      sessions.pass(session, other, { askAt: null }),
    ]);

    expect(both.filter((each) => typeof each === "object")).toHaveLength(1);
    expect((await assets.stockOf(1)).groups).toBe(1);
    const passed = await sessions.findByToken(1, session.tokenDigest);
    expect(await assets.findGroup(1, passed?.groupId ?? "")).toBeDefined();
    expect(await sessions.pass(session, one, {})).toSatisfy((each) => typeof each !== "object");
  });

  test("[B4.9-d] a group belongs to one user", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { identitySessions: sessions, assets } = storage;
    await assets.addGroup(aGroup());
    const session = aSession({ userId: 2 });
    await sessions.add(session);

    expect(await sessions.pass(session, aGroup({ userId: 2 }), {})).toBe("taken");

    expect((await sessions.findByToken(2, session.tokenDigest))?.state).toBe("open");
  });

  test("a session is found by its user, by its return token, and if it is due", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { identitySessions: sessions } = storage;
    const session = aSession({ askAt: 5 });
    await sessions.add(session);

    expect(await sessions.findByToken(1, session.tokenDigest)).toEqual(session);
    expect(await sessions.findByToken(2, session.tokenDigest)).toBeUndefined();
    expect(await sessions.findByReturn(session.returnDigest)).toEqual(session);
    expect(await sessions.countOpen(1, 0)).toBe(1);
    expect(await sessions.countOpen(1, session.endsAt)).toBe(0);
    expect(await sessions.lease(60_000, 10, [session.userId])).toEqual([]);
    expect(await sessions.lease(60_000, 10, [session.userId + 1])).toEqual([session]);
    expect(await sessions.lease(60_000, 10)).toEqual([]);

    const { askAt: _, ...rest } = session;
    const quiet = await sessions.change(session, { askAt: null, state: "asking" });
    expect(quiet).toEqual({ ...rest, state: "asking", version: 2 });
    expect(await sessions.change(session, { askAt: 9 })).toBeUndefined();
    expect(await sessions.listUnresolved("ark", session.endsAt - 1)).toEqual([session.id]);
    expect(await sessions.listUnresolved("ark", session.endsAt)).toEqual([]);
    expect(await sessions.listUnresolved("other", 0)).toEqual([]);
    expect(await sessions.lease(60_000, 10)).toEqual([]);
    const noted = quiet && (await sessions.change(quiet, { notice: NOTICE }));
    expect(await sessions.lease(60_000, 10)).toEqual(noted === undefined ? [] : [noted]);
    expect(await sessions.prune(session.endsAt, 10)).toBe(0);
    expect(await sessions.prune(session.endsAt + 1, 10)).toBe(1);
  });
}

const AT = { channel: "ark", account: "...beef", upstreamId: "up-group" };

const NOTICE = {
  outcome: {
    resultCode: "10000",
    algorithmBaseRespCode: "0",
    reqMeasureInfoValue: "1",
    verifyType: "real_time",
  },
  attempts: 0,
  dueAt: 3,
};

function aGroup(more: Partial<AssetGroup> = {}): AssetGroup {
  return {
    id: `group-${newId()}`,
    userId: 1,
    place: AT,
    kind: "image",
    name: "Cats",
    description: "All of them.",
    createdAt: 1,
    updatedAt: 2,
    ...more,
  };
}

/** The same, here and with no vendor. */
function kept<T extends { readonly place?: unknown }>(one: T): Omit<T, "place"> {
  const { place: _, ...rest } = one;
  return rest;
}

function anAsset(group: AssetGroup, more: Partial<Asset> = {}): Asset {
  const id = `asset-${newId()}`;
  return {
    id,
    userId: group.userId,
    groupId: group.id,
    place: { ...AT, upstreamId: id },
    type: "image",
    name: "A cat",
    url: "https://example.com/cat.png",
    status: "pending",
    createdAt: 1,
    updatedAt: 1,
    dueAt: 2,
    looks: 0,
    ...more,
  };
}

function aSession(more: Partial<IdentitySession> = {}): IdentitySession {
  return {
    id: newId(),
    userId: 1,
    channel: "ark",
    account: "...beef",
    tokenDigest: newId(),
    returnDigest: newId(),
    sealed: "v1.abc",
    state: "open",
    createdAt: 1,
    endsAt: 1_000,
    asks: 0,
    returns: 0,
    version: 1,
    ...more,
  };
}
