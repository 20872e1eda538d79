import { expect, test } from "bun:test";
import { ChunkTimes } from "./chunk-times.ts";

test("the time from each chunk to the next is counted, without the wait for the first", () => {
  let now = 5_000;
  const times = new ChunkTimes(() => now);
  const note = times.start("call");
  for (const at of [9_000, 9_015, 9_015, 10_015]) {
    now = at;
    note();
  }

  const gaps = times.take("call");
  expect(gaps?.count).toBe(3);
  expect(gaps?.sum).toBeCloseTo(1.015);
  expect([...(gaps?.counts ?? [])].slice(0, 8)).toEqual([1, 1, 0, 0, 0, 0, 0, 1]);
  expect(times.take("call")).toBeUndefined();
});

test("a stream that takes the place of a failed one is timed alone", () => {
  let now = 0;
  const times = new ChunkTimes(() => now);
  const failed = times.start("call");
  failed();
  now = 60_000;
  failed();
  const note = times.start("call");
  note();
  now += 10;
  note();

  expect(times.take("call")?.sum).toBe(0.01);
});

test("a hundred thousand streams are timed at once; one more ends the times of the oldest", () => {
  const times = new ChunkTimes(() => 0);
  for (let at = 0; at < 100_000; at++) times.start(`call-${at}`);
  times.start("call-0");

  times.start("another");

  expect(times.take("call-0")).toBeUndefined();
  expect(times.take("call-1")).toBeDefined();
  expect(times.take("another")).toBeDefined();
});
