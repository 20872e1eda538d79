import { expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import { LoginLimits } from "./login-limits.ts";

const HERE = "198.51.100.1";
const THERE = "198.51.100.2";

/** Its clock stands still unless it is moved. */
function openLimits() {
  let now = 0;
  const limits = new LoginLimits({ monotonic: () => now });
  return {
    limits,
    pass: (ms: number) => void (now += ms),
    /** How long to wait in ms; 0 where the try was let through. */
    waitOf(login: string, address: string | undefined): number {
      try {
        limits.enter(login, address);
        return 0;
      } catch (cause) {
        expect(cause).toBeInstanceOf(GatewayError);
        expect(GatewayError.from(cause).code).toBe("rate_limited");
        return GatewayError.from(cause).retryAfterMs ?? 0;
      }
    },
  };
}

test("five tries are free, then each waits twice as long as the one before, up to a quarter of an hour", () => {
  const { waitOf, pass } = openLimits();
  for (let i = 0; i < 5; i++) expect(waitOf("ada", HERE)).toBe(0);

  const waits: number[] = [];
  for (let i = 0; i < 13; i++) {
    const waitMs = waitOf("ada", HERE);
    waits.push(waitMs / 1_000);
    pass(waitMs - 1);
    expect(waitOf("ada", HERE)).toBe(1);
    pass(1);
    expect(waitOf("ada", HERE)).toBe(0);
  }

  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
});

test("whoever fails locks nobody out but themselves", () => {
  const { waitOf } = openLimits();
  for (let i = 0; i < 6; i++) waitOf("ada", HERE);

  expect(waitOf("Ada ", HERE)).toBeGreaterThan(0);
  expect(waitOf("ada", THERE)).toBe(0);
  expect(waitOf("bob", HERE)).toBe(0);
});

test("a login that succeeds is no guess", () => {
  const { limits, waitOf } = openLimits();
  for (let i = 0; i < 500; i++) {
    expect(waitOf("ada", HERE)).toBe(0);
    limits.succeeded("ada", HERE);
  }
});

test("one address cannot try a few passwords on each of many accounts for long", () => {
  const { waitOf, pass } = openLimits();
  const tries = Array.from({ length: 60 }, (_, i) => waitOf(`user-${i}`, HERE));

  expect(tries.filter((waitMs) => waitMs === 0)).toHaveLength(50);
  expect(tries.at(-1)).toBe(10_000);
  expect(waitOf("user-1", THERE)).toBe(0);
  pass(10_000);
  expect(waitOf("one more", HERE)).toBe(0);
  expect(waitOf("and another", HERE)).toBe(10_000);
});

test("an IPv6 network is one address, however it is written", () => {
  const { waitOf } = openLimits();
  for (let i = 0; i < 5; i++) waitOf("ada", `2001:db8:0:1::${i}`);

  expect(waitOf("ada", "2001:db8:0:1:ffff::1")).toBeGreaterThan(0);
  expect(waitOf("ada", "2001:db8:0:2::1")).toBe(0);
});

test("an hour later all is forgotten", () => {
  const { waitOf, pass } = openLimits();
  for (let i = 0; i < 5; i++) waitOf("ada", HERE);
  pass(3_600_000);
  for (let i = 0; i < 5; i++) expect(waitOf("ada", HERE)).toBe(0);
});
