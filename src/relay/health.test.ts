import { describe, expect, test } from "bun:test";
import { credential, type Channel } from "#core/channel.ts";
import { GatewayError } from "#core/error.ts";
import { Health } from "./health.ts";

function setup(credentials = 1) {
  let now = 1_000;
  const clock = { now: () => now, monotonic: () => now };
  const channel: Channel = {
    name: "c",
    provider: "p",
    baseUrl: "",
    credentials: Array.from({ length: credentials }, (_, i) => credential(`secret-number-${i}`)),
    models: { kind: "discover" },
    priority: 0,
    weight: 1,
    maxConcurrent: 100,
    isSimulated: false,
  };
  const health = new Health(clock);
  const call = (error?: GatewayError): void => {
    health.enter(channel);
    health.report(channel, error);
    health.leave(channel);
  };
  return { channel, health, call, wait: (ms: number) => void (now += ms) };
}

const broken = new GatewayError("upstream_failed", "");
const limited = (retryAfterMs?: number): GatewayError =>
  new GatewayError("upstream_rate_limited", "", retryAfterMs === undefined ? {} : { retryAfterMs });

describe("a channel", () => {
  test("that fails five times in a row is given a rest", () => {
    const { channel, health, call } = setup();

    for (let i = 0; i < 4; i++) call(broken);
    expect(health.mayTry(channel)).toBe(true);

    call(broken);
    expect(health.mayTry(channel)).toBe(false);
  });

  test("that fails half of its many calls is given a rest, though never twice in a row", () => {
    const { channel, health, call } = setup();

    for (let i = 0; i < 10; i++) {
      call();
      call(broken);
    }

    expect(health.state(channel)).toBe("open");
  });

  test("that failed long ago is not held to it", () => {
    const { channel, health, call, wait } = setup();

    for (let i = 0; i < 9; i++) {
      call();
      call(broken);
    }
    wait(20_000);
    call();
    call(broken);

    expect(health.mayTry(channel)).toBe(true);
  });

  test("is tried by one call after its rest, and by all when that one succeeds", () => {
    const { channel, health, call, wait } = setup();
    for (let i = 0; i < 5; i++) call(broken);
    wait(5_001);

    expect(health.mayTry(channel)).toBe(true);
    health.enter(channel);
    expect(health.mayTry(channel)).toBe(false);

    health.report(channel, undefined);
    expect(health.mayTry(channel)).toBe(true);
  });

  test("rests again when the one call fails", () => {
    const { channel, health, call, wait } = setup();
    for (let i = 0; i < 5; i++) call(broken);
    wait(5_001);
    call(broken);

    expect(health.mayTry(channel)).toBe(false);
    expect(health.waitMs([channel])).toBeGreaterThan(4_000);
  });

  test("that needs no credential says how long it rests", () => {
    const { channel, health, call } = setup(0);
    for (let i = 0; i < 5; i++) call(broken);

    expect(health.waitMs([channel])).toBe(5_000);
  });

  test("is not blamed for its callers", () => {
    const { channel, health, call } = setup();

    for (let i = 0; i < 50; i++) call(new GatewayError("upstream_rejected", ""));
    for (let i = 0; i < 50; i++) call(new GatewayError("canceled", ""));

    expect(health.state(channel)).toBe("closed");
  });

  test("takes no more calls at once than it may", () => {
    const { channel, health } = setup();

    for (let i = 0; i < channel.maxConcurrent; i++) health.enter(channel);
    expect(health.mayTry(channel)).toBe(false);

    health.leave(channel);
    expect(health.mayTry(channel)).toBe(true);
  });
});

describe("credentials", () => {
  test("take turns", () => {
    const { channel, health } = setup(3);
    const picked = Array.from({ length: 6 }, () => {
      const each = health.pick(channel, new Set());
      health.turn(channel);
      return each;
    });

    expect(new Set(picked).size).toBe(3);
    expect(picked.slice(0, 3)).toEqual(picked.slice(3));
  });

  test("that the vendor asked to wait are left alone for that long", () => {
    const { channel, health, wait } = setup(2);
    const [first, second] = channel.credentials;
    if (first === undefined) throw new Error("No credential.");
    health.cool(channel, first, limited(10_000));

    expect(health.pick(channel, new Set())).toBe(second);
    wait(10_001);
    expect(health.pick(channel, new Set())).toBe(first);
  });

  test("that all wait make the channel wait, and say how long", () => {
    const { channel, health } = setup(2);
    for (const each of channel.credentials) health.cool(channel, each, limited(8_000));

    expect(health.mayTry(channel)).toBe(false);
    expect(health.waitMs([channel])).toBe(8_000);
  });
});
