import { expect, test } from "bun:test";
import { Breaker } from "./breaker.ts";

function call(breaker: Breaker, didFail: boolean | undefined, now: number): void {
  breaker.leave(breaker.enter(now), didFail, now);
}

/** Opened by five failures in a row. */
function opened(now: number): Breaker {
  const breaker = new Breaker();
  for (let i = 0; i < 5; i++) call(breaker, true, now);
  return breaker;
}

test("an open circuit lets a call through after exactly five seconds", () => {
  const breaker = opened(1_000);

  expect([breaker.state(5_999), breaker.cooldownMs(5_999)]).toEqual(["open", 1]);
  expect([breaker.state(6_000), breaker.cooldownMs(6_000)]).toEqual(["half-open", 0]);
});

test("while one call probes an open circuit no other does, for five seconds at most", () => {
  const breaker = opened(1_000);
  breaker.enter(6_000);

  expect(breaker.state(10_999)).toBe("open");
  expect(breaker.state(11_000)).toBe("half-open");
});

test("a call forced through an open circuit is no probe, and its end does not free the probe's slot", () => {
  const breaker = opened(1_000);
  const forced = breaker.enter(2_000);
  breaker.enter(6_000);

  expect(forced.isProbe).toBe(false);
  breaker.leave(forced, undefined, 6_001);
  expect(breaker.state(6_001)).toBe("open");
});

test("a probe without a result for the upstream frees its slot for the next", () => {
  const breaker = opened(1_000);
  breaker.leave(breaker.enter(6_000), undefined, 6_001);

  expect(breaker.state(6_001)).toBe("half-open");
});

test("a closed circuit has no probes", () => {
  const breaker = new Breaker();

  expect(breaker.enter(1_000)).toEqual({ openings: 0, isProbe: false });
  expect(breaker.cooldownMs(1_000)).toBe(0);
});

test("a call that began before the circuit opened does not close it, and a later one does", () => {
  const breaker = new Breaker();
  const early = breaker.enter(500);
  for (let i = 0; i < 5; i++) call(breaker, true, 1_000);
  breaker.leave(early, false, 2_000);
  expect(breaker.state(2_000)).toBe("open");

  call(breaker, false, 2_001);
  expect(breaker.state(2_001)).toBe("closed");
});

test("a circuit that closed again ignores earlier failures", () => {
  const breaker = new Breaker();
  // Nineteen calls, of which the last five failed.
  for (let i = 0; i < 14; i++) call(breaker, i % 2 === 0, 1_000);
  for (let i = 0; i < 5; i++) call(breaker, true, 1_000);
  expect(breaker.state(1_000)).toBe("open");
  call(breaker, false, 6_000);

  call(breaker, true, 6_001);

  expect(breaker.state(6_001)).toBe("closed");
});

test("a probe that fails leaves the circuit open for another five seconds", () => {
  const breaker = opened(1_000);
  call(breaker, true, 6_000);

  expect(breaker.state(10_999)).toBe("open");
  expect(breaker.state(11_000)).toBe("half-open");
});

/** Nineteen calls, every other of which failed, then one more of each kind after a while. */
function after(ms: number): string {
  const breaker = new Breaker();
  for (let i = 0; i < 18; i++) call(breaker, i % 2 === 0, 1_000);
  call(breaker, false, 1_000 + ms);
  call(breaker, true, 1_000 + ms);
  return breaker.state(1_000 + ms);
}

test("failures count for ten seconds", () => {
  expect(after(0)).toBe("open");
  expect(after(10_000)).toBe("open");
  expect(after(10_001)).toBe("closed");
});

test("a circuit opens if half of twenty calls failed, and not for fewer calls", () => {
  const outcomes = (failures: number, calls: number): string => {
    const breaker = new Breaker();
    // Never five failures in a row.
    for (let i = 0; i < calls; i++) call(breaker, i % 2 === 1 && (i - 1) / 2 < failures, 1_000);
    return breaker.state(1_000);
  };

  expect(outcomes(10, 20)).toBe("open");
  expect(outcomes(9, 20)).toBe("closed");
  expect(outcomes(9, 19)).toBe("closed");
});

test("a circuit that closed again has no cooldown", () => {
  const breaker = opened(1_000);
  call(breaker, false, 6_000);

  expect(breaker.cooldownMs(6_000)).toBe(0);
  expect(breaker.cooldownMs(1_000)).toBe(0);
});

test("calls of one second count for ten seconds from the first of them", () => {
  /** Of these calls and two more after a while, half failed. */
  const stateAfter = (times: readonly number[], now: number): string => {
    const breaker = new Breaker();
    for (const [index, at] of times.entries()) call(breaker, index % 2 === 0, at);
    call(breaker, false, now);
    call(breaker, true, now);
    return breaker.state(now);
  };
  const calls = (count: number, at: number): number[] => Array.from({ length: count }, () => at);

  expect(stateAfter([1_000, ...calls(18, 1_999)], 11_000)).toBe("open");
  expect(stateAfter([1_000, ...calls(18, 1_999)], 11_001)).toBe("closed");
  expect(stateAfter([1_000, 1_000, ...calls(18, 2_000)], 11_001)).toBe("open");
  expect(stateAfter([1_000, 1_000, ...calls(18, 2_000)], 12_000)).toBe("open");
  expect(stateAfter([1_000, 1_000, ...calls(18, 2_000)], 12_001)).toBe("closed");
});

test("a probe that fails keeps the circuit open, even if few calls failed lately", () => {
  const breaker = new Breaker();
  for (let i = 0; i < 20; i++) call(breaker, i % 2 === 1, 1_000);
  call(breaker, true, 60_000);

  expect(breaker.state(64_999)).toBe("open");
  expect(breaker.cooldownMs(60_000)).toBe(5_000);
});

test("a call forced through an open circuit does not delay the probe", () => {
  const breaker = opened(1_000);
  breaker.enter(2_000);

  expect(breaker.state(6_000)).toBe("half-open");
});
