import { describe, expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import type { Task } from "#core/task.ts";
import { NO_USAGE } from "#core/usage.ts";
import { expectedUsage, type MadeVideo, type TaskFacts } from "#core/video.ts";
import { aTask } from "#test/a-task.ts";
import {
  afterFailure,
  applySearchResult,
  applyUpdate,
  givenUp,
  nextPollAt,
} from "./task-update.ts";

const NOW = 1_800_000_000_000;

describe("the usage of a task whose vendor counts nothing", () => {
  const facts: TaskFacts = { scenario: "text", prompt: "a fox", seconds: 8, count: 4 };
  const usage = expectedUsage(facts, facts);
  const asked = aTask({ status: "running", usage, facts });
  const videos = (count: number): readonly MadeVideo[] =>
    Array.from({ length: count }, (_, at) => ({ url: `https://cdn.example/${at}.mp4` }));

  test("is the expected usage", () => {
    const change = applyUpdate({ state: "succeeded", videos: videos(4) }, asked, NOW);

    expect(change?.usage).toEqual(usage);
  });

  test("is less if some of its videos were filtered", () => {
    const change = applyUpdate({ state: "succeeded", videos: videos(3) }, asked, NOW);

    expect(change?.usage).toEqual(expectedUsage({ ...facts, count: 3 }, facts));
    expect(change?.usage?.durationMs).toBe(24_000);
  });

  test("is more if they are longer than requested", () => {
    const update = { state: "succeeded", videos: videos(4), facts: { seconds: 10 } } as const;

    expect(applyUpdate(update, asked, NOW)?.usage?.durationMs).toBe(40_000);
  });

  test("is not more if there are more of them than requested", () => {
    expect(applyUpdate({ state: "succeeded", videos: videos(6) }, asked, NOW)?.usage).toEqual(
      usage,
    );
    const longer = { state: "succeeded", videos: videos(6), facts: { seconds: 10 } } as const;
    expect(applyUpdate(longer, asked, NOW)?.usage?.durationMs).toBe(40_000);
  });

  test("is that of one video if no number was requested", () => {
    const one = { scenario: "text", prompt: "a fox", seconds: 8 } as const;
    const task = aTask({ status: "running", usage: { ...usage, durationMs: 1 }, facts: one });

    expect(applyUpdate({ state: "succeeded", videos: videos(1) }, task, NOW)?.usage).toBe(
      task.usage,
    );
    const longer = { state: "succeeded", videos: videos(1), facts: { seconds: 10 } } as const;
    expect(applyUpdate(longer, task, NOW)?.usage).toMatchObject({
      durationMs: 10_000,
      inputTokens: usage.inputTokens,
    });
  });
});

describe("a task whose vendor reports", () => {
  const running = aTask({ status: "running", startedAt: 5, progress: 30, createdAt: NOW });
  const video = { url: "https://cdn.example/v.mp4" };

  test("success is over, with the vendor's usage and the expiry of its links", () => {
    const usage = { ...NO_USAGE, durationMs: 7_000 };

    const change = applyUpdate(
      { state: "succeeded", videos: [video], usage, linksEndAt: 99, facts: { seconds: 7 } },
      running,
      NOW,
    );

    expect(change).toEqual({
      status: "succeeded",
      videos: [video],
      usage,
      facts: { ...running.facts, seconds: 7 },
      progress: 100,
      startedAt: 5,
      finishedAt: NOW,
      linksEndAt: 99,
    });
  });

  test("success without details began when it ended, and its links do not expire", () => {
    const change = applyUpdate({ state: "succeeded", videos: [video] }, aTask(), NOW);

    expect(change).toMatchObject({ startedAt: NOW });
    expect(change).not.toHaveProperty("linksEndAt");
  });

  test("success without a video has failed", () => {
    expect(applyUpdate({ state: "succeeded", videos: [] }, running, NOW)).toMatchObject({
      status: "failed",
      failure: { code: "empty_result" },
      finishedAt: NOW,
    });
  });

  test("failure has failed, with the vendor's usage", () => {
    const failure = { code: "content_filtered", message: "no" } as const;
    const usage = { ...NO_USAGE, durationMs: 7_000 };

    expect(applyUpdate({ state: "failed", failure, usage }, running, NOW)).toEqual({
      status: "failed",
      failure,
      usage,
      finishedAt: NOW,
    });
    expect(applyUpdate({ state: "failed", failure }, running, NOW)).not.toHaveProperty("usage");
  });

  test("that it runs starts once, and its progress never goes back", () => {
    const queued = aTask({ createdAt: NOW });
    expect(applyUpdate({ state: "running", progress: 10 }, queued, NOW)).toMatchObject({
      status: "running",
      startedAt: NOW,
      progress: 10,
    });
    expect(applyUpdate({ state: "queued" }, queued, NOW)).toEqual({
      dueAt: expect.any(Number),
    });
    for (const update of [
      { state: "running" },
      { state: "running", progress: 30 },
      { state: "running", progress: 20 },
      { state: "queued" },
    ] as const) {
      expect(Object.keys(applyUpdate(update, running, NOW) ?? {})).toEqual(["dueAt"]);
    }
    expect(applyUpdate({ state: "running", progress: 31 }, running, NOW)).toMatchObject({
      progress: 31,
    });
  });

  test("a state again is found again, and earlier errors are cleared", () => {
    const lost = aTask({ status: "submit_unknown", failures: 2, misses: 1, createdAt: NOW });

    expect(applyUpdate({ state: "queued" }, lost, NOW)).toMatchObject({
      status: "queued",
      failures: 0,
      misses: 0,
    });
    expect(applyUpdate({ state: "running" }, lost, NOW)).toMatchObject({ status: "running" });
  });

  test("that it is unknown is given up at the third miss, once it is a minute old", () => {
    const missed = (misses: number, ageMs: number): unknown =>
      applyUpdate({ state: "missing" }, aTask({ misses, createdAt: NOW - ageMs }), NOW);

    expect(missed(0, 60_000)).toEqual({ misses: 1, dueAt: expect.any(Number) });
    expect(missed(1, 60_000)).toEqual({ misses: 2, dueAt: expect.any(Number) });
    expect(missed(5, 59_999)).toEqual({ misses: 6, dueAt: expect.any(Number) });
    expect(missed(2, 60_000)).toMatchObject({
      status: "failed",
      failure: { code: "task_expired" },
    });
  });
});

describe("a task that a vendor may have accepted", () => {
  const place = {
    channel: "c",
    provider: "kling",
    upstreamModel: "m",
    format: "video-kling",
    credential: "",
  };
  const unknown = (ageMs: number, more: Partial<Task> = {}): Task =>
    aTask({ status: "submit_unknown", createdAt: NOW - ageMs, place, ...more });

  test("continues at once if the vendor has it", () => {
    const task = unknown(1_000, { misses: 2, failures: 3 });

    expect(applySearchResult("up-1", task, NOW)).toEqual({
      status: "queued",
      misses: 0,
      failures: 0,
      dueAt: NOW,
      place: { ...place, upstreamId: "up-1" },
    });
  });

  test("is searched again for a quarter of an hour if the vendor cannot tell", () => {
    const soon = applySearchResult(null, unknown(15 * 60_000 - 1), NOW);

    expect(soon).toEqual({ dueAt: expect.any(Number) });
    expect(soon.dueAt).toBeGreaterThanOrEqual(NOW + 48_000);
    expect(soon.dueAt).toBeLessThanOrEqual(NOW + 72_000);
    expect(applySearchResult(null, unknown(15 * 60_000), NOW)).toMatchObject({
      status: "failed",
      failure: { code: "submit_unknown" },
    });
  });

  test("is given up at the third miss, once it is a minute old, and after a quarter of an hour at once", () => {
    expect(applySearchResult(undefined, unknown(60_000), NOW)).toMatchObject({ misses: 1 });
    expect(applySearchResult(undefined, unknown(59_999, { misses: 2 }), NOW)).toEqual({
      misses: 3,
      dueAt: expect.any(Number),
    });
    for (const task of [unknown(60_000, { misses: 2 }), unknown(15 * 60_000)]) {
      expect(applySearchResult(undefined, task, NOW)).toMatchObject({
        status: "failed",
        failure: { code: "submit_unknown" },
      });
    }
  });
});

describe("a task past its deadline", () => {
  test("fails at its deadline, and not before", () => {
    const task = aTask({ status: "running", deadlineAt: NOW });

    expect(givenUp(task, NOW - 1)).toBeUndefined();
    expect(givenUp(task, NOW)).toMatchObject({
      status: "failed",
      failure: { code: "task_timeout" },
      finishedAt: NOW,
    });
  });

  test("keeps its state if it is over", () => {
    expect(givenUp(aTask({ status: "succeeded", deadlineAt: 0 }), NOW)).toBeUndefined();
  });
});

describe("the next poll", () => {
  const between = (at: number | undefined, leastMs: number, mostMs: number): void => {
    expect(at).toBeGreaterThanOrEqual(NOW + leastMs);
    expect(at).toBeLessThanOrEqual(NOW + mostMs);
  };

  test("of a young task is soon, and of an old one after fifteen seconds", () => {
    for (let i = 0; i < 50; i++) {
      between(nextPollAt(aTask({ createdAt: NOW }), NOW), 1_600, 2_400);
      between(nextPollAt(aTask({ createdAt: NOW - 2_000 }), NOW), 2_400, 3_600);
      between(nextPollAt(aTask({ createdAt: NOW - 32_999 }), NOW), 8_000, 12_000);
      between(nextPollAt(aTask({ createdAt: NOW - 33_000 }), NOW), 12_000, 18_000);
      between(nextPollAt(aTask({ createdAt: 0 }), NOW), 12_000, 18_000);
    }
  });

  test("has a random offset for each task", () => {
    const task = aTask({ createdAt: NOW });

    expect(new Set(Array.from({ length: 50 }, () => nextPollAt(task, NOW))).size).toBeGreaterThan(
      5,
    );
  });

  test("after failures has growing intervals, up to a minute", () => {
    const failing = (failures: number): Task => aTask({ failures });
    const error = new GatewayError("upstream_failed", "");

    for (let i = 0; i < 50; i++) {
      between(afterFailure(error, failing(0), NOW).dueAt, 4_000, 6_000);
      between(afterFailure(error, failing(1), NOW).dueAt, 8_000, 12_000);
      between(afterFailure(error, failing(2), NOW).dueAt, 16_000, 24_000);
      between(afterFailure(error, failing(2_000), NOW).dueAt, 48_000, 72_000);
    }
    expect(afterFailure(error, failing(2), NOW).failures).toBe(3);
  });

  test("is not before the vendor's requested time, within a minute", () => {
    const asking = (retryAfterMs: number): GatewayError =>
      new GatewayError("upstream_rate_limited", "", { retryAfterMs });

    between(afterFailure(asking(30_000), aTask(), NOW).dueAt, 24_000, 36_000);
    between(afterFailure(asking(3_600_000), aTask(), NOW).dueAt, 48_000, 72_000);
    between(afterFailure(asking(1_000), aTask(), NOW).dueAt, 4_000, 6_000);
  });
});
