import { describe, expect, jest, test } from "bun:test";
import type { Asset, AssetChange } from "#core/asset.ts";
import { GatewayError, type FaultCode } from "#core/error.ts";
import { assetLibrary, libraryChannel, type LibraryAnswer } from "#test/asset-library.ts";
import { reasonOf } from "#test/storage/contract-place.ts";
import { givenUp, later, look, pauseAfter, refreshed, type RefreshDeps } from "./refresh.ts";

const NOW = Date.UTC(2026, 0, 1);
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const CHANNEL = libraryChannel();
const PENDING: Asset = {
  id: "asset-1",
  userId: 1,
  groupId: "group-1",
  place: { channel: "ark", account: CHANNEL.credentials[0]?.label ?? "", upstreamId: "up-1" },
  type: "image",
  name: "A cat",
  url: "https://example.com/cat.png",
  status: "pending",
  createdAt: NOW - MINUTE_MS,
  updatedAt: NOW - MINUTE_MS,
  dueAt: NOW,
  looks: 0,
};
const ACTIVE: Asset = { ...PENDING, status: "active" };
const GONE: LibraryAnswer = { status: 404, failure: "ResourceNotFound.Asset" };

/** A vendor with one answer, and the database's row of one asset. */
function scene(answer: () => LibraryAnswer | Promise<LibraryAnswer>, now = NOW) {
  const library = assetLibrary(answer);
  const changes: AssetChange[] = [];
  const removed: string[] = [];
  const stored: { asset?: Asset; isChangeable: boolean } = { isChangeable: true };
  const deps = {
    egress: library.egress,
    listChannels: () => [CHANNEL],
    clock: { now: () => now, monotonic: () => now },
    assets: {
      async change(_id: string, change: AssetChange) {
        changes.push(change);
        return stored.isChangeable ? { ...PENDING, ...change } : undefined;
      },
      find: async () => stored.asset,
      async remove(userId: number, id: string) {
        removed.push(`${userId} ${id}`);
        return true;
      },
    },
  } as unknown as RefreshDeps;
  return { deps, library, changes, removed, stored };
}

/** What changes of an asset by one answer. */
async function changeAfter(
  result: NonNullable<LibraryAnswer["result"]>,
  asset = PENDING,
  now = NOW,
) {
  const { deps, changes } = scene(() => ({ result }), now);
  await look(asset, deps);
  return changes[0];
}

const fails = (code: FaultCode) => () => Promise.reject(new GatewayError(code, "No."));

describe("polls of an asset", () => {
  test("have growing intervals", () => {
    expect(Array.from({ length: 9 }, (_, looks) => pauseAfter(looks) / SECOND_MS)).toEqual([
      2, 3, 5, 8, 15, 30, 60, 60, 60,
    ]);
    expect(later({ ...PENDING, looks: 1 }, NOW)).toEqual({ looks: 2, dueAt: NOW + 5_000 });
  });

  test("end after a day", () => {
    expect(givenUp(PENDING, PENDING.createdAt + 24 * HOUR_MS - 1)).toBeUndefined();
    const end = PENDING.createdAt + 24 * HOUR_MS;
    expect(givenUp(PENDING, end)).toEqual({
      status: "failed",
      failure: { code: "ProcessingTimeout", message: "The asset was not processed in time." },
      updatedAt: end,
    });
  });
});

describe("an answer of the vendor", () => {
  test("with a pending asset schedules the next poll, or the end after a day", async () => {
    const result = { Status: "Processing" };
    const end = PENDING.createdAt + 24 * HOUR_MS;

    expect(await changeAfter(result)).toEqual({ looks: 1, dueAt: NOW + 3_000 });
    expect(await changeAfter(result, PENDING, end)).toMatchObject({
      failure: { code: "ProcessingTimeout" },
    });
  });

  test("with an active asset has a link for twelve hours", async () => {
    const URL = "https://vendor.example/cat.png";

    expect(await changeAfter({ Status: "Active", URL })).toEqual({
      status: "active",
      updatedAt: NOW,
      link: { url: URL, endsAt: NOW + 12 * HOUR_MS },
    });
  });

  test("without a link keeps the client's own, and the next poll is in an hour", async () => {
    expect(await changeAfter({ Status: "Active" })).toMatchObject({
      link: { url: PENDING.url, endsAt: NOW + 2 * HOUR_MS },
    });
  });

  test("with a failed asset has the reason, if the vendor gives one", async () => {
    const Error = { Code: "DurationTooShort", Message: "It is too short." };

    expect(await changeAfter({ Status: "Failed", URL: "https://x.example/", Error })).toEqual({
      status: "failed",
      updatedAt: NOW,
      failure: { code: "DurationTooShort", message: "It is too short." },
    });
    expect(await changeAfter({ Status: "Failed" })).toMatchObject({
      failure: { code: "ProcessingFailed", message: "The upstream gave no reason." },
    });
  });

  test("has no failure for an asset that is active", async () => {
    const Error = { Code: "Old", Message: "An earlier one." };

    expect(await changeAfter({ Status: "Active", Error })).not.toHaveProperty("failure");
  });

  test("renews the link of an active asset and nothing else", async () => {
    const URL = "https://vendor.example/cat.png?signed=2";

    expect(await changeAfter({ Status: "Failed", URL }, ACTIVE)).toEqual({
      link: { url: URL, endsAt: NOW + 12 * HOUR_MS },
    });
  });

  test("is recorded for the asset, which is returned in its new state", async () => {
    const { deps, stored } = scene(() => ({ result: { Status: "Active" } }));

    expect(await look(PENDING, deps)).toMatchObject({ id: "asset-1", status: "active" });
    // Another gateway was faster.
    stored.isChangeable = false;
    stored.asset = { ...ACTIVE, name: "as the other one left it" };
    expect(await look(PENDING, deps)).toBe(stored.asset);
  });
});

describe("an asset that the vendor does not find", () => {
  test("is polled again in its first minute", async () => {
    const { deps, changes } = scene(() => GONE);
    await look({ ...PENDING, createdAt: NOW - MINUTE_MS + 1 }, deps);

    expect(changes).toEqual([{ looks: 1, dueAt: NOW + 3_000 }]);
  });

  test("fails after its first minute", async () => {
    const { deps, changes } = scene(() => GONE);
    await look(PENDING, deps);

    expect(changes).toEqual([
      {
        status: "failed",
        failure: { code: "NotFound", message: "The upstream no longer has the asset." },
        updatedAt: NOW,
      },
    ]);
  });

  test("is removed if it was active", async () => {
    const { deps, changes, removed, stored } = scene(() => GONE);
    stored.asset = ACTIVE;

    expect(await look(ACTIVE, deps)).toBeUndefined();
    expect(removed).toEqual(["1 asset-1"]);
    expect(changes).toEqual([]);
  });
});

test("a poll fails if the vendor cannot be reached, and changes nothing", async () => {
  const { deps, changes, removed } = scene(fails("upstream_failed"));

  expect(await reasonOf(look(ACTIVE, deps))).toMatchObject({ code: "upstream_failed" });
  expect([...changes, ...removed]).toEqual([]);
});

test("a poll of an asset that the gateway stores makes no upstream call", async () => {
  const { deps, library } = scene(() => ({}));
  const { place: _, ...own } = PENDING;

  expect(await look(own, deps)).toBe(own);
  expect(library.asked).toEqual([]);
});

describe("a client that reads an asset", () => {
  const answer = () => ({ result: { Status: "Active", URL: "https://vendor.example/new" } });
  async function isAsked(asset: Asset, now = NOW): Promise<boolean> {
    const { deps, library } = scene(answer, now);
    await refreshed(asset, deps);
    return library.asked.length > 0;
  }

  test("gets the vendor's newest state, at most once a second", async () => {
    // The last poll was at NOW.
    const polled = { ...PENDING, looks: 1, dueAt: NOW + pauseAfter(1) };

    expect(await refreshed(PENDING, scene(answer).deps)).toMatchObject({ status: "active" });
    expect(await isAsked(polled, NOW + 999)).toBe(false);
    expect(await isAsked(polled, NOW + 1_000)).toBe(true);
  });

  test("gets a new link from an hour before the end of the old one", async () => {
    const link = { url: "https://vendor.example/old", endsAt: NOW + HOUR_MS };

    expect(await isAsked(ACTIVE)).toBe(true);
    expect(await isAsked({ ...ACTIVE, link })).toBe(false);
    expect(await isAsked({ ...ACTIVE, link }, NOW + 1)).toBe(true);
  });

  test("gets the stored state of a failed asset, or of one that the gateway stores", async () => {
    const { place: _, ...own } = PENDING;

    expect(await isAsked({ ...PENDING, status: "failed" })).toBe(false);
    expect(await refreshed(own, scene(answer).deps)).toBe(own);
  });

  test("gets the stored state if the vendor cannot be reached", async () => {
    expect(await refreshed(PENDING, scene(fails("upstream_failed")).deps)).toBe(PENDING);
  });

  test("gets nothing if the vendor no longer has the asset", async () => {
    expect(await refreshed(ACTIVE, scene(() => GONE).deps)).toBeUndefined();
  });

  test("gets the error if the gateway itself fails", async () => {
    expect(await reasonOf(refreshed(PENDING, scene(fails("internal")).deps))).toMatchObject({
      code: "internal",
    });
  });

  test("waits for a slow vendor no longer than two seconds", async () => {
    jest.useFakeTimers();
    try {
      const found: unknown[] = [];
      const { deps } = scene(() => new Promise(() => {}));
      const reading = refreshed(PENDING, deps).then((asset) => found.push(asset));
      jest.advanceTimersByTime(1_999);
      for (let turn = 0; turn < 50; turn++) await Promise.resolve();
      expect(found).toEqual([]);
      jest.advanceTimersByTime(1);
      await reading;
      expect(found).toEqual([PENDING]);
    } finally {
      jest.useRealTimers();
    }
  });
});
