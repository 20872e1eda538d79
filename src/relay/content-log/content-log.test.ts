import { describe, expect, test } from "bun:test";
import type { CallOutcome } from "#core/call.ts";
import { GatewayError } from "#core/error.ts";
import { LinearPattern } from "#lib/linear-pattern.ts";
import { Form } from "#lib/form.ts";
import { recordOfRefusal } from "../metering/record.ts";
import { aCall } from "#test/a-call.ts";
import {
  ContentLog,
  type ContentLogSettings,
  type DescribedCall,
  type DescribedResult,
} from "./content-log.ts";
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
  const batches: number[] = [];
  const looked: string[] = [];
  const told: [string, string | undefined][] = [];
  const log = new ContentLog({
    settings: { ...SETTINGS, ...more },
    async store(contents) {
      batches.push(contents.length);
      for (const each of contents) {
        if ("content" in each) stored.push(each);
        else results.push(each);
      }
      return { count: contents.length, sizeBytes: 7 };
    },
    find: async (id) => {
      looked.push(id);
      return stored.find(({ callId }) => callId === id)?.content;
    },
    remove: async (callId) => void removed.push(callId),
    resultOf: async (id) =>
      id === "deleted" ? undefined : `{"of":"${id}","to":"ada@example.com"}`,
    onContent: async (id, content) => void told.push([id, content?.request.text]),
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
  return { log, run, endTask, stored, results, removed, errors, batches, looked, told };
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
    const { log, run, endTask, stored, results, removed, errors, looked } = stage();

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
    expect(looked).not.toContain(undefined as never);
    expect([errors, log.counts.unredacted]).toEqual([[], 0]);
    expect(results[0]?.result.text).toBe('{"of":"all completed","to":"[email]"}');
    expect(removed).toEqual(["errors completed"]);
  });

  test("the result of a task that ended before the answer to its creation", async () => {
    const { log, endTask, stored, results, looked } = stage();
    const capture = log.open({ callId: "task", level: "all", request: "{}", isLasting: true });
    endTask("task", "completed");
    await log[Symbol.asyncDispose]();
    expect(looked).toEqual([]);
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

describe("the memory of the content log", () => {
  const LARGE = { request: "x".repeat(9_000) };

  test("may be used up to its last byte", async () => {
    const { log, stored } = stage();
    const capture = log.open({
      callId: "call",
      level: "all",
      request: "x".repeat(10_000),
      isLasting: false,
    });
    log.observe(recordWith("unknown", "completed"));
    log.observe(recordWith("call", "completed"));
    capture.end();
    await log[Symbol.asyncDispose]();

    expect(stored).toHaveLength(1);
    expect([capture.request, capture.answer]).toEqual(["", undefined]);
  });

  test("is free again after a call that is not stored", async () => {
    const { log, run, stored } = stage();

    run({ ...LARGE, callId: "no call" }, undefined);
    run({ callId: "its answer has no room", request: "x".repeat(9_995) }, "completed");
    run({ ...LARGE, callId: "next" }, "completed");
    await log[Symbol.asyncDispose]();

    expect([stored.length, log.counts.dropped]).toEqual([1, 1]);
  });

  test("holds two thousand contents and ended tasks, and is free again after a dropped one", async () => {
    const { log, run, endTask, stored, batches, looked } = stage();
    for (let at = 0; at < 2_000; at++) endTask(`task-${at}`, "completed");

    run({ ...LARGE, callId: "dropped" }, "completed");
    endTask("dropped", "completed");
    expect(log.counts.dropped).toBe(2);
    await log[Symbol.asyncDispose]();
    run({ ...LARGE, callId: "next" }, "completed");
    await log[Symbol.asyncDispose]();

    expect([looked.length, log.counts.dropped]).toEqual([2_000, 2]);
    expect(stored.map(({ callId }) => callId)).toEqual(["next"]);
    // Nothing is stored for tasks without content.
    expect(batches).toEqual([1]);
  });
});

test("the result of a task that takes too long to redact is not stored, and counted", async () => {
  const { log, run, endTask, results, errors } = stage({
    contentLogPatterns: [new LinearPattern("x+y")],
    limits: { contentLogBytes: 1_000_000, contentLogBufferBytes: 1_000_000 },
  });
  const callId = `${"x".repeat(99)} `.repeat(5_000);
  run({ callId, isLasting: true }, undefined);
  endTask(callId, "completed");
  await log[Symbol.asyncDispose]();

  expect([results, errors, log.counts.unredacted]).toEqual([[], [], 1]);
});

test("a body that cannot be searched for another reason is reported, and not stored", async () => {
  const { log, run, stored, errors } = stage();
  run({ request: "[".repeat(600) + "]".repeat(600) }, "completed");
  await log[Symbol.asyncDispose]();

  expect([stored, log.counts.unredacted]).toEqual([[], 1]);
  expect(errors.map(String)).toEqual(["Error: A body nests too deep to be redacted."]);
});

test("contents that the store could not take are counted as failed", async () => {
  const errors: unknown[] = [];
  let isBroken = false;
  const log = new ContentLog({
    settings: SETTINGS,
    async store() {
      if (isBroken) throw new Error("No database.");
      return { count: 1, sizeBytes: 7 };
    },
    find: async () => undefined,
    remove: async () => {},
    resultOf: async () => undefined,
    onError: (cause) => void errors.push(cause),
  });
  const storeTwo = async (): Promise<void> => {
    for (const callId of ["a", "b"]) {
      const capture = log.open({ callId, level: "all", request: "{}", isLasting: false });
      log.observe(recordWith(callId, "completed"));
      capture.end();
    }
    await log[Symbol.asyncDispose]();
  };
  await storeTwo();
  expect(log.counts).toMatchObject({ stored: 1, failed: 1, storedBytes: 7 });

  isBroken = true;
  await storeTwo();

  expect(log.counts).toMatchObject({ stored: 1, failed: 3, storedBytes: 7 });
  expect(errors).toHaveLength(1);
});

test("an observer gets each redacted content, and is told of calls that leave none", async () => {
  const { log, run, told } = stage();
  run({ callId: "a", request: `{"to":"ada@example.com"}` }, "completed");
  run({ callId: "b", level: "errors" }, "completed");
  run({ callId: "c", request: "[".repeat(20) }, undefined);
  const request = "x".repeat(9_960);
  const capture = log.open({ callId: "lost", level: "all", request, isLasting: false });
  expect([log.isOpen("lost"), log.isOpen("other")]).toEqual([true, false]);
  log.observe(recordWith("lost", "completed"));
  capture.take("an answer that finds no room", "text/plain");
  capture.end();
  expect(log.isOpen("lost")).toBe(false);
  await log[Symbol.asyncDispose]();

  expect(told).toEqual([
    ["b", undefined],
    ["c", undefined],
    ["lost", undefined],
    ["a", `{"to":"[email]"}`],
  ]);
});
