import { expect, test } from "bun:test";
import { processDue } from "./process-due.ts";

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
