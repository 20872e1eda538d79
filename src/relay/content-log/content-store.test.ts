import { describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ContentIndex, StoredContent } from "#core/content-log.ts";
import type { MediaStore } from "#core/kept-media.ts";
import { openMediaFolder } from "#storage/media/media-folder.ts";
import { removeOldDays } from "#storage/media/remove-old-days.ts";
import { pruneContents } from "#jobs/prune-contents.ts";
import { ContentStore } from "./content-store.ts";

const CLOCK = { now: () => 5, monotonic: () => 0 };

describe("stored contents", () => {
  const CONTENT = { request: { text: "a", sizeBytes: 1, isTruncated: false }, answer: null };
  const DAY_MS = 86_400_000;

  test("are read as they were, and deleted by age and by size", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-contents-"));
    const index = memoryIndex();
    let now = Date.parse("2026-11-20T12:00Z");
    const clock = { now: () => now, monotonic: () => 0 };
    const errors: unknown[] = [];
    const store = new ContentStore({
      index,
      stores: { folder: openMediaFolder(folder) },
      place: "folder",
      clock,
      onError: (cause) => void errors.push(cause),
    });
    for (const callId of ["a", "b", "c", "d"]) {
      await store.store([{ callId, content: CONTENT }]);
      now += 2 * DAY_MS;
    }
    const read = await store.read("b");
    const sizeBytes = read?.row.sizeBytes ?? 0;
    const settings = { contentLogDays: 5, contentLogTotalBytes: sizeBytes };
    const orphans = openMediaFolder(folder);
    await orphans.put("2026-11-01/orphan", bytesOf("x"), "");

    const job = pruneContents(store, (before) => removeOldDays(folder, before), settings, clock);
    await job.run(new AbortController().signal);

    expect(read?.content).toEqual(CONTENT);
    expect(await store.read("a")).toBeUndefined();
    expect([...index.rows.keys()]).toEqual(["d"]);
    expect(readdirSync(folder).filter((name) => !name.startsWith("."))).toEqual(["2026-11-26"]);
    expect(errors).toEqual([]);
    rmSync(folder, { recursive: true });
  });

  test("have the result of their task once it is stored, and are removed on demand", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-contents-"));
    const index = memoryIndex();
    const stores = { folder: openMediaFolder(folder) };
    const onError = () => expect.unreachable();
    const store = new ContentStore({ index, stores, place: "folder", clock: CLOCK, onError });
    const result = { text: "done", sizeBytes: 4, isTruncated: false };
    const begun = { ...CONTENT, isProvisional: true } as const;

    await store.store([{ callId: "task", content: begun }]);
    const before = await store.read("task");
    await store.store([{ callId: "task", result }]);
    const after = await store.read("task");
    await store.remove("task");
    await store.remove("unknown");

    expect([before?.content, after?.content]).toEqual([begun, { ...begun, result }]);
    expect(await store.read("task")).toBeUndefined();
    rmSync(folder, { recursive: true });
  });

  test("that cannot be written are reported, and leave no row", async () => {
    const index = memoryIndex();
    const errors: unknown[] = [];
    const store = new ContentStore({
      index,
      stores: {
        s3: {
          put: (path) =>
            path.includes("bad")
              ? Promise.reject(new Error("The bucket is gone."))
              : Promise.resolve({ sizeBytes: 1, digest: "" }),
          open: async () => undefined,
          remove: async () => {},
        },
      },
      place: "s3",
      clock: CLOCK,
      onError: (cause) => void errors.push(cause),
    });

    const sum = await store.store(["good", "bad"].map((callId) => ({ callId, content: CONTENT })));

    expect(sum.count).toBe(1);
    expect([...index.rows.keys()]).toEqual(["good"]);
    expect(errors).toHaveLength(1);
  });
});

/** A store of files in memory. */
function memoryStore() {
  const files = new Map<string, Uint8Array>();
  const store: MediaStore = {
    async put(path, bytes) {
      const all = Buffer.concat(await Array.fromAsync(bytes));
      files.set(path, all);
      return { sizeBytes: all.length, digest: "" };
    },
    async open(path) {
      const bytes = files.get(path);
      return bytes === undefined ? undefined : new Blob([Buffer.from(bytes)]);
    },
    remove: async (path) => void files.delete(path),
  };
  return { store, files };
}

describe("the contents of a store in memory", () => {
  const CONTENT = { request: { text: "a", sizeBytes: 1, isTruncated: false }, answer: null };

  function stage() {
    const time = { now: Date.UTC(2026, 10, 20) };
    const index = memoryIndex();
    const { store: media, files } = memoryStore();
    const store = new ContentStore({
      index,
      stores: { s3: media },
      place: "s3",
      clock: { now: () => time.now, monotonic: () => 0 },
      onError: () => expect.unreachable(),
    });
    const fill = async (count: number): Promise<void> => {
      const ids = Array.from({ length: count }, (_, at) => `call-${at}`);
      await store.store(ids.map((callId) => ({ callId, content: CONTENT })));
    };
    return { time, index, files, store, fill };
  }

  test("are counted with their size as stored", async () => {
    const { store, files } = stage();

    const sum = await store.store(["a", "b"].map((callId) => ({ callId, content: CONTENT })));

    const sizes = [...files.values()].map(({ length }) => length);
    expect(sum).toEqual({ count: 2, sizeBytes: (sizes[0] ?? 0) + (sizes[1] ?? 0) });
    expect([...files.keys()]).toEqual(["2026-11-20/a.json.zst", "2026-11-20/b.json.zst"]);
  });

  test("are not found if their file is gone, and have no result if the result's is", async () => {
    const { store, files, fill } = stage();
    const result = { text: "done", sizeBytes: 4, isTruncated: false };
    await fill(1);
    await store.store([{ callId: "call-0", result }]);
    files.delete("2026-11-20/call-0.result.json.zst");
    expect((await store.read("call-0"))?.content).toEqual(CONTENT);

    files.clear();

    expect(await store.read("call-0")).toBeUndefined();
  });

  test("are written again if the first attempt fails", async () => {
    const errors: unknown[] = [];
    let failures = 1;
    const memory = memoryStore();
    const flaky = new ContentStore({
      index: memoryIndex(),
      stores: {
        s3: {
          ...memory.store,
          put: async (...args) => {
            if (failures-- > 0) throw new Error("The folder is gone.");
            return await memory.store.put(...args);
          },
        },
      },
      place: "s3",
      clock: CLOCK,
      onError: (cause) => void errors.push(cause),
    });

    expect((await flaky.store([{ callId: "a", content: CONTENT }])).count).toBe(1);
    expect([memory.files.size, errors]).toEqual([1, []]);
  });

  test("need a store that is configured", async () => {
    const errors: unknown[] = [];
    const onError = (cause: unknown): void => void errors.push(cause);
    const index = memoryIndex();
    const store = new ContentStore({ index, stores: {}, place: "s3", clock: CLOCK, onError });

    expect(await store.store([{ callId: "a", content: CONTENT }])).toEqual({
      count: 0,
      sizeBytes: 0,
    });
    expect(errors.map(String)).toEqual(["Error: No store 's3' is configured."]);
  });

  test("are pruned by age, a hundred at once", async () => {
    const { time, store, files, index, fill } = stage();
    await fill(101);

    expect(await store.prune(time.now)).toBe(false);
    expect(await store.prune(time.now + 1)).toBe(true);
    expect([files.size, index.rows.size]).toEqual([1, 1]);
    expect(await store.prune(time.now + 1)).toBe(false);

    expect([files.size, index.rows.size]).toEqual([0, 0]);
  });

  test("are pruned from the oldest until the rest fits", async () => {
    const { store, files, index, fill } = stage();
    await fill(102);
    const total = await index.totalBytes();
    const [first] = index.rows.values();
    const each = first?.sizeBytes ?? 0;

    expect(await store.pruneExcess(total)).toBe(false);
    expect(files.size).toBe(102);
    expect(await store.pruneExcess(total - each)).toBe(false);
    expect([...index.rows.keys()][0]).toBe("call-1");
    expect(await store.pruneExcess(total - each - 1)).toBe(false);
    expect(files.size).toBe(100);
    await fill(102);
    expect(await store.pruneExcess(0)).toBe(true);
    expect(files.size).toBe(2);
    expect(await store.pruneExcess(0)).toBe(false);

    expect([files.size, index.rows.size]).toEqual([0, 0]);
  });

  test("are never pruned endlessly if the index counts more than it lists", async () => {
    const index = { ...memoryIndex(), totalBytes: async () => 9 };
    const { store: media } = memoryStore();
    const onError = () => expect.unreachable();
    const store = new ContentStore({
      index,
      stores: { s3: media },
      place: "s3",
      clock: CLOCK,
      onError,
    });

    expect(await store.pruneExcess(0)).toBe(false);
  });
});

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

function memoryIndex(): ContentIndex & { readonly rows: Map<string, StoredContent> } {
  const rows = new Map<string, StoredContent>();
  return {
    rows,
    add: async (contents) => contents.forEach((each) => rows.set(each.callId, each)),
    find: async (callId) => rows.get(callId),
    listBefore: async (before, limit) =>
      [...rows.values()].filter(({ at }) => at < before).slice(0, limit),
    totalBytes: async () => [...rows.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    forget: async (callIds) => callIds.forEach((callId) => rows.delete(callId)),
  };
}
