import { describe, expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import type { LoginLimiter } from "#core/login-limits.ts";

const HERE = "198.51.100.1";
const THERE = "198.51.100.2";

/** A limiter whose time stands still until a test moves it. */
interface LoginsPlace extends AsyncDisposable {
  readonly limiter: LoginLimiter;
  pass(ms: number): Promise<void>;
}

/** How long to wait in ms; 0 where the try was let through. */
export async function waitOf(
  limiter: LoginLimiter,
  login: string,
  address: string | undefined,
): Promise<number> {
  try {
    await limiter.enter(login, address);
    return 0;
  } catch (cause) {
    expect(cause).toBeInstanceOf(GatewayError);
    expect(GatewayError.from(cause).code).toBe("rate_limited");
    return GatewayError.from(cause).retryAfterMs ?? 0;
  }
}

/** What every limiter of logins has to be; `open` is given one to itself by each test. */
export function describeLogins(name: string, open: () => Promise<LoginsPlace>): void {
  describe(`login limits ${name}`, () => {
    test("five attempts are free, then each waits twice as long as the one before, up to 15 minutes", async () => {
      await using place = await open();
      const wait = (): Promise<number> => waitOf(place.limiter, "ada", HERE);
      for (let i = 0; i < 5; i++) expect(await wait()).toBe(0);

      const waits: number[] = [];
      for (let i = 0; i < 13; i++) {
        const waitMs = await wait();
        waits.push(waitMs / 1_000);
        await place.pass(waitMs - 1);
        expect(await wait()).toBe(1);
        await place.pass(1);
        expect(await wait()).toBe(0);
      }

      expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
    });

    test("five of many concurrent attempts are allowed", async () => {
      await using place = await open();
      const waits = await Promise.all(
        Array.from({ length: 40 }, () => waitOf(place.limiter, "ada", HERE)),
      );

      expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(5);
    });

    test("failed logins lock out only their own client", async () => {
      await using place = await open();
      for (let i = 0; i < 6; i++) await waitOf(place.limiter, "ada", HERE);

      expect(await waitOf(place.limiter, "Ada ", HERE)).toBeGreaterThan(0);
      expect(await waitOf(place.limiter, "ada", THERE)).toBe(0);
      expect(await waitOf(place.limiter, "bob", HERE)).toBe(0);
    });

    test("a successful login does not count as a failed attempt", async () => {
      await using place = await open();
      for (let i = 0; i < 500; i++) {
        expect(await waitOf(place.limiter, "ada", HERE)).toBe(0);
        place.limiter.succeeded("ada", HERE);
      }
    });

    test("an address cannot try a few passwords on each of many accounts for long", async () => {
      await using place = await open();
      const tries: number[] = [];
      for (let i = 0; i < 60; i++) tries.push(await waitOf(place.limiter, `user-${i}`, HERE));

      expect(tries.filter((waitMs) => waitMs === 0)).toHaveLength(50);
      expect(tries.at(-1)).toBe(10_000);
      expect(await waitOf(place.limiter, "user-1", THERE)).toBe(0);
      await place.pass(10_000);
      expect(await waitOf(place.limiter, "one more", HERE)).toBe(0);
      expect(await waitOf(place.limiter, "and another", HERE)).toBe(10_000);
    });

    test("an IPv6 network is one address, in any notation", async () => {
      await using place = await open();
      for (let i = 0; i < 5; i++) await waitOf(place.limiter, "ada", `2001:db8:0:1::${i}`);

      expect(await waitOf(place.limiter, "ada", "2001:db8:0:1:ffff::1")).toBeGreaterThan(0);
      expect(await waitOf(place.limiter, "ada", "2001:db8:0:2::1")).toBe(0);
    });

    test("failed attempts are forgotten after an hour", async () => {
      await using place = await open();
      for (let i = 0; i < 5; i++) await waitOf(place.limiter, "ada", HERE);
      await place.pass(3_600_000);
      for (let i = 0; i < 5; i++) expect(await waitOf(place.limiter, "ada", HERE)).toBe(0);
    });
  });
}
