import { describe, expect, test } from "bun:test";
import { credential } from "#core/channel.ts";
import type { Task, TaskPlace } from "#core/task.ts";
import type { UpstreamRequest } from "#egress/egress.ts";
import type { JsonObject } from "#lib/json.ts";
import { aChannel } from "#test/a-channel.ts";
import { aTask } from "#test/a-task.ts";
import { reasonOf } from "#test/storage/contract-place.ts";
import type { SubmitDeps } from "./submit.ts";
import type { TaskSchedulerDeps } from "./task-scheduler.ts";
import { Tasks } from "./tasks.ts";

const SECRET = credential("secret-of-the-account");
/** These tests submit no task. */
const NOTHING_SUBMITTED = {} as SubmitDeps;
const PLACE: TaskPlace = {
  channel: "c",
  provider: "ark",
  upstreamModel: "doubao-seedance-1-0-pro-250528",
  format: "video-ark",
  credential: SECRET.label,
  upstreamId: "up-1",
};

/** A gateway with one task on disk, and a vendor that says how it is. */
function setup(change: Partial<Task> = {}, says: JsonObject = { status: "running" }) {
  let now = 1_767_268_800_000;
  let stored: Task = aTask({ place: PLACE, deadlineAt: now + 86_400_000, ...change });
  const hurried: string[] = [];
  const sent: UpstreamRequest[] = [];
  let removes = true;
  const own = (userId: number): Promise<Task | undefined> =>
    Promise.resolve(userId === stored.userId ? stored : undefined);
  const deps = {
    tasks: {
      find: (userId: number, id: string) =>
        id === stored.id ? own(userId) : Promise.resolve(undefined),
      findByExternalId: (userId: number, id: string) =>
        id === "theirs" ? own(userId) : Promise.resolve(undefined),
      findAny: (id: string) => Promise.resolve(id === stored.id ? stored : undefined),
      findByUpstream: () => Promise.resolve(undefined),
      requestPoll: async (id: string) => void hurried.push(id),
      remove: () => Promise.resolve(removes),
      change: (task: Task, more: Partial<Task>) =>
        Promise.resolve((stored = { ...task, ...more, version: task.version + 1 })),
    },
    clock: { now: () => now, monotonic: () => now },
    deadlines: { watch() {}, release() {}, now: () => now },
    lease: { owner: "one", leaseMs: 30_000 },
    limits: { tasks: 10, taskPolls: 10 },
    findChannel: (name: string) => aChannel({ name, provider: "ark", credentials: [SECRET] }),
    egress: {
      send: (request: UpstreamRequest) => {
        sent.push(request);
        const bytes = Buffer.from(JSON.stringify({ id: "up-1", ...says }));
        return Promise.resolve({
          status: 200,
          headers: new Map(),
          readAll: () => Promise.resolve(bytes),
          [Symbol.dispose]() {},
        });
      },
    },
    announce: () => Promise.resolve(),
    onError(cause: unknown) {
      throw cause;
    },
    polls: { onPoll() {} },
  } as unknown as TaskSchedulerDeps;
  const tasks = new Tasks(NOTHING_SUBMITTED, deps);
  return {
    tasks,
    task: stored,
    hurried,
    methods: () => sent.map(({ method }) => method),
    keep: () => void (removes = false),
    becomes: (more: Partial<Task>) => void (stored = { ...stored, ...more }),
    wait: (ms: number) => void (now += ms),
  };
}

describe.each([
  ["its id", (tasks: Tasks, userId: number) => tasks.see(userId, "task_1")],
  ["its external id", (tasks: Tasks, userId: number) => tasks.seeExternal(userId, "theirs")],
] as const)("a task that is requested by %s", (_, see) => {
  test("belongs to its user only", async () => {
    const { tasks, hurried } = setup();

    expect(await see(tasks, 2)).toBeUndefined();
    expect(hurried).toEqual([]);
  });

  test("is unchanged if it is finished, without an upstream call", async () => {
    const { tasks, task, methods, hurried } = setup({ status: "succeeded" });
    tasks.taskScheduler.take(task);

    expect(await see(tasks, 1)).toBe(task);
    expect(methods()).toEqual([]);
    expect(hurried).toEqual([]);
  });

  test("has the vendor's current state if this gateway leases it, polled every three seconds at most", async () => {
    const { tasks, task, methods, hurried, wait } = setup();
    tasks.taskScheduler.take(task);

    expect((await see(tasks, 1))?.status).toBe("running");
    wait(2_999);
    await see(tasks, 1);
    expect(methods()).toEqual(["GET"]);
    wait(1);
    await see(tasks, 1);
    expect(methods()).toEqual(["GET", "GET"]);
    expect(hurried).toEqual([]);
  });

  test("has the state stored by another gateway, which is requested to poll every three seconds at most", async () => {
    const { tasks, hurried, wait, methods } = setup({ progress: 40 });

    expect((await see(tasks, 1))?.progress).toBe(40);
    wait(2_999);
    await see(tasks, 1);
    expect(hurried).toEqual(["task_1"]);
    wait(1);
    await see(tasks, 1);
    expect(hurried).toEqual(["task_1", "task_1"]);
    expect(methods()).toEqual([]);
  });
});

describe("a task that its client removes", () => {
  test("is removed if it is over", async () => {
    const { tasks, task } = setup();

    expect(await reasonOf(tasks.remove(task))).toBeUndefined();
  });

  test("stays if it is not over", async () => {
    const { tasks, task, keep } = setup();
    keep();

    expect(await reasonOf(tasks.remove(task))).toMatchObject({ code: "invalid_request" });
  });
});

describe("a task that its client cancels", () => {
  test("is cancelled at its vendor if that has not begun, and polled soon", async () => {
    const { tasks, task, methods, hurried } = setup({}, { status: "queued" });

    await tasks.cancel(task);

    expect(methods()).toEqual(["GET", "DELETE"]);
    expect(hurried).toEqual(["task_1"]);
  });

  test("continues if it has begun, with an error that says so", async () => {
    const { tasks, task, methods, hurried } = setup({}, { status: "running" });

    expect(await reasonOf(tasks.cancel(task))).toMatchObject({
      code: "invalid_request",
      message: "A task that has begun cannot be cancelled.",
    });
    expect(methods()).toEqual(["GET"]);
    expect(hurried).toEqual(["task_1"]);
  });

  test("cannot be cancelled before its upstream id is known", async () => {
    const { upstreamId: _, ...place } = PLACE;
    for (const each of [setup({ place }), setup()]) {
      const { place: _place, ...without } = each.task;
      const task = each.task.place?.upstreamId === undefined ? each.task : without;
      expect(await reasonOf(each.tasks.cancel(task))).toMatchObject({
        code: "invalid_request",
        message: "The upstream's id of this task is not known yet.",
      });
      expect(each.methods()).toEqual([]);
    }
  });
});

describe("a task with a possible change", () => {
  test("is polled by this gateway if it leases it", async () => {
    const { tasks, task, hurried } = setup({ dueAt: 1_767_268_800_000 + 60_000 });
    tasks.taskScheduler.take(task);

    await tasks.requestPoll("task_1");

    expect(hurried).toEqual([]);
    expect(tasks.taskScheduler.find("task_1")?.dueAt).toBe(1_767_268_800_000);
  });

  test("is reported to the gateway that leases it, and again after three seconds", async () => {
    const { tasks, hurried, wait } = setup();

    await tasks.requestPoll("task_1");
    await tasks.requestPoll("task_2");
    wait(2_999);
    await tasks.requestPoll("task_1");
    expect(hurried).toEqual(["task_1", "task_2"]);
    wait(1);
    await tasks.requestPoll("task_1");
    expect(hurried).toEqual(["task_1", "task_2", "task_1"]);
  });

  test("is remembered with ten thousand others", async () => {
    const { tasks, hurried, wait } = setup();
    await tasks.requestPoll("task 1");
    wait(3_000);
    for (let i = 0; i < 10_000; i++) await tasks.requestPoll(`task ${i}`);
    hurried.shift();
    await tasks.requestPoll("task 0");
    expect(hurried).toHaveLength(10_000);

    await tasks.requestPoll("one more");
    await tasks.requestPoll("task 1");
    expect(hurried).toHaveLength(10_001);
    await tasks.requestPoll("task 0");
    expect(hurried.at(-1)).toBe("task 0");
  });

  test("is the one named by a vendor's webhook, unless that is over", async () => {
    const webhook = { channel: "c", taskId: "task_1", body: Buffer.from("{}"), header: () => "" };
    const { tasks, hurried, becomes, wait } = setup();

    await tasks.handleVendorWebhook(webhook);
    expect(hurried).toEqual(["task_1"]);
    becomes({ status: "failed" });
    wait(3_000);
    await tasks.handleVendorWebhook(webhook);
    expect(hurried).toEqual(["task_1"]);
  });
});
