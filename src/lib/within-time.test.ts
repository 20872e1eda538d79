import { expect, test } from "bun:test";
import { withinTime } from "./within-time.ts";

test("what comes in time is what it is, also where it is a failure", async () => {
  expect(await withinTime(Promise.resolve(7), 60_000)).toBe(7);
  expect(await withinTime(Promise.reject(new Error("no")), 60_000).catch(() => "failed")).toBe(
    "failed",
  );
});

test("what takes too long is not waited for, and goes on", async () => {
  const { promise, resolve } = Promise.withResolvers<string>();

  expect(await withinTime(promise, 1)).toBeUndefined();
  resolve("late");
  expect(await promise).toBe("late");
});
