import { expect, test } from "bun:test";
import { processDue, repeatedValues } from "./process-due.ts";

const NEVER = new AbortController().signal;

test("due items are processed, a few concurrently, until none is left", async () => {
  const due = Array.from({ length: 10 }, (_, at) => at);
  const done: number[] = [];
  let most = 0;
  await processDue(
    {
      lease: async (room) => due.splice(0, room),
      async act(one) {
        most = Math.max(most, one + 1 - done.length);
        await Promise.resolve();
        done.push(one);
      },
      batch: 3,
      most: 4,
    },
    NEVER,
  );

  expect(done.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(most).toBeLessThanOrEqual(4);
});

test("an item that waits for a running one is processed, even if that one ends during the lease", async () => {
  const due = ["first", "second"];
  const done: string[] = [];
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  await processDue<string>(
    {
      async lease(_, underWay) {
        if (underWay.length === 0) return due.splice(0, 1);
        end();
        await new Promise((resolve) => setTimeout(resolve));
        return [];
      },
      async act(one) {
        if (one === "first") await isOver;
        done.push(one);
      },
      batch: 1,
      most: 2,
    },
    NEVER,
  );

  expect(done).toEqual(["first", "second"]);
});

test("no item starts after the stop, and running ones complete", async () => {
  const stopping = new AbortController();
  const done: number[] = [];
  await processDue(
    {
      lease: async () => [done.length],
      async act(one) {
        stopping.abort();
        await Promise.resolve();
        done.push(one);
      },
      batch: 1,
      most: 5,
    },
    stopping.signal,
  );

  expect(done).toEqual([0]);
});

/** Lets everything go on that waits for no timer. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 200; turn++) await Promise.resolve();
}

test("no more items are leased than may run, and none while all places are taken", async () => {
  const due = Array.from({ length: 6 }, (_, at) => at);
  const asked: number[] = [];
  const ends: (() => void)[] = [];
  const processing = processDue<number>(
    {
      async lease(room) {
        asked.push(room);
        return due.splice(0, room);
      },
      act: () => new Promise((resolve) => ends.push(resolve)),
      batch: 3,
      most: 4,
    },
    NEVER,
  );
  await turns();
  expect(asked).toEqual([3, 1]);

  ends[0]?.();
  await turns();
  expect(asked).toEqual([3, 1, 1]);
  for (const end of ends) end();
  await turns();
  for (const end of ends) end();
  await processing;
  expect(ends).toHaveLength(6);
});

test("items start at once as long as there is room, while others run", async () => {
  const due = ["first", "second", "third"];
  const started: string[] = [];
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const processing = processDue<string>(
    {
      lease: async () => due.splice(0, 1),
      async act(one) {
        started.push(one);
        await isOver;
      },
      batch: 1,
      most: 5,
    },
    NEVER,
  );
  await turns();

  expect(started).toEqual(["first", "second", "third"]);
  end();
  await processing;
});

test("the end of the last item during a lease is no reason to wait", async () => {
  let isDone = false;
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  let leases = 0;
  const processing = processDue<string>(
    {
      async lease() {
        leases++;
        if (leases === 1) return ["one"];
        end();
        await turns();
        return [];
      },
      act: () => isOver,
      batch: 1,
      most: 2,
    },
    NEVER,
  ).then(() => (isDone = true));
  for (let times = 0; times < 5; times++) await turns();

  expect(isDone).toBe(true);
  await processing;
});

test("a failed lease is an error only after the running items have completed", async () => {
  const events: string[] = [];
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  let leases = 0;
  const processing = processDue<string>(
    {
      async lease() {
        leases++;
        if (leases === 1) return ["one"];
        throw new Error("The database is gone.");
      },
      act: () => isOver.then(() => void events.push("completed")),
      batch: 1,
      most: 2,
    },
    NEVER,
  ).catch(() => void events.push("failed"));
  await turns();
  expect(events).toEqual([]);

  end();
  await processing;
  expect(events).toEqual(["completed", "failed"]);
});

test("values that occur often enough are counted", () => {
  expect(repeatedValues(["a", "b", "a", "c", "b", "a"], 2)).toEqual(["a", "b"]);
  expect(repeatedValues(["a", "b", "a", "c", "b", "a"], 3)).toEqual(["a"]);
  expect(repeatedValues([], 1)).toEqual([]);
});
