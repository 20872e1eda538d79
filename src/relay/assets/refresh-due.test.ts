import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Asset } from "#core/asset.ts";
import { GatewayError } from "#core/error.ts";
import type { Egress } from "#egress/egress.ts";
import { systemClock } from "#lib/clock.ts";
import { placeSchema } from "#test/sqlite-template.ts";
import { openAt } from "#test/storage/contract-place.ts";
import type { Storage } from "#storage/open.ts";
import { libraryChannel } from "#test/asset-library.ts";
import { forgetAssets, watchAssets, type WatchDeps } from "./refresh-due.ts";

const NEVER = new AbortController().signal;

let dataDir: string;
let storage: Storage;
let troubles: unknown[];
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "sluice-watch-"));
  await placeSchema(dataDir);
  storage = await openAt({ dataDir });
  troubles = [];
  await storage.assets.addGroup({
    id: "group-1",
    userId: 1,
    kind: "image",
    name: "mine",
    description: "",
    createdAt: 0,
    updatedAt: 0,
  });
});
afterEach(async () => {
  await storage.close();
  rmSync(dataDir, { recursive: true, force: true });
});

test("an asset that cannot be removed from the store does not block the removal of others", async () => {
  for (const id of ["asset-1", "asset-2", "asset-3"]) {
    await storage.assets.add(anAsset(id));
    await storage.assets.remove(1, id);
  }
  const letGo: WatchDeps["letGo"] = async ({ id }) => {
    if (id === "asset-1") throw new Error("The bucket is not there.");
  };

  await forgetAssets(depsWith({ letGo }));

  expect((await storage.assets.listRemoved(10)).map(({ id }) => id)).toEqual(["asset-1"]);
  expect(troubles).toHaveLength(1);
});

test("an asset stored at a vendor has no local file to delete", async () => {
  const place = { channel: "ark", account: "", upstreamId: "up-1" };
  await storage.assets.add({ ...anAsset("asset-1"), place });
  await storage.assets.add(anAsset("asset-2"));
  for (const id of ["asset-1", "asset-2"]) await storage.assets.remove(1, id);
  const deleted: string[] = [];
  const letGo: WatchDeps["letGo"] = async ({ id }) => void deleted.push(id);

  await forgetAssets(depsWith({ letGo }));

  expect(deleted).toEqual(["asset-2"]);
  expect(await storage.assets.listRemoved(10)).toEqual([]);
});

test("an asset that cannot be polled is polled later, and given up after a day", async () => {
  const day = 25 * 3_600_000;
  await storage.assets.add(anAsset("asset-young"));
  await storage.assets.add({ ...anAsset("asset-old"), createdAt: Date.now() - day });
  const takeIn: WatchDeps["takeIn"] = async () => {
    throw new GatewayError("upstream_failed", "No.");
  };

  await watchAssets(depsWith({ takeIn }), NEVER);

  const young = await storage.assets.findAny("asset-young");
  const old = await storage.assets.findAny("asset-old");
  expect(young).toMatchObject({ status: "pending", looks: 1 });
  expect(young?.dueAt).toBeGreaterThan(Date.now());
  expect(old).toMatchObject({ status: "failed", failure: { code: "ProcessingTimeout" } });
  expect(troubles).toEqual([]);
});

test("unexpected failures are reported to the operator", async () => {
  await storage.assets.add(anAsset("asset-1"));
  const takeIn: WatchDeps["takeIn"] = async () => {
    throw new Error("A bug.");
  };

  await watchAssets(depsWith({ takeIn }), NEVER);

  expect(troubles).toHaveLength(1);
});

describe("slow links", () => {
  const untilLeft = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));

  test("do not delay other users' assets, in any number", async () => {
    for (let at = 0; at < 50; at++) {
      await storage.assets.add({ ...anAsset(`asset-slow-${at}`), dueAt: at });
    }
    await storage.assets.add({ ...anAsset("asset-quick"), userId: 2 });
    const stopping = new AbortController();
    let slow = 0;
    const taken = Promise.withResolvers<void>();
    const takeIn: WatchDeps["takeIn"] = async ({ userId }, signal) => {
      if (userId === 2) return taken.resolve();
      slow++;
      await untilLeft(signal);
    };

    const watching = watchAssets(depsWith({ takeIn }), stopping.signal);
    await taken.promise;
    stopping.abort();
    await watching;

    expect(slow).toBeGreaterThan(0);
    expect(slow).toBeLessThan(8);
  });

  test("are cancelled when the gateway stops, and no new ones are followed", async () => {
    for (const id of ["asset-1", "asset-2", "asset-3", "asset-4", "asset-5"]) {
      await storage.assets.add(anAsset(id));
    }
    const stopping = new AbortController();
    let begun = 0;
    const takeIn: WatchDeps["takeIn"] = async (_, signal) => {
      begun++;
      stopping.abort();
      if (!signal.aborted) await untilLeft(signal);
    };

    await watchAssets(depsWith({ takeIn }), stopping.signal);

    expect(begun).toBeLessThan(5);
  });
});

test("assets are leased for five minutes, except those of users and channels with three running polls", async () => {
  const place = { channel: "ark", account: "", upstreamId: "up-1" };
  const pending = [
    ...["a", "b", "c"].map((id) => anAsset(id)),
    ...["d", "e", "f"].map((id) => ({ ...anAsset(id), userId: 2, place: { ...place } })),
    ...["g", "h"].map((id) => ({ ...anAsset(id), userId: 3 })),
  ];
  const stopping = new AbortController();
  const leases: unknown[][] = [];
  const assets = {
    ...storage.assets,
    async lease(leaseMs: number, room: number, busy: unknown) {
      leases.push([leaseMs, room, busy]);
      if (leases.length > 3) stopping.abort();
      return pending.splice(0, room);
    },
  };
  const until = new Promise<void>((resolve) =>
    stopping.signal.addEventListener("abort", () => resolve(), { once: true }),
  );
  const egress = { ...depsWith({}).egress, send: async () => await until.then(() => never()) };
  const listChannels = () => [libraryChannel()];
  await watchAssets(
    depsWith({ assets, egress, listChannels, takeIn: () => until }),
    stopping.signal,
  );

  expect(leases).toEqual([
    [300_000, 3, { users: [], channels: [] }],
    [300_000, 3, { users: [1], channels: [] }],
    [300_000, 3, { users: [1], channels: ["ark"] }],
    [300_000, 3, { users: [1], channels: ["ark"] }],
  ]);
});

function never(): never {
  throw new GatewayError("unavailable", "The gateway stops.");
}

function anAsset(id: string): Asset {
  const now = Date.now();
  return {
    id,
    userId: 1,
    groupId: "group-1",
    type: "image",
    name: "",
    url: "https://example.com/a.png",
    status: "pending",
    createdAt: now,
    updatedAt: now,
    dueAt: now - 1,
    looks: 0,
  };
}

function depsWith(more: Partial<WatchDeps>): WatchDeps {
  const egress: Egress = {
    send: async () => {
      throw new Error("Nobody is asked.");
    },
    abortAll() {},
    closePool() {},
    close() {},
  };
  return {
    egress,
    listChannels: () => [],
    assets: storage.assets,
    clock: systemClock,
    takeIn: async () => {},
    letGo: async () => {},
    onError: (cause) => troubles.push(cause),
    ...more,
  };
}
