import { expect, test } from "bun:test";
import { sql, type CompiledQuery } from "kysely";
import { GatewayError } from "#core/error.ts";
import type { Task, TaskPageQuery, TaskSearch, TaskStatus } from "#core/task.ts";
import { MAY_FOLLOW } from "#core/task.ts";
import { aTask, holdFor, newId, openAt, withKey, type Place } from "./contract-place.ts";
import { planOf, Watch } from "./plans.ts";
import type { Storage } from "#storage/open.ts";
import { createTaskStore } from "#storage/tasks/tasks.ts";

const LEASE_MS = 60_000;

/** What both databases promise of tasks. */
export function describeTasks(
  openPlace: () => Promise<Place>,
  engine: "sqlite" | "postgres",
): void {
  test("no page of the tasks of all users sorts them all", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    for (let createdAt = 0; createdAt < 500; createdAt++)
      await storage.tasks.create(aTask({ createdAt }), "one", LEASE_MS);
    await sql`analyze`.execute(storage.db);
    const queries: CompiledQuery[] = [];
    const db = storage.db.withPlugin(new Watch(storage.db, queries));
    const tasks = createTaskStore({ db, sharedNow: () => sql.lit(0) });

    const page = await tasks.search({ hidesRemoved: false, limit: 20 });
    await tasks.search({ hidesRemoved: false, limit: 20, before: page[19]?.id ?? "" });

    // The page is found by this part, which the whole query has as a condition.
    const plans = await Promise.all(
      queries
        .filter((query) => query.sql.startsWith('select "id" from "tasks"'))
        .map((query) => planOf(storage.db, query, engine)),
    );
    expect(plans.length).toBe(2);
    for (const plan of plans) {
      expect(plan).toContain("tasks_by_time");
      expect(plan).not.toMatch(/TEMP B-TREE|Sort|Seq Scan/);
    }
  });

  test("a task is read as written, by its user only", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const whole = aTask({
      status: "succeeded",
      place: { ...PLACE, upstreamId: "v-1" },
      progress: 100,
      videos: [{ url: "https://cdn.example/v.mp4", seconds: 5, width: 1280, height: 720 }],
      linksEndAt: 9,
      price: { input: 1, output: 2, source: "test", date: "2026-01-01" },
      facts: { scenario: "text", prompt: "a fox", seconds: 5, audio: false, externalId: "order-7" },
      startedAt: 5,
      finishedAt: 6,
    });
    await storage.tasks.create(whole, "one", LEASE_MS);

    expect(await storage.tasks.find(1, whole.id)).toEqual(whole);
    expect(await storage.tasks.find(2, whole.id)).toBeUndefined();
    expect(await storage.tasks.findByExternalId(1, "order-7")).toEqual(whole);
    expect(await storage.tasks.findByExternalId(2, "order-7")).toBeUndefined();
    expect(await storage.tasks.findByUpstream(PLACE.channel, "v-1")).toEqual(whole);
    expect(await storage.tasks.findByUpstream("another", "v-1")).toBeUndefined();
  });

  test("of many tasks with one external id, one has it until it is removed", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const facts = { scenario: "text", prompt: "a fox", seconds: 5, audio: false } as const;
    const named = (more: Partial<Task> = {}): Task =>
      aTask({ status: "succeeded", facts: { ...facts, externalId: "order-1" }, ...more });
    const create = (task: Task, isOwner: boolean): Promise<string> =>
      storage.tasks.create(task, "one", LEASE_MS, isOwner).then(
        () => "made",
        (cause: unknown) => GatewayError.from(cause).code,
      );

    const tasks = Array.from({ length: 5 }, () => named());
    const outcomes = await Promise.all(tasks.map((each) => create(each, true)));

    expect(outcomes.toSorted()).toEqual([...Array(4).fill("invalid_request"), "made"]);
    expect(await create(named({ userId: 2 }), true)).toBe("made");
    // Others may share one, and some have none.
    expect(await create(named(), false)).toBe("made");
    expect(await create(aTask({ facts }), true)).toBe("made");
    expect(await create(aTask({ facts }), true)).toBe("made");

    const owner = tasks[outcomes.indexOf("made")];
    await storage.tasks.remove(1, owner?.id ?? "");
    expect(await create(named(), true)).toBe("made");
  });

  test("of many concurrent changes of a task, one succeeds", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const task = aTask({ status: "running" });
    await storage.tasks.create(task, "one", LEASE_MS);

    const changed = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        storage.tasks.change(task, { status: at % 2 === 0 ? "succeeded" : "failed" }),
      ),
    );

    expect(changed.filter((each) => each !== undefined)).toHaveLength(1);
    expect((await storage.tasks.findAny(task.id))?.version).toBe(task.version + 1);
  });

  test("[B3.1] a finished task keeps its state, and no state goes back", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const all = Object.keys(MAY_FOLLOW).filter(isStatus);
    for (const from of all) {
      for (const to of all) {
        const task = aTask({ status: from });
        await storage.tasks.create(task, "one", LEASE_MS);
        const changed = await storage.tasks.change(task, { status: to });
        expect([from, to, changed !== undefined]).toEqual([
          from,
          to,
          MAY_FOLLOW[to].includes(from),
        ]);
      }
    }
    for (const over of ["succeeded", "failed"] as const) {
      expect(all.filter((to) => MAY_FOLLOW[to].includes(over))).toEqual([]);
    }
  });

  test("a task is leased to one gateway at a time, and to another one only after the lease ends", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const tasks = Array.from({ length: 30 }, (_, at) => aTask({ dueAt: 30 - at }));
    for (const task of tasks) await storage.tasks.create(task, "gone", 0);

    const [one, two] = await Promise.all([
      storage.tasks.lease("one", LEASE_MS, 20),
      storage.tasks.lease("two", LEASE_MS, 20),
    ]);
    const rest = await storage.tasks.lease("three", LEASE_MS, 100);

    const ids = [...one, ...two, ...rest].map(({ id }) => id);
    expect(new Set(ids).size).toBe(30);
    expect(ids).toHaveLength(30);
    expect(await storage.tasks.lease("four", LEASE_MS, 100)).toEqual([]);
    await storage.tasks.release("one");
    expect((await storage.tasks.lease("four", LEASE_MS, 100)).length).toBe(one.length);
  });

  test("tasks are leased in the order of their due times, and settled tasks never", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    for (const dueAt of [30, 10, 20]) await storage.tasks.create(aTask({ dueAt }), "gone", 0);
    const settled = aTask({ status: "failed", isSettled: true, dueAt: 1 });
    await storage.tasks.create(settled, "gone", 0);

    const leased = await storage.tasks.lease("one", LEASE_MS, 2);

    expect(leased.map(({ dueAt }) => dueAt).toSorted((a, b) => a - b)).toEqual([10, 20]);
  });

  test("a gateway that lost the lease cannot change the task", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const task = aTask({ status: "queued" });
    await storage.tasks.create(task, "slept", 0);
    await storage.tasks.lease("woke", LEASE_MS, 10);

    expect(await storage.tasks.prolong("slept", LEASE_MS)).toBe(0);
    expect(await storage.tasks.change(task, { status: "running" }, "slept")).toBeUndefined();
    expect((await storage.tasks.change(task, { status: "running" }, "woke"))?.status).toBe(
      "running",
    );
    expect(await storage.tasks.prolong("woke", LEASE_MS)).toBe(1);
  });

  test("two tasks of a channel cannot have the same upstream id", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const [first, second] = [aTask({ status: "submitting" }), aTask({ status: "submitting" })];
    for (const task of [first, second]) await storage.tasks.create(task, "one", LEASE_MS);
    const known = { status: "queued", place: { ...PLACE, upstreamId: "v-1" } } as const;

    await storage.tasks.change(first, known);
    const refused = await storage.tasks.change(second, known).catch((cause: unknown) => cause);

    expect(refused).toMatchObject({ code: "upstream_failed" });
    expect((await storage.tasks.findAny(second.id))?.status).toBe("submitting");
  });

  test("only the holder of a lease can release it", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const [task, other] = [aTask(), aTask()];
    for (const each of [task, other]) await storage.tasks.create(each, "one", LEASE_MS);

    await storage.tasks.release("two", task.id);
    expect(await storage.tasks.lease("two", LEASE_MS, 10)).toEqual([]);
    await storage.tasks.release("one", task.id);

    const leased = await storage.tasks.lease("two", LEASE_MS, 10);
    expect(leased.map(({ id }) => id)).toEqual([task.id]);
  });

  test("an urgent poll is reported once to the gateway that leased the task", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const [task, other] = [aTask(), aTask()];
    await storage.tasks.create(task, "one", LEASE_MS);
    await storage.tasks.create(other, "two", LEASE_MS);

    await storage.tasks.requestPoll(task.id);

    expect(await storage.tasks.leaseUrgent("two")).toEqual([]);
    expect(await storage.tasks.leaseUrgent("one")).toEqual([task.id]);
    expect(await storage.tasks.leaseUrgent("one")).toEqual([]);
  });

  test("tasks are listed page by page, in both directions", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const tasks = [1, 2, 2, 3].map((createdAt) => aTask({ createdAt }));
    for (const task of tasks) await storage.tasks.create(task, "one", LEASE_MS);
    await storage.tasks.create(aTask({ userId: 2 }), "one", LEASE_MS);

    for (const order of ["asc", "desc"] as const) {
      const seen: string[] = [];
      for (let after: string | undefined; ;) {
        const page = await storage.tasks.list({
          userId: 1,
          limit: 1,
          order,
          ...(after === undefined ? {} : { after }),
        });
        after = page.at(-1)?.id;
        if (after === undefined) break;
        seen.push(after);
      }
      const sorted = tasks
        .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
        .map(({ id }) => id);
      expect(seen).toEqual(order === "asc" ? sorted : sorted.toReversed());
    }
  });

  test("numbered pages list a user's tasks by state, model or ids", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const made = (["queued", "failed", "failed", "failed"] as const).map((status, at) =>
      aTask({ status, createdAt: at, model: at === 3 ? "other" : "one" }),
    );
    for (const task of made) await storage.tasks.create(task, "one", LEASE_MS);
    const [queued = "", first = "", second = "", other = ""] = made.map(({ id }) => id);
    const page = async (query: Partial<TaskPageQuery>) => {
      const { tasks, total } = await storage.tasks.page({ userId: 1, skip: 0, limit: 2, ...query });
      return { ids: tasks.map(({ id }) => id), total };
    };

    expect(await page({})).toEqual({ ids: [other, second], total: 4 });
    expect(await page({ skip: 2 })).toEqual({ ids: [first, queued], total: 4 });
    expect(await page({ statuses: ["failed"], model: "one" })).toEqual({
      ids: [second, first],
      total: 2,
    });
    expect(await page({ ids: [queued, "nobody's"] })).toEqual({ ids: [queued], total: 1 });
    expect(await page({ userId: 2 })).toEqual({ ids: [], total: 0 });
    expect(await page({ skip: 9 })).toEqual({ ids: [], total: 4 });
  });

  test("the list of tasks goes over all users in pages, and one user's leaves out removed tasks", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const made = (["failed", "queued", "failed", "running"] as const).map((status, at) =>
      aTask({
        status,
        userId: at === 3 ? 2 : 1,
        // Two at one time: the id decides.
        createdAt: at === 2 ? 1 : at,
        model: at === 0 ? "other" : "one",
      }),
    );
    for (const task of made) await storage.tasks.create(task, "one", LEASE_MS);
    const newestFirst = made
      .toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
      .map(({ id }) => id);
    const [failed = "", , second = "", others = ""] = made.map(({ id }) => id);
    const search = async (query: Partial<TaskSearch> = {}) =>
      (await storage.tasks.search({ hidesRemoved: false, limit: 10, ...query })).map(
        ({ id }) => id,
      );

    expect(await search()).toEqual(newestFirst);
    for (const [at, before] of newestFirst.entries()) {
      expect(await search({ before, limit: 2 })).toEqual(newestFirst.slice(at + 1, at + 3));
    }
    expect(await search({ userId: 2 })).toEqual([others]);
    expect(await search({ statuses: ["failed"], model: "one" })).toEqual([second]);
    // Another user's task is no position in one's own list.
    expect(await search({ userId: 1, before: others })).toEqual([]);
    await storage.tasks.remove(1, failed);
    expect(await search()).toContain(failed);
    expect(await search({ hidesRemoved: true, userId: 1 })).not.toContain(failed);
  });

  test("a user can remove a finished task, but not an unfinished one or another user's", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const [done, going] = [aTask({ status: "failed" }), aTask({ status: "running" })];
    for (const task of [done, going]) await storage.tasks.create(task, "one", LEASE_MS);

    expect(await storage.tasks.remove(2, done.id)).toBe(false);
    expect(await storage.tasks.remove(1, going.id)).toBe(false);
    expect(await storage.tasks.remove(1, done.id)).toBe(true);
    expect(await storage.tasks.remove(1, done.id)).toBe(false);
    expect(await storage.tasks.find(1, done.id)).toBeUndefined();
    expect(await storage.tasks.list({ userId: 1, limit: 10, order: "asc" })).toHaveLength(1);
  });

  test("old tasks are pruned after their settlement", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const old = { status: "failed", finishedAt: 10 } as const;
    await storage.tasks.create(aTask({ ...old, isSettled: true }), "one", LEASE_MS);
    await storage.tasks.create(aTask(old), "one", LEASE_MS);
    await storage.tasks.create(
      aTask({ status: "failed", finishedAt: 99, isSettled: true }),
      "one",
      LEASE_MS,
    );

    expect(await storage.tasks.prune(50, 100)).toBe(1);
    expect(await storage.tasks.list({ userId: 1, limit: 10, order: "asc" })).toHaveLength(2);
  });

  test("media copies of a removed or pruned task are marked for deletion at once", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const over = { status: "succeeded", finishedAt: 10, isSettled: true } as const;
    const tasks = [
      aTask(over),
      aTask({ ...over, finishedAt: 99 }),
      aTask({ ...over, finishedAt: 99 }),
    ];
    for (const task of tasks) await storage.tasks.create(task, "one", LEASE_MS);
    const files = tasks.map(({ id }) => ({ taskId: id, index: 0, variant: "video" as const }));
    await storage.mediaCopies.want(files, "folder", 1_000);

    await storage.tasks.prune(50, 100);
    await storage.tasks.remove(1, tasks[1]?.id ?? "");
    await storage.tasks.remove(2, tasks[2]?.id ?? "");

    const unwanted = await storage.mediaCopies.listUnwanted(1_000, 10);
    expect(unwanted.map(({ taskId }) => taskId).toSorted()).toEqual(
      tasks
        .slice(0, 2)
        .map(({ id }) => id)
        .toSorted(),
    );
  });

  test("the hold of a task stays open after its process ends", async () => {
    await using place = await openPlace();
    const callId = newId();
    {
      await using storage = await openAt(place.address);
      const accounts = await withKey(storage, 1_000);
      const { durable } = await storage.ledger.hold({
        ...holdFor(accounts, 600, callId),
        isLasting: true,
      });
      await durable;
    }
    await using storage = await openAt(place.address);

    expect(await heldOf(storage)).toBe(600);
    expect(await storage.ledger.listAbandoned()).toEqual([]);
  });

  test("a hold whose task was never stored is released later", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const accounts = await withKey(storage, 1_000);
    const longAgo = { isLasting: true, openedAt: Date.now() - 3_600_000 } as const;
    const [lost, kept] = [newId(), newId()];
    for (const callId of [lost, kept]) {
      const { durable } = await storage.ledger.hold({
        ...holdFor(accounts, 100, callId),
        ...longAgo,
      });
      await durable;
    }
    await storage.tasks.create(aTask({ id: kept }), "one", LEASE_MS);

    const abandoned = await storage.ledger.listAbandoned();

    expect(abandoned.map(({ callId }) => callId)).toEqual([lost]);
  });
}

async function heldOf(storage: Storage): Promise<number | undefined> {
  const { id } = await storage.users.ensureRoot();
  return (await storage.ledger.findAccount(`user:${id}`))?.held;
}

const PLACE = {
  channel: "c",
  provider: "p",
  upstreamModel: "m-1",
  format: "f",
  credential: "first",
};

function isStatus(word: string): word is TaskStatus {
  return word in MAY_FOLLOW;
}
