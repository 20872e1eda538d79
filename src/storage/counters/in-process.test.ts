import { expect, test } from "bun:test";
import type { RateReservation, RateLimits } from "#core/limits.ts";
import { describeLimiter } from "#test/storage/contract-counters.ts";
import { InProcessLimiter } from "./in-process.ts";

function openClock() {
  let now = 1_000;
  return {
    now: () => now,
    monotonic: () => now,
    pass: (ms: number) => void (now += ms),
  };
}

function claimOn(id: string, limits: RateLimits): RateReservation {
  return { id: `call of ${id}`, bounds: [{ id, limits, tokens: 1 }] };
}

describeLimiter("in one process", async () => {
  const clock = openClock();
  return {
    limiter: new InProcessLimiter(clock),
    pass: async (ms) => clock.pass(ms),
    [Symbol.asyncDispose]: async () => {},
  };
});

test("idle keys are evicted", () => {
  const clock = openClock();
  const limiter = new InProcessLimiter(clock);
  for (let i = 0; i < 20_000; i++) {
    limiter.take(claimOn(`key:${i}`, { requestsPerMinute: 60 }));
    clock.pass(100);
  }

  // Each is idle after a second, so ten of them are in use at a time.
  expect(limiter.size).toBeLessThan(100);
});

test("a key with a running call is never evicted", () => {
  const clock = openClock();
  const limiter = new InProcessLimiter(clock, 100);
  limiter.take(claimOn("key:busy", { concurrency: 1 }));
  for (let i = 0; i < 1_000; i++) {
    limiter.take(claimOn(`key:${i}`, { requestsPerMinute: 1 }));
  }

  expect(limiter.size).toBeLessThanOrEqual(101);
  const other = { ...claimOn("key:busy", { concurrency: 1 }), id: "another call" };
  expect(limiter.take(other).refusal).toMatchObject({ by: "concurrency" });
});

test("a changed limit applies from the next call", () => {
  const limiter = new InProcessLimiter(openClock());
  for (let i = 0; i < 3; i++) limiter.take(claimOn("key:1", { requestsPerMinute: 3 }));

  expect(limiter.take(claimOn("key:1", { requestsPerMinute: 3 })).refusal).toBeDefined();
  expect(limiter.take(claimOn("key:1", {})).refusal).toBeUndefined();
});
