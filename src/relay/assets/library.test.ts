import { describe, expect, test } from "bun:test";
import type { Asset, AssetGroup, AssetPlace } from "#core/asset.ts";
import { GatewayError } from "#core/error.ts";
import { assetLibrary, libraryChannel, type LibraryRequest } from "#test/asset-library.ts";
import { reasonOf } from "#test/storage/contract-place.ts";
import { Library, withFreeId } from "./library.ts";

const NOW = Date.UTC(2026, 0, 1);
const CHANNEL = libraryChannel();
const PLACE: Omit<AssetPlace, "upstreamId"> = {
  channel: "ark",
  account: CHANNEL.credentials[0]?.label ?? "",
};
const GROUP: AssetGroup = {
  id: "group-1",
  userId: 1,
  kind: "image",
  name: "Cats",
  description: "",
  createdAt: NOW,
  updatedAt: NOW,
};
const ASSET: Asset = {
  id: "asset-1",
  userId: 1,
  groupId: "group-1",
  type: "image",
  name: "A cat",
  url: "https://example.com/cat.png",
  status: "active",
  createdAt: NOW,
  updatedAt: NOW,
  dueAt: NOW,
  looks: 0,
};
const DRAFT = { groupId: "group-1", url: ASSET.url, type: ASSET.type, name: ASSET.name };
const AT_VENDOR = { ...PLACE, upstreamId: "up-1" };

interface Scene {
  readonly answer?: Parameters<typeof assetLibrary>[0];
  readonly stock?: { readonly groups?: number; readonly assets?: number };
  /** Ids that are not free. */
  readonly taken?: readonly string[];
  readonly ownLink?: string;
  readonly hasNoChannel?: true;
}

const MADE = ({ action }: LibraryRequest) =>
  action.startsWith("Create") ? { result: { Id: "up-1" } } : { result: { Status: "Active" } };

/** A user's library of one group and some assets, in memory. */
function scene(
  { place, assets = [] }: { place?: AssetPlace; assets?: readonly Asset[] } = {},
  { answer = MADE, stock = {}, taken = [], ownLink, hasNoChannel }: Scene = {},
) {
  const library = assetLibrary(answer);
  const done: unknown[][] = [];
  const note = async (...what: readonly unknown[]): Promise<boolean> => {
    done.push([...what]);
    return true;
  };
  const add = async (one: AssetGroup | Asset): Promise<boolean> =>
    !taken.includes(one.id) && (await note("add", one));
  const group = { ...GROUP, ...(place && { place }) };
  const deps = {
    egress: library.egress,
    listChannels: () => (hasNoChannel === true ? [] : [CHANNEL]),
    clock: { now: () => NOW, monotonic: () => NOW },
    limits: { assets: 3, assetGroups: 2 },
    links: { check: (url: string, param: string) => done.push(["check", url, param]) },
    ownLinkTo: () => ownLink,
    assets: {
      stockOf: async () => ({ groups: 0, assets: 0, bytes: 0, ...stock }),
      addGroup: add,
      add,
      findGroup: async (userId: number, id: string) =>
        userId === 1 && id === group.id ? group : undefined,
      find: async (userId: number, id: string) =>
        userId === 1 ? assets.find((each) => each.id === id) : undefined,
      list: async () => ({ assets, total: 7 }),
      change: async (id: string, change: object) => {
        const asset = assets.find((each) => each.id === id);
        return { ...asset, ...change };
      },
      renameGroup: (...what: readonly unknown[]) => note("renameGroup", ...what),
      rename: (...what: readonly unknown[]) => note("rename", ...what),
      remove: (...what: readonly unknown[]) => note("remove", ...what),
    },
  };
  return { library: new Library(deps as never), vendor: library, done };
}

const quotaError = (message: string): unknown =>
  expect.objectContaining({
    code: "invalid_request",
    message,
    details: { Code: "QuotaExceeded" },
  });

describe("a new group", () => {
  const draft = { name: "Cats", description: "All of them.", isOwn: false };

  test("is created at the vendor, and gets the vendor's id", async () => {
    const { library, vendor, done } = scene();
    const group = await library.createGroup(1, draft);

    expect(group).toEqual({
      id: "up-1",
      userId: 1,
      place: AT_VENDOR,
      kind: "image",
      name: "Cats",
      description: "All of them.",
      createdAt: NOW,
      updatedAt: NOW,
    });
    expect(done).toEqual([["add", group]]);
    expect(vendor.asked[0]?.body).toMatchObject({ Name: "Cats", Description: "All of them." });
  });

  test("is stored by the gateway alone on request, or if no vendor has a library", async () => {
    const wanted = scene();
    const group = await wanted.library.createGroup(1, { ...draft, isOwn: true });
    expect(group).not.toHaveProperty("place");
    expect(group.id).toMatch(/^group-[0-9A-Za-z]{24}$/);
    expect(wanted.vendor.asked).toEqual([]);

    const { library } = scene({}, { hasNoChannel: true });
    expect(await library.createGroup(1, draft)).not.toHaveProperty("place");
  });

  test("is refused at the user's limit, before the upstream call", async () => {
    const { library, vendor } = scene({}, { stock: { groups: 2 } });

    expect(await reasonOf(library.createGroup(1, draft))).toEqual(
      quotaError("A user may have at most 2 groups."),
    );
    expect(vendor.asked).toEqual([]);
    const below = scene({}, { stock: { groups: 1 } });
    expect(await below.library.createGroup(1, draft)).toMatchObject({ id: "up-1" });
  });
});

describe("a new asset", () => {
  test("is created in its group at the vendor, and is polled after two seconds", async () => {
    const { library, vendor, done } = scene({ place: { ...PLACE, upstreamId: "up-group" } });
    const asset = await library.create(1, DRAFT);

    expect(asset).toEqual({
      ...DRAFT,
      id: "up-1",
      userId: 1,
      place: AT_VENDOR,
      status: "pending",
      createdAt: NOW,
      updatedAt: NOW,
      dueAt: NOW + 2_000,
      looks: 0,
    });
    expect(done).toEqual([
      ["check", ASSET.url, "URL"],
      ["add", asset],
    ]);
    expect(vendor.asked[0]?.body).toMatchObject({
      GroupId: "up-group",
      URL: ASSET.url,
      AssetType: "Image",
      Name: "A cat",
    });
  });

  test("of a group that the gateway stores is downloaded at once", async () => {
    const { library, vendor } = scene();
    const asset = await library.create(1, DRAFT);

    expect(asset).toMatchObject({ dueAt: NOW, id: expect.stringMatching(/^asset-\w{24}$/) });
    expect(asset).not.toHaveProperty("place");
    expect(vendor.asked).toEqual([]);
  });

  test("is refused at the user's limit, before the upstream call", async () => {
    const place = AT_VENDOR;
    const { library, vendor } = scene({ place }, { stock: { assets: 3 } });

    expect(await reasonOf(library.create(1, DRAFT))).toEqual(
      quotaError("A user may have at most 3 assets."),
    );
    expect(vendor.asked).toEqual([]);
    const below = scene({ place }, { stock: { assets: 2 } });
    expect(await below.library.create(1, DRAFT)).toMatchObject({ id: "up-1" });
  });

  test("is refused for a group of another user", async () => {
    expect(await reasonOf(scene().library.create(2, DRAFT))).toMatchObject({
      code: "invalid_request",
      param: "GroupId",
      message: "GroupId names no group of yours",
    });
  });
});

describe("an id", () => {
  const idWithout = (...taken: readonly string[]) =>
    withFreeId("asset", "up-1", async (id) => (taken.includes(id) ? undefined : id));

  test("is the vendor's, or one of the gateway's if another user has that", async () => {
    expect(await idWithout()).toBe("up-1");
    expect(await idWithout("up-1")).toMatch(/^asset-\w{24}$/);
  });

  test("that the vendor uses twice is the vendor's failure", async () => {
    expect(await reasonOf(withFreeId("group", "up-1", async () => undefined))).toMatchObject({
      code: "upstream_failed",
      message: "The upstream returned an id that it has already used.",
    });
  });
});

describe("a new name", () => {
  test("of a group or an asset at the vendor is sent to the vendor first", async () => {
    const assets = [{ ...ASSET, place: AT_VENDOR }];
    const { library, vendor, done } = scene({ place: AT_VENDOR, assets });
    await library.renameGroup(1, "group-1", "Dogs");
    await library.rename(1, "asset-1", "A dog");

    expect(vendor.asked.map(({ action, body }) => [action, body["Id"], body["Name"]])).toEqual([
      ["UpdateAssetGroup", "up-1", "Dogs"],
      ["UpdateAsset", "up-1", "A dog"],
    ]);
    expect(done).toEqual([
      ["renameGroup", 1, "group-1", "Dogs", NOW],
      ["rename", 1, "asset-1", "A dog", NOW],
    ]);
  });

  test("of objects that the gateway stores is told no vendor", async () => {
    const { library, vendor, done } = scene({ assets: [ASSET] });
    await library.renameGroup(1, "group-1", "Dogs");
    await library.rename(1, "asset-1", "A dog");

    expect(vendor.asked).toEqual([]);
    expect(done).toHaveLength(2);
  });

  test("that the vendor refuses is not stored here either", async () => {
    const answer = () => Promise.reject(new GatewayError("upstream_failed", "No."));
    const assets = [{ ...ASSET, place: AT_VENDOR }];
    const { library, done } = scene({ place: AT_VENDOR, assets }, { answer });

    for (const renaming of [
      library.renameGroup(1, "group-1", "Dogs"),
      library.rename(1, "asset-1", "A dog"),
    ]) {
      expect(await reasonOf(renaming)).toMatchObject({ code: "upstream_failed" });
    }
    expect(done).toEqual([]);
  });
});

describe("the deletion of an asset", () => {
  const assets = [{ ...ASSET, place: AT_VENDOR }];

  test("deletes it at the vendor first, and then here", async () => {
    const { library, vendor, done } = scene({ assets });
    await library.remove(1, "asset-1");

    expect(vendor.asked.map(({ action, body }) => [action, body["Id"]])).toEqual([
      ["DeleteAsset", "up-1"],
    ]);
    expect(done).toEqual([["remove", 1, "asset-1"]]);
  });

  test("succeeds if the vendor no longer has it, and fails with any other error", async () => {
    const gone = scene({ assets }, { answer: () => ({ status: 404, failure: "NotFound" }) });
    await gone.library.remove(1, "asset-1");
    expect(gone.done).toHaveLength(1);

    const answer = () => Promise.reject(new GatewayError("upstream_failed", "No."));
    const failing = scene({ assets }, { answer });
    expect(await reasonOf(failing.library.remove(1, "asset-1"))).toMatchObject({
      code: "upstream_failed",
    });
    expect(failing.done).toEqual([]);
  });

  test("makes no upstream call if the gateway stores the asset", async () => {
    const { library, vendor, done } = scene({ assets: [ASSET] });
    await library.remove(1, "asset-1");

    expect(vendor.asked).toEqual([]);
    expect(done).toEqual([["remove", 1, "asset-1"]]);
  });
});

test("another user's group and asset are unknown, as are those that do not exist", async () => {
  const { library } = scene({ assets: [ASSET] });
  const { library: another } = scene({ assets: [{ ...ASSET, id: "asset-2" }] });

  for (const [reading, kind] of [
    [library.getGroup(2, "group-1"), "group"],
    [library.getGroup(1, "group-2"), "group"],
    [library.get(2, "asset-1"), "asset"],
    [another.get(1, "asset-1"), "asset"],
    [another.rename(1, "asset-1", "x"), "asset"],
    [another.remove(1, "asset-1"), "asset"],
  ] as const) {
    expect(await reasonOf(reading)).toMatchObject({ message: `Id names no ${kind} of yours` });
  }
  expect(await library.getGroup(1, "group-1")).toMatchObject({ name: "Cats" });
});

describe("a user who reads", () => {
  const link = { url: "https://vendor.example/cat.png", endsAt: NOW + 1 };
  const due = { ...ASSET, place: AT_VENDOR, status: "pending", dueAt: NOW - 10_000 } as const;

  test("an asset gets its newest state", async () => {
    const { library } = scene({ assets: [due] });

    expect(await library.get(1, "asset-1")).toMatchObject({ status: "active" });
  });

  test("a page gets the newest state of its pending assets, and no other poll is made", async () => {
    const old = { ...ASSET, id: "asset-2", place: { ...AT_VENDOR, upstreamId: "up-2" } };
    const { library, vendor } = scene({ assets: [due, old] });
    const { assets, total } = await library.list({ userId: 1, skip: 0, limit: 10 });

    expect(assets.map(({ id, status }) => [id, status])).toEqual([
      ["asset-1", "active"],
      ["asset-2", "active"],
    ]);
    expect(total).toBe(7);
    expect(vendor.asked.map(({ body }) => body["Id"])).toEqual(["up-1"]);
  });

  test("a link gets the gateway's own, or the vendor's until its end, or else the source", () => {
    const linkTo = (asset: Asset, ownLink?: string): string =>
      scene({}, ownLink === undefined ? {} : { ownLink }).library.linkTo(asset);

    expect(linkTo({ ...ASSET, link }, "https://gate.example/own")).toBe("https://gate.example/own");
    expect(linkTo({ ...ASSET, link })).toBe(link.url);
    expect(linkTo({ ...ASSET, link: { ...link, endsAt: NOW } })).toBe(ASSET.url);
    expect(linkTo(ASSET)).toBe(ASSET.url);
  });
});
