import { expect, test } from "bun:test";
import { withinTime } from "./within-time.ts";

test("a promise that settles in time gives its result or its error", async () => {
  expect(await withinTime(Promise.resolve(7), 60_000)).toBe(7);
  expect(await withinTime(Promise.reject(new Error("no")), 60_000).catch(() => "failed")).toBe(
    "failed",
  );
});

test("a promise that takes too long is not awaited, and continues", async () => {
  const { promise, resolve } = Promise.withResolvers<string>();

  expect(await withinTime(promise, 1)).toBeUndefined();
  resolve("late");
  expect(await promise).toBe("late");
});
