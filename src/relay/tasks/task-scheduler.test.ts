import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { credential, type Channel } from "#core/channel.ts";
import { nanoUsd } from "#core/money.ts";
import type { Task } from "#core/task.ts";
import { NO_USAGE } from "#core/usage.ts";
import type { Egress, UpstreamReply, UpstreamRequest } from "#egress/egress.ts";
import { Deadlines } from "#lib/deadlines.ts";
import type { Clock } from "#lib/clock.ts";
import type { JsonObject } from "#lib/json.ts";
import { placeSchema } from "#test/sqlite-template.ts";
import { IS_LONG } from "#test/seed.ts";
import { holdFor, openAt, withKey } from "#test/storage/contract-place.ts";
import type { Storage } from "#storage/open.ts";
import { TaskScheduler, type TaskSchedulerDeps } from "./task-scheduler.ts";

const LEASE_MS = 30_000;
const PRICE = { input: 0, output: 0, second: 1_000_000_000, source: "test", date: "2026-01-01" };
const HELD = nanoUsd(9_000_000);

let dataDir: string;
let storage: Storage;
let clock: ManualClock;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "sluice-board-"));
  clock = new ManualClock();
  await placeSchema(dataDir);
  storage = await openAt({ dataDir }, { clock });
});

afterEach(async () => {
  await storage.close();
  rmSync(dataDir, { recursive: true, force: true });
});

describe("a task", () => {
  test("goes through its states, and is settled by its actual result", async () => {
    const vendor = new FakeVendor();
    await using one = boardOf("one", vendor);
    const task = await begin();
    one.taskScheduler.take(task);

    vendor.says({ status: "running" });
    await one.pass(3_000);
    expect((await storage.tasks.findAny(task.id))?.status).toBe("running");
    vendor.says(DONE);
    await one.pass(20_000);

    expect(one.polled).toEqual(["running", "succeeded"]);
    const done = await storage.tasks.findAny(task.id);
    expect([done?.status, done?.isSettled, done?.videos[0]?.url]).toEqual([
      "succeeded",
      true,
      "https://cdn.example/v.mp4",
    ]);
    expect<object>(await accountOf()).toEqual({ held: 0, spent: 5_000_000 });
    expect(one.announced.map(({ status }) => status)).toEqual(["running", "succeeded"]);
    expect(one.taskScheduler.size).toBe(0);
  });

  test("that failed costs nothing", async () => {
    const vendor = new FakeVendor();
    await using one = boardOf("one", vendor);
    const task = await begin();
    one.taskScheduler.take(task);

    vendor.says({
      status: "failed",
      error: { code: "OutputVideoSensitiveContentDetected", message: "no" },
    });
    await one.pass(3_000);

    const failed = await storage.tasks.findAny(task.id);
    expect([failed?.status, failed?.failure?.code, failed?.isSettled]).toEqual([
      "failed",
      "content_filtered",
      true,
    ]);
    expect<object>(await accountOf()).toEqual({ held: 0, spent: 0 });
  });

  test("with an unreachable vendor is polled again, at growing intervals, until its deadline", async () => {
    const vendor = new FakeVendor();
    await using one = boardOf("one", vendor);
    const task = await begin({ deadlineAt: clock.now() + 200_000 });
    one.taskScheduler.take(task);

    vendor.breaks = true;
    for (let at = 0; at < 100; at++) await one.pass(1_000);
    expect(vendor.asked.length).toBeGreaterThan(2);
    expect(vendor.asked.length).toBeLessThan(12);
    expect(new Set(one.polled)).toEqual(new Set(["internal"]));
    expect((await storage.tasks.findAny(task.id))?.status).toBe("queued");
    for (let at = 0; at < 200; at++) await one.pass(1_000);

    const given = await storage.tasks.findAny(task.id);
    expect([given?.status, given?.failure?.code, given?.isSettled]).toEqual([
      "failed",
      "task_timeout",
      true,
    ]);
    expect<object>(await accountOf()).toEqual({ held: 0, spent: 0 });
  });

  test("that still runs at its deadline is given up, and one that is done by then is not", async () => {
    for (const [said, status, code] of [
      [{ status: "running" }, "failed", "task_timeout"],
      [DONE, "succeeded", undefined],
    ] as const) {
      const vendor = new FakeVendor();
      await using one = boardOf("one", vendor);
      const task = await begin({ deadlineAt: clock.now() + 1_000 });
      one.taskScheduler.take(task);
      vendor.says(said);
      await one.pass(2_000);

      const over = await storage.tasks.findAny(task.id);
      expect([over?.status, over?.failure?.code]).toEqual([status, code]);
    }
  });

  test("that cannot be polled is told to the operator only if the gateway is at fault", async () => {
    const vendor = new FakeVendor();
    await using one = boardOf("one", vendor);
    one.taskScheduler.take(await begin());
    vendor.status = 500;
    await one.pass(2_000);
    expect([vendor.asked.length, one.errors]).toEqual([1, []]);

    vendor.breaks = true;
    await one.pass(10_000);
    expect(one.errors).toMatchObject([{ message: "There is nobody." }]);
  });

  test("whose end cannot be announced is told to the operator, and announced later", async () => {
    const vendor = new FakeVendor();
    const failures = [new Error("The disk is full.")];
    const announced: Task[] = [];
    const announce = async (task: Task): Promise<void> => {
      const failure = failures.pop();
      if (failure !== undefined) throw failure;
      announced.push(task);
    };
    await using one = boardOf("one", vendor, {}, { announce });
    const task = await begin();
    one.taskScheduler.take(task);
    vendor.says(DONE);
    await one.pass(2_000);
    expect([one.errors.length, announced.length, one.taskScheduler.size]).toEqual([1, 0, 1]);

    await one.pass(3_000);
    expect(announced).toEqual([]);
    await one.pass(5_000);
    expect(announced.map(({ status }) => status)).toEqual(["succeeded"]);
    expect((await storage.tasks.findAny(task.id))?.isSettled).toBe(true);
    expect(one.closed).toHaveLength(1);
  });

  test("is written at each ten percent of its progress, for steps of any size", async () => {
    const vendor = new FakeVendor();
    await using one = boardOf("one", vendor);
    const task = await begin({ channel: "sora", status: "running" });
    const place = {
      ...task.place,
      provider: "openai",
      format: "video-openai",
      upstreamModel: "sora-2",
    };
    one.taskScheduler.take({ ...task, place } as Task);
    const seen: unknown[] = [];
    for (const progress of [6, 10, 15, 19, 20]) {
      vendor.says({ object: "video", status: "in_progress", progress });
      for (let at = 0; at < 2; at++) await one.pass(10_000);
      const written = await storage.tasks.findAny(task.id);
      seen.push([written?.progress, one.taskScheduler.find(task.id)?.progress]);
    }

    expect(seen).toEqual([
      [undefined, 6],
      [10, 10],
      [10, 15],
      [10, 19],
      [20, 20],
    ]);
  });

  test("unknown to its vendor is given up only if it is old enough to be known", async () => {
    const vendor = new FakeVendor();
    await using one = boardOf("one", vendor);
    const task = await begin();
    one.taskScheduler.take(task);

    vendor.status = 404;
    for (let at = 0; at < 50; at++) await one.pass(1_000);
    expect((await storage.tasks.findAny(task.id))?.status).toBe("queued");
    for (let at = 0; at < 40; at++) await one.pass(1_000);

    expect((await storage.tasks.findAny(task.id))?.failure?.code).toBe("task_expired");
  });

  test("with an unknown submission result fails in the end, without cost", async () => {
    const vendor = new FakeVendor();
    await using one = boardOf("one", vendor);
    const task = await begin({ status: "submitting", dueAt: clock.now(), leaseMs: 0 });
    await one.taskScheduler.renew();

    await one.pass(1_000);
    expect((await storage.tasks.findAny(task.id))?.status).toBe("submit_unknown");
    for (let at = 0; at < 17; at++) {
      await one.taskScheduler.renew();
      for (let step = 0; step < 4; step++) await one.pass(15_000);
      await one.taskScheduler.renew();
    }

    const given = await storage.tasks.findAny(task.id);
    expect([given?.status, given?.failure?.code]).toEqual(["failed", "submit_unknown"]);
    expect<object>(await accountOf()).toEqual({ held: 0, spent: 0 });
    expect(vendor.asked).toEqual([]);
  });

  test("that ended when its gateway died is settled by the next one, once", async () => {
    const vendor = new FakeVendor();
    const over = { status: "succeeded", videos: [{ url: "https://cdn.example/v.mp4" }] } as const;
    const task = await begin({
      ...over,
      usage: { ...NO_USAGE, durationMs: 3_000 },
      dueAt: clock.now(),
      leaseMs: 0,
    });
    await using one = boardOf("one", vendor);
    await using two = boardOf("two", vendor);

    await Promise.all([one.taskScheduler.renew(), two.taskScheduler.renew()]);
    await Promise.all([one.pass(500), two.pass(0)]);

    expect((await storage.tasks.findAny(task.id))?.isSettled).toBe(true);
    expect<object>(await accountOf()).toEqual({ held: 0, spent: 3_000_000 });
    expect([...one.closed, ...two.closed]).toHaveLength(1);
  });
});

describe("two gateways", () => {
  test("never poll the same task at once, even if one sleeps longer than its lease", async () => {
    const vendor = new FakeVendor();
    await using one = boardOf("one", vendor);
    await using two = boardOf("two", vendor);
    const tasks = await Promise.all(Array.from({ length: 20 }, () => begin({ leaseMs: 0 })));
    await one.taskScheduler.renew();
    expect(one.taskScheduler.size).toBe(20);

    // The first one is stopped here, and wakes up when the second has long taken over.
    clock.pass(LEASE_MS + 1_000);
    await two.taskScheduler.renew();
    expect(two.taskScheduler.size).toBe(20);
    await Promise.all([one.pass(0), two.pass(0)]);
    await Promise.all([one.pass(20_000), two.pass(0)]);

    expect(one.taskScheduler.size).toBe(0);
    expect(vendor.most).toBe(1);
    vendor.says(DONE);
    await two.taskScheduler.renew();
    await Promise.all([one.pass(20_000), two.pass(0)]);
    await Promise.all([one.pass(20_000), two.pass(0)]);

    const states = await Promise.all(tasks.map(({ id }) => storage.tasks.findAny(id)));
    expect(new Set(states.map((each) => each?.status))).toEqual(new Set(["succeeded"]));
    expect<object>(await accountOf()).toEqual({ held: 0, spent: 20 * 5_000_000 });
  });
});

describe("a gateway", () => {
  test("that slept for almost the time of its leases continues with its tasks", async () => {
    const vendor = new FakeVendor();
    await using one = boardOf("one", vendor);
    const task = await begin({ leaseMs: 0 });
    await one.taskScheduler.renew();
    vendor.says(DONE);

    await one.pass(LEASE_MS - 4_000);
    for (let at = 0; at < 20; at++) await one.pass(2_000);

    expect((await storage.tasks.findAny(task.id))?.status).toBe("succeeded");
  });

  test("that renews its leases keeps its tasks", async () => {
    await using one = boardOf("one", new FakeVendor());
    await using two = boardOf("two", new FakeVendor());
    await begin({ leaseMs: 0 });
    await one.taskScheduler.renew();
    clock.pass(LEASE_MS / 2);
    await one.taskScheduler.renew();
    clock.pass(LEASE_MS / 2 + 1);
    await two.taskScheduler.renew();

    expect([one.taskScheduler.size, two.taskScheduler.size]).toEqual([1, 0]);
  });

  test("reads its tasks again if its leases may have ended", async () => {
    await using one = boardOf("one", new FakeVendor());
    const task = await begin({ leaseMs: 0 });
    await one.taskScheduler.renew();
    await storage.tasks.change(task, { progress: 10 });
    clock.pass(LEASE_MS * 0.8);
    await one.taskScheduler.renew();

    expect(one.taskScheduler.find(task.id)?.progress).toBe(10);
  });

  test("does not give back a task that it leased again during a poll", async () => {
    const vendor = new FakeVendor();
    await using one = boardOf("one", vendor);
    await using two = boardOf("two", vendor);
    const task = await begin({ channel: "slow", leaseMs: 0 });
    await one.taskScheduler.renew();
    vendor.hangs.add("slow");
    void one.taskScheduler.pollNow(task.id, 0);
    clock.pass(LEASE_MS);
    await storage.tasks.change(task, { progress: 10 });
    await one.taskScheduler.renew();
    vendor.says({ status: "running" });
    vendor.release();
    await one.pass(0);
    await two.taskScheduler.renew();

    expect([one.taskScheduler.size, two.taskScheduler.size]).toEqual([1, 0]);
  });

  test("polls a task at once if another gateway asks for it", async () => {
    const vendor = new FakeVendor();
    await using one = boardOf("one", vendor);
    const task = await begin({ dueAt: clock.now() + 15_000 });
    one.taskScheduler.take(task);
    await storage.tasks.requestPoll(task.id);
    await one.pass(0);

    expect(vendor.asked).toHaveLength(1);
  });

  test("is woken by its timer until it closes", async () => {
    const watched = new Set<unknown>();
    const deadlines = {
      watch: (one: unknown) => void watched.add(one),
      release: (one: unknown) => void watched.delete(one),
    } as unknown as Deadlines;
    const { taskScheduler } = boardOf("one", new FakeVendor(), {}, { deadlines });
    expect([...watched]).toEqual([taskScheduler]);
    await taskScheduler.close();
    expect(watched.size).toBe(0);
  });

  test("continues with a task that another gateway changed during the poll", async () => {
    const vendor = new FakeVendor();
    await using one = boardOf("one", vendor);
    const task = await begin({ leaseMs: 0 });
    await one.taskScheduler.renew();
    await storage.tasks.change(task, { progress: 10 });
    vendor.says(DONE);

    for (let at = 0; at < 20; at++) await one.pass(2_000);

    expect((await storage.tasks.findAny(task.id))?.status).toBe("succeeded");
  });
});

describe("a channel", () => {
  test("that hangs delays no other", async () => {
    const vendor = new FakeVendor();
    await using one = boardOf("one", vendor);
    vendor.hangs.add("slow");
    for (let at = 0; at < LOOKS + 8; at++) {
      one.taskScheduler.take(await begin({ channel: "slow" }));
    }
    const quick = await begin({ channel: "quick", dueAt: clock.now() + 2_500 });
    one.taskScheduler.take(quick);

    vendor.says(DONE);
    await one.pass(5_000);

    expect((await storage.tasks.findAny(quick.id))?.status).toBe("succeeded");
    const asked = vendor.asked.filter((each) => each.startsWith("slow"));
    expect(asked.length).toBe(LOOKS);
    vendor.release();
  });
});

describe("a request that waits for a task", () => {
  test("has it polled now, unless it was polled recently or is another gateway's", async () => {
    const vendor = new FakeVendor();
    await using one = boardOf("one", vendor);
    const task = await begin();
    one.taskScheduler.take(task);
    vendor.says({ status: "running" });

    expect(await one.taskScheduler.pollNow("another", 0)).toBe(false);
    expect(await one.taskScheduler.pollNow(task.id, 1_000)).toBe(true);
    expect((await storage.tasks.findAny(task.id))?.status).toBe("running");
    expect(await one.taskScheduler.pollNow(task.id, 1_000)).toBe(true);
    clock.pass(999);
    await one.taskScheduler.pollNow(task.id, 1_000);
    expect(vendor.asked).toHaveLength(1);
    clock.pass(1);
    await one.taskScheduler.pollNow(task.id, 1_000);
    expect(vendor.asked).toHaveLength(2);
  });

  test("waits for a running poll, and causes no second one", async () => {
    const vendor = new FakeVendor();
    await using one = boardOf("one", vendor);
    const task = await begin({ channel: "slow" });
    one.taskScheduler.take(task);
    vendor.hangs.add("slow");
    let ended = 0;
    const waits = [0, 0].map(() => one.taskScheduler.pollNow(task.id, 0).then(() => ended++));
    await Bun.sleep(2);
    expect([vendor.asked.length, ended]).toEqual([1, 0]);

    vendor.release();
    await Promise.all(waits);
    expect([vendor.asked.length, one.taskScheduler.polls]).toEqual([1, 0]);
  });
});

describe("a vendor's webhook", () => {
  test("causes a poll at once, and at most one a second", async () => {
    const vendor = new FakeVendor();
    await using one = boardOf("one", vendor);
    const task = await begin({ dueAt: clock.now() + 15_000 });
    one.taskScheduler.take(task);

    expect(one.taskScheduler.pollSoon("another")).toBe(false);
    expect(one.taskScheduler.pollSoon(task.id)).toBe(true);
    await one.pass(0);
    expect(vendor.asked).toHaveLength(1);
    one.taskScheduler.pollSoon(task.id);
    await one.pass(999);
    expect(vendor.asked).toHaveLength(1);
    await one.pass(1);
    expect(vendor.asked).toHaveLength(2);
  });

  test("changes nothing while a poll runs, which it may have come from", async () => {
    const vendor = new FakeVendor();
    await using one = boardOf("one", vendor);
    const task = await begin({ channel: "slow" });
    one.taskScheduler.take(task);
    vendor.hangs.add("slow");
    const polling = one.taskScheduler.pollNow(task.id, 0);

    expect(one.taskScheduler.pollSoon(task.id)).toBe(true);
    expect(one.taskScheduler.find(task.id)?.dueAt).toBe(task.dueAt);
    vendor.release();
    await polling;
  });

  test("does not delay a poll that is due earlier", async () => {
    const vendor = new FakeVendor();
    await using one = boardOf("one", vendor);
    const task = await begin({ dueAt: clock.now() - 500 });
    one.taskScheduler.take(task);
    one.taskScheduler.pollSoon(task.id);

    expect(one.taskScheduler.find(task.id)?.dueAt).toBe(task.dueAt);
    await one.pass(0);
    expect(vendor.asked).toHaveLength(1);
  });
});

describe("the tasks of a gateway", () => {
  test("are as new as the newest version received", async () => {
    await using one = boardOf("one", new FakeVendor());
    const task = aTask({ version: 2 });
    one.taskScheduler.take(task);
    one.taskScheduler.take({ ...task, version: 1, progress: 10 });
    one.taskScheduler.take({ ...task, version: 2, progress: 20 });
    expect(one.taskScheduler.find(task.id)?.progress).toBeUndefined();

    one.taskScheduler.take({ ...task, version: 3, progress: 30 });
    expect(one.taskScheduler.find(task.id)?.progress).toBe(30);
    expect([one.taskScheduler.size, one.taskScheduler.find("another")]).toEqual([1, undefined]);
  });

  test("are not polled again at once because they were changed elsewhere", async () => {
    const vendor = new FakeVendor();
    await using one = boardOf("one", vendor);
    const task = await begin();
    one.taskScheduler.take(task);
    await one.taskScheduler.pollNow(task.id, 1_000);
    one.taskScheduler.take({ ...task, version: 9 });
    await one.taskScheduler.pollNow(task.id, 1_000);

    expect(vendor.asked).toHaveLength(1);
  });

  test("are not leased beyond its limit, also if clients submitted more", async () => {
    await using one = boardOf("one", new FakeVendor(), { tasks: 1 });
    for (let at = 0; at < 2; at++) one.taskScheduler.take(await begin());
    await begin({ leaseMs: 0 });
    await one.taskScheduler.renew();

    expect(one.taskScheduler.size).toBe(2);
  });

  test("are limited in number", async () => {
    await using one = boardOf("one", new FakeVendor(), { tasks: 2 });
    for (let at = 0; at < 3; at++) await begin({ leaseMs: 0 });
    await one.taskScheduler.renew();
    expect(one.taskScheduler.size).toBe(2);
    await one.taskScheduler.renew();
    expect(one.taskScheduler.size).toBe(2);
  });

  test("are released on close, after the running polls", async () => {
    const vendor = new FakeVendor();
    await using one = boardOf("one", vendor);
    await using two = boardOf("two", vendor);
    const task = await begin({ channel: "slow" });
    one.taskScheduler.take(task);
    vendor.hangs.add("slow");
    void one.taskScheduler.pollNow(task.id, 0);
    let isClosed = false;
    const closing = one.taskScheduler.close().then(() => (isClosed = true));
    await Bun.sleep(5);
    await two.taskScheduler.renew();
    expect([isClosed, one.taskScheduler.size, two.taskScheduler.size]).toEqual([false, 0, 0]);

    vendor.release();
    await closing;
    await two.taskScheduler.renew();
    expect(two.taskScheduler.size).toBe(1);
  });

  test("are dropped after their leases may have ended", async () => {
    await using one = boardOf("one", new FakeVendor());
    one.taskScheduler.take(await begin());
    clock.pass(LEASE_MS * 0.8 - 1);
    one.taskScheduler.onDue(clock.monotonic());
    expect(one.taskScheduler.size).toBe(1);

    clock.pass(1);
    one.taskScheduler.onDue(clock.monotonic());
    expect(one.taskScheduler.size).toBe(0);
  });

  test("are checked ten times a second", async () => {
    await using one = boardOf("one", new FakeVendor());
    one.taskScheduler.onDue(5_000);

    expect(one.taskScheduler.dueAt).toBe(5_100);
  });

  test("that wait for their channel are polled when it is free, and their delay is measured", async () => {
    const vendor = new FakeVendor();
    await using one = boardOf("one", vendor, { taskPolls: 1 });
    const dueAt = clock.now();
    const tasks = [
      await begin({ dueAt, channel: "slow" }),
      await begin({ dueAt, channel: "slow" }),
    ];
    vendor.hangs.add("slow");
    for (const task of tasks) one.taskScheduler.take(task);
    await one.pass(300);
    expect([vendor.asked.length, one.taskScheduler.polls]).toEqual([1, 1]);
    // Asked for again, it waits once all the same.
    await one.taskScheduler.pollNow(tasks[1]?.id ?? "", 0);

    vendor.release();
    await one.pass(0);
    expect([vendor.asked.length, one.taskScheduler.polls]).toEqual([2, 0]);
    expect(one.late).toEqual([300, 300]);
  });
});

describe("the polls of a channel", () => {
  test("are counted until each is over", async () => {
    const vendor = new FakeVendor();
    await using one = boardOf("one", vendor);
    const [slow, quick] = [await begin(), await begin()];
    for (const task of [slow, quick]) one.taskScheduler.take(task);
    vendor.hangs.add(`cgt-${slow.id}`);
    void one.taskScheduler.pollNow(slow.id, 0);
    expect(one.taskScheduler.polls).toBe(1);
    await one.taskScheduler.pollNow(quick.id, 0);

    expect([vendor.asked.length, one.taskScheduler.polls]).toEqual([2, 1]);
  });

  test("continue after leases that ended while tasks waited for the channel", async () => {
    const vendor = new FakeVendor();
    await using one = boardOf("one", vendor, { taskPolls: 1 });
    const dueAt = clock.now();
    for (let at = 0; at < 2; at++) await begin({ dueAt, channel: "slow", leaseMs: 0 });
    await one.taskScheduler.renew();
    vendor.hangs.add("slow");
    await one.pass(0);
    clock.pass(LEASE_MS);
    await one.taskScheduler.renew();
    await one.pass(0);
    expect(vendor.asked).toHaveLength(1);

    vendor.release();
    await one.pass(0);
    expect(vendor.asked.length).toBeGreaterThanOrEqual(3);
  });
});

test("thousands of tasks are each polled when they are due", async () => {
  const vendor = new FakeVendor();
  await using one = boardOf("one", vendor);
  const count = IS_LONG ? 5_000 : 2_000;
  for (let at = 0; at < count; at++) {
    one.taskScheduler.take(aTask({ dueAt: clock.now() + (at % 15) * 1_000, createdAt: 0 }));
  }
  vendor.says({ status: "running" });

  const late: number[] = [];
  for (let second = 0; second < 30; second++) {
    const due = vendor.asked.length;
    await one.pass(1_000);
    late.push(vendor.asked.length - due);
  }

  // A third of them every five seconds, and none forgotten.
  const times = new Map<string, number>();
  for (const id of vendor.asked) times.set(id, (times.get(id) ?? 0) + 1);
  expect(times.size).toBe(count);
  expect(Math.min(...times.values())).toBeGreaterThanOrEqual(1);
  expect(Math.max(...late)).toBeLessThan(count * 0.3);
});

const DONE: JsonObject = {
  status: "succeeded",
  content: { video_url: "https://cdn.example/v.mp4" },
  duration: 5,
};
const LOOKS = 32;

class ManualClock implements Clock {
  #ms = 1_800_000_000_000;

  now(): number {
    return this.#ms;
  }

  monotonic(): number {
    return this.#ms;
  }

  pass(ms: number): void {
    this.#ms += ms;
  }
}

/** A vendor of tasks, as the gateway hears it. */
class FakeVendor {
  readonly asked: string[] = [];
  readonly hangs = new Set<string>();
  readonly #open = new Map<string, number>();
  readonly #released = Promise.withResolvers<void>();
  /** Questions about one task at once. */
  most = 0;
  status = 200;
  breaks = false;
  #body: JsonObject = { status: "queued" };

  says(body: JsonObject): void {
    this.#body = body;
  }

  release(): void {
    this.#released.resolve();
  }

  readonly send = async ({ url, pool }: UpstreamRequest): Promise<UpstreamReply> => {
    const id = url.pathname.split("/").at(-1) ?? "";
    const channel = pool.split(/[^a-z]/)[0] ?? "";
    this.asked.push(`${channel} ${id}`);
    const open = (this.#open.get(id) ?? 0) + 1;
    this.#open.set(id, open);
    this.most = Math.max(this.most, open);
    try {
      await Promise.resolve();
      if (this.hangs.has(channel) || this.hangs.has(id)) await this.#released.promise;
      if (this.breaks) throw new Error("There is nobody.");
      return replyOf(this.status, { id, ...this.#body });
    } finally {
      this.#open.set(id, open - 1);
    }
  };
}

function replyOf(status: number, body: JsonObject): UpstreamReply {
  const bytes = Buffer.from(JSON.stringify(body));
  return {
    status,
    headers: new Map(),
    async pump(onPiece) {
      await onPiece(bytes);
    },
    readAll: async () => bytes,
    readFailure: async () => bytes.toString(),
    close() {},
    [Symbol.dispose]() {},
  };
}

function boardOf(
  owner: string,
  vendor: FakeVendor,
  limits: Partial<TaskSchedulerDeps["limits"]> = {},
  more: Partial<TaskSchedulerDeps> = {},
) {
  const errors: unknown[] = [];
  const late: number[] = [];
  const polled: (string | undefined)[] = [];
  const announced: Task[] = [];
  const closed: string[] = [];
  const egress: Egress = { send: vendor.send, abortAll() {}, closePool() {}, close() {} };
  const deps: TaskSchedulerDeps = {
    tasks: storage.tasks,
    ledger: storage.ledger,
    egress,
    clock,
    deadlines: new Deadlines(clock),
    lease: { owner, leaseMs: LEASE_MS },
    limits: { tasks: 20_000, taskPolls: LOOKS, ...limits },
    findChannel: channelNamed,
    announce: async (task) => void announced.push(task),
    onClosed: ({ id }) => closed.push(id),
    onError: (cause) => void errors.push(cause),
    polls: {
      onPoll: (lateMs) => void late.push(lateMs),
      onPolled: ({ found, fault }) => void polled.push(found ?? fault),
    },
    ...more,
  };
  const taskScheduler = new TaskScheduler(deps);
  return {
    taskScheduler,
    announced,
    closed,
    errors,
    late,
    polled,
    /** Lets time go by, and whatever is due be done. */
    async pass(ms: number): Promise<void> {
      clock.pass(ms);
      if (ms <= LEASE_MS / 2) await taskScheduler.renew();
      taskScheduler.onDue(clock.monotonic());
      // A vendor that hangs is not waited for.
      for (let turn = 0; turn < 200 && (turn < 2 || taskScheduler.polls > 0); turn++) {
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    },
    [Symbol.asyncDispose]: () => {
      vendor.release();
      return taskScheduler.close();
    },
  };
}

function channelNamed(name: string): Channel {
  return {
    name,
    provider: name === "sora" ? "openai" : "ark",
    baseUrl: "https://ark.example/api/v3",
    credentials: [credential("secret-of-the-first")],
    models: { kind: "discover" },
    priority: 1,
    weight: 1,
    maxConcurrent: 100,
    isSimulated: false,
  };
}

let count = 0;

function aTask({
  channel = "c",
  ...more
}: Partial<Task> & { readonly channel?: string } = {}): Task {
  const id = `task_${++count}`;
  return {
    id,
    userId: 1,
    keyId: 1,
    entry: "video-unified",
    model: "m",
    facts: { scenario: "text", seconds: 5 },
    status: "queued",
    place: {
      channel,
      provider: "ark",
      upstreamModel: "doubao-seedance-1-0-pro-250528",
      format: "video-ark",
      credential: credential("secret-of-the-first").label,
      upstreamId: `cgt-${id}`,
    },
    videos: [],
    usage: { ...NO_USAGE, durationMs: 5_000 },
    price: PRICE,
    held: HELD,
    lost: [],
    createdAt: clock.now(),
    deadlineAt: clock.now() + 86_400_000,
    dueAt: clock.now() + 2_000,
    failures: 0,
    misses: 0,
    isSettled: false,
    version: 1,
    ...more,
  };
}

/** A task on disk, with its hold. */
async function begin({
  leaseMs = LEASE_MS,
  ...more
}: Parameters<typeof aTask>[0] & { readonly leaseMs?: number } = {}): Promise<Task> {
  const task = aTask(more);
  const accounts = await withKey(storage, 1e12);
  const { durable } = await storage.ledger.hold({
    ...holdFor(accounts.slice(0, 1), HELD, task.id),
    isLasting: true,
  });
  await durable;
  await storage.tasks.create(task, "one", leaseMs);
  return task;
}

async function accountOf(): Promise<{ held: number | undefined; spent: number | undefined }> {
  const { id } = await storage.users.ensureRoot();
  const account = await storage.ledger.findAccount(`user:${id}`);
  return { held: account?.held, spent: account?.spent };
}
