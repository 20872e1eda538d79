import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Group } from "#core/group.ts";
import { KEY_STATUS, type ApiKey } from "#core/key.ts";
import { SEED, times } from "#test/seed.ts";
import { createKeyCache } from "./key-cache.ts";

test("a changed or deleted key is never returned again, even by a running lookup", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.constantFrom("find", "find", "find", "change", "change its group", "delete"), {
        maxLength: 14,
      }),
      async (scheduler, steps) => {
        const { database, cache } = setup(() => scheduler.schedule(Promise.resolve()));
        /** The oldest version that a look-up begun now may still give. */
        let oldestAllowed = 0;

        const tasks = steps.map(async (step) => {
          await scheduler.schedule(Promise.resolve(), step);
          if (step === "find") {
            const allowed = oldestAllowed;
            expect(versionOf(await cache.find("digest"))).toBeGreaterThanOrEqual(allowed);
            return;
          }
          // Another change may be committed before this one is heard of.
          const committed = step === "delete" ? database.delete() : database.change();
          await scheduler.schedule(Promise.resolve(), "commit heard of");
          if (step === "change its group") cache.forgetGroup(GROUP.id);
          else cache.forget(1);
          oldestAllowed = Math.max(oldestAllowed, committed);
        });
        await scheduler.waitFor(Promise.all(tasks));

        expect(versionOf(await scheduler.waitFor(finding(cache)))).toBe(versionOf(database.read()));
        expect(versionOf(await scheduler.waitFor(finding(cache)))).toBe(versionOf(database.read()));
      },
    ),
    { seed: SEED, numRuns: times(500, 10_000) },
  );
});

test("concurrent requests for a key share one lookup", async () => {
  const { cache, lookups } = setup();

  const answers = await Promise.all(Array.from({ length: 100 }, () => finding(cache)));

  expect(lookups()).toBe(1);
  expect(new Set(answers).size).toBe(1);
  expect(cache.find("digest")).toBe(answers[0]);
});

test("a cached key expires after its lifetime, counted from before its query", async () => {
  const { cache, database, time, lookups } = setup();
  await cache.find("digest");
  database.delete();

  time.now = 999;
  expect(cache.find("digest")).toMatchObject({ id: 1 });
  time.now = 1_000;

  expect(await cache.find("digest")).toBeUndefined();
  expect(lookups()).toBe(2);
});

test("an unknown key is not looked up again for a second", async () => {
  const { cache, database, time, lookups } = setup();
  database.delete();
  await cache.find("digest");

  expect(cache.find("digest")).toBeUndefined();
  expect(lookups()).toBe(1);
  time.now = 1_001;
  await cache.find("digest");

  expect(lookups()).toBe(2);
});

test("a change of a group keeps the cached keys of other groups and of none", async () => {
  const asked: string[] = [];
  const cache = createKeyCache({
    async lookup(digest) {
      asked.push(digest);
      const { group: _, ...alone } = keyOf(1, Number(digest));
      if (digest === "1") return alone;
      return { ...alone, group: { ...GROUP, id: Number(digest) } };
    },
    ttlMs: Infinity,
    clock: { now: () => 0, monotonic: () => 0 },
  });
  for (const digest of ["1", "2", "3"]) await cache.find(digest);

  cache.forgetGroup(2);
  for (const digest of ["1", "2", "3"]) await cache.find(digest);

  expect(asked).toEqual(["1", "2", "3", "2"]);
});

test("a change of a key that has two secrets affects both", async () => {
  const asked: string[] = [];
  const cache = createKeyCache({
    async lookup(digest) {
      asked.push(digest);
      return keyOf(1, 1);
    },
    ttlMs: Infinity,
    clock: { now: () => 0, monotonic: () => 0 },
  });
  const findBoth = async (): Promise<void> => {
    for (const digest of ["new", "old"]) await cache.find(digest);
  };
  await findBoth();
  await findBoth();
  expect(asked).toEqual(["new", "old"]);

  cache.forget(1);
  await findBoth();

  expect(asked).toEqual(["new", "old", "new", "old"]);
});

test("a failed lookup is reported to its callers and not cached", async () => {
  let isDown = true;
  const { cache } = setup(async () => {
    if (isDown) throw new Error("no database");
  });

  const answer = await Promise.resolve(cache.find("digest")).catch((error: unknown) => error);
  isDown = false;

  expect(String(answer)).toContain("no database");
  expect(await cache.find("digest")).toMatchObject({ id: 1 });
});

test("the cache is limited in known and in unknown keys", async () => {
  const asked: string[] = [];
  const cache = createKeyCache({
    async lookup(digest) {
      asked.push(digest);
      return digest.startsWith("known") ? keyOf(1, Number(digest.slice(5))) : undefined;
    },
    ttlMs: Infinity,
    clock: { now: () => 0, monotonic: () => 0 },
    maxKeys: 3,
    maxUnknown: 3,
  });
  const find = async (digests: readonly string[]): Promise<void> => {
    for (const digest of digests) await cache.find(digest);
  };

  await find(["known1", "known2", "known3", "known1", "known4"]);
  await find(["other1", "other2", "other3", "other4"]);
  asked.length = 0;
  await find(["known1", "known3", "known4", "other2", "other3", "other4"]);
  expect(asked).toEqual([]);
  await find(["known2", "other1"]);

  expect(asked).toEqual(["known2", "other1"]);
});

/** A database of one key, and a cache in front of it. `travel` is the way there, and back. */
function setup(travel: () => Promise<unknown> = async () => {}) {
  let version = 0;
  let isDeleted = false;
  let count = 0;
  const time = { now: 0 };
  const read = (): ApiKey | undefined => (isDeleted ? undefined : keyOf(version));
  const cache = createKeyCache({
    async lookup() {
      count++;
      await travel();
      const seen = read();
      await travel();
      return seen;
    },
    ttlMs: 1_000,
    clock: { now: () => 0, monotonic: () => time.now },
  });
  const database = {
    read,
    change: () => (isDeleted ? DELETED : ++version),
    delete() {
      isDeleted = true;
      return DELETED;
    },
  };
  return { cache, database, time, lookups: () => count };
}

const DELETED = 1_000_000;

const GROUP: Group = { id: 7, name: "g", priceFactor: 1, prices: new Map(), createdAt: 0 };

function keyOf(version: number, id = 1): ApiKey {
  const name = String(version);
  return {
    id,
    userId: 1,
    name,
    status: KEY_STATUS.enabled,
    models: [],
    accounts: [],
    group: GROUP,
  };
}

function versionOf(key: ApiKey | undefined): number {
  return key === undefined ? DELETED : Number(key.name);
}

async function finding(cache: ReturnType<typeof createKeyCache>): Promise<ApiKey | undefined> {
  return cache.find("digest");
}
