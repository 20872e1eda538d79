import { describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallOutcome } from "#core/call.ts";
import type { ContentIndex, StoredContent } from "#core/content-log.ts";
import { GatewayError } from "#core/error.ts";
import { LinearPattern } from "#lib/linear-pattern.ts";
import { Form } from "#lib/form.ts";
import { openMediaFolder } from "#storage/media/media-folder.ts";
import { removeOldDays } from "#storage/media/remove-old-days.ts";
import { pruneContents } from "#jobs/prune-contents.ts";
import { recordOfRefusal } from "../metering/record.ts";
import { aCall } from "#test/a-call.ts";
import {
  ContentLog,
  type ContentLogSettings,
  type DescribedCall,
  type DescribedResult,
} from "./content-log.ts";
import { ContentStore } from "./content-store.ts";
import { shortenBase64 } from "./shorten-base64.ts";
import type { CaptureStart } from "./capture.ts";

const CLOCK = { now: () => 5, monotonic: () => 0 };
const SETTINGS: ContentLogSettings = {
  contentLog: "off",
  contentLogRedact: ["email"],
  contentLogPatterns: [],
  limits: { contentLogBytes: 1_000, contentLogBufferBytes: 10_000 },
};

function stage(more: Partial<ContentLogSettings> = {}) {
  const stored: DescribedCall[] = [];
  const results: DescribedResult[] = [];
  const removed: string[] = [];
  const errors: unknown[] = [];
  const log = new ContentLog({
    settings: { ...SETTINGS, ...more },
    async store(contents) {
      for (const each of contents) {
        if ("content" in each) stored.push(each);
        else results.push(each);
      }
      return { count: contents.length, sizeBytes: 7 };
    },
    find: async (id) => stored.find(({ callId }) => callId === id)?.content,
    remove: async (callId) => void removed.push(callId),
    resultOf: async (id) =>
      id === "deleted" ? undefined : `{"of":"${id}","to":"ada@example.com"}`,
    onError: (cause) => void errors.push(cause),
  });
  const run = (start: Partial<CaptureStart>, outcome: CallOutcome | undefined): void => {
    const begun = { callId: "call", level: "all", request: "{}", isLasting: false } as const;
    const capture = log.open({ ...begun, ...start });
    if (outcome !== undefined) log.observe(recordWith(start.callId ?? begun.callId, outcome));
    capture.take("an answer", "text/plain");
    capture.end();
    capture.end();
  };
  const endTask = (id: string, outcome: CallOutcome): void =>
    log.observe({ ...recordWith(id, outcome), isTask: true });
  return { log, run, endTask, stored, results, removed, errors };
}

function recordWith(id: string, outcome: CallOutcome) {
  const error = new GatewayError("internal", "It failed.");
  return { ...recordOfRefusal(aCall(), error, CLOCK), id, outcome };
}

describe("the content log stores", () => {
  test("calls of its level once each, and nothing that was no call", async () => {
    const { log, run, stored } = stage();

    run({ callId: "a" }, "completed");
    run({ callId: "b" }, "canceled");
    run({ callId: "c" }, undefined);
    run({ callId: "d", isLasting: true }, undefined);
    run({ callId: "e", level: "errors" }, "failed");
    run({ callId: "f", level: "errors" }, "canceled");
    await log[Symbol.asyncDispose]();

    expect(stored.map(({ callId }) => callId)).toEqual(["a", "b", "d", "e"]);
    expect(log.counts).toEqual({ stored: 4, dropped: 0, failed: 0, unredacted: 0, storedBytes: 7 });
  });

  test("the result of a task beside its request, and a succeeded one only at the level all", async () => {
    const { log, run, endTask, stored, results, removed } = stage();

    for (const level of ["all", "errors"] as const) {
      for (const outcome of ["completed", "failed"] as const) {
        const callId = `${level} ${outcome}`;
        run({ callId, level, isLasting: true }, undefined);
        endTask(callId, outcome);
      }
    }
    run({ callId: "deleted", isLasting: true }, undefined);
    for (const callId of ["deleted", "unlogged"]) endTask(callId, "completed");
    await log[Symbol.asyncDispose]();

    expect(stored.map(({ callId, content }) => [callId, content.isProvisional])).toEqual([
      ["all completed", undefined],
      ["all failed", undefined],
      ["errors completed", true],
      ["errors failed", true],
      ["deleted", undefined],
    ]);
    expect(results.map(({ callId }) => callId)).toEqual([
      "all completed",
      "all failed",
      "errors failed",
    ]);
    expect(results[0]?.result.text).toBe('{"of":"all completed","to":"[email]"}');
    expect(removed).toEqual(["errors completed"]);
  });

  test("the result of a task that ended before the answer to its creation", async () => {
    const { log, endTask, stored, results } = stage();
    const capture = log.open({ callId: "task", level: "all", request: "{}", isLasting: true });
    endTask("task", "completed");
    capture.take("{}", "application/json");
    capture.end();
    await log[Symbol.asyncDispose]();

    expect([stored.length, results.map(({ callId }) => callId)]).toEqual([1, ["task"]]);
  });

  test("nothing of a task that was refused before it was a call", async () => {
    const { log, stored } = stage();
    const capture = log.open({ callId: "task", level: "all", request: "{}", isLasting: true });
    capture.refuse("{}");
    await log[Symbol.asyncDispose]();

    expect(stored).toEqual([]);
  });

  test("no content for which there is no room, and counts it", async () => {
    const { log, run, stored } = stage();

    run({ callId: "large", request: "x".repeat(10_001) }, "completed");
    for (let at = 0; at < 30; at++) run({ callId: `${at}`, request: "x".repeat(500) }, "completed");
    await log[Symbol.asyncDispose]();
    run({ callId: "later", request: "x".repeat(9_000) }, "completed");
    await log[Symbol.asyncDispose]();

    expect(log.counts.dropped).toBe(12);
    expect(stored).toHaveLength(20);
    expect(stored.at(-1)?.callId).toBe("later");
  });

  test("no content that takes too long to redact, and counts it", async () => {
    const { log, run, stored, errors } = stage({
      contentLogPatterns: [new LinearPattern("x+y")],
      limits: { contentLogBytes: 1_000_000, contentLogBufferBytes: 1_000_000 },
    });

    run({ callId: "quick", request: "x ".repeat(200_000) }, "completed");
    run({ callId: "slow", request: `${"x".repeat(99)} `.repeat(5_000) }, "completed");
    await log[Symbol.asyncDispose]();

    expect(stored.map(({ callId }) => callId)).toEqual(["quick"]);
    expect(log.counts).toMatchObject({ unredacted: 1, failed: 0 });
    expect(errors).toEqual([]);
  });

  test("files of a form by their names only", async () => {
    const { log, run, stored } = stage();
    const file = {
      name: "file",
      filename: "a.wav",
      mediaType: "audio/wav",
      bytes: Buffer.from("RIFF"),
    };

    run({ request: new Form([{ name: "prompt", value: "ada@example.com" }, file]) }, "completed");
    await log[Symbol.asyncDispose]();

    expect(JSON.parse(stored[0]?.content.request.text ?? "")).toEqual([
      { name: "prompt", value: "[email]" },
      { name: "file", filename: "a.wav", content_type: "audio/wav", bytes: 4 },
    ]);
  });

  test("whole events of a stream that is too long", async () => {
    const { log, stored } = stage();
    const event = `data: {"delta":"word"}\n\n`;
    const capture = log.open({ callId: "a", level: "all", request: "", isLasting: false });
    const sent: string[] = [];
    const sink = capture.tee(
      { write: (piece) => void sent.push(String(piece)) },
      "text/event-stream",
    );

    for (let at = 0; at < 500; at++) await sink.write(event);
    log.observe(recordWith("a", "completed"));
    capture.end();
    await log[Symbol.asyncDispose]();

    const { text, sizeBytes, isTruncated } = stored[0]?.content.answer ?? {};
    expect(sent).toHaveLength(500);
    expect([text?.length, sizeBytes, isTruncated]).toEqual([1_000, 500 * event.length, true]);
    expect(text).toStartWith(event);
  });
});

test("long base64 is replaced by its length in every field", () => {
  const long = "QUJD".repeat(300);
  for (const before of ["", "a ", "words in a row, ".repeat(100)]) {
    const text = `${before}"${long}" and "${long.slice(0, 900)}" and '${long}=='`;

    expect(shortenBase64(text)).toBe(
      `${before}"[base64, 1200 characters]" and "${long.slice(0, 900)}" and '[base64, 1202 characters]'`,
    );
  }
});

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
