import { describe, expect, test } from "bun:test";
import { credential } from "#core/channel.ts";
import { GatewayError } from "#core/error.ts";
import { Health } from "./health.ts";
import { aChannel } from "#test/a-channel.ts";

function setup(credentials = 1) {
  let now = 1_000;
  const clock = { now: () => now, monotonic: () => now };
  const channel = aChannel({
    credentials: Array.from({ length: credentials }, (_, i) => credential(`secret-number-${i}`)),
    maxConcurrent: 100,
  });
  const health = new Health(clock);
  const to = { channel, upstreamModel: "m" };
  const call = (error?: GatewayError): void => {
    health.enter(channel);
    health.report(channel, error);
    health.leave(channel);
  };
  return { channel, to, health, call, wait: (ms: number) => void (now += ms) };
}

const broken = new GatewayError("upstream_failed", "");
const limited = (retryAfterMs?: number): GatewayError =>
  new GatewayError("upstream_rate_limited", "", retryAfterMs === undefined ? {} : { retryAfterMs });

describe("a channel", () => {
  test("that fails five times in a row is given a rest", () => {
    const { to, health, call } = setup();

    for (let i = 0; i < 4; i++) call(broken);
    expect(health.mayTry(to)).toBe(true);

    call(broken);
    expect(health.mayTry(to)).toBe(false);
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
    const { to, health, call, wait } = setup();

    for (let i = 0; i < 9; i++) {
      call();
      call(broken);
    }
    wait(20_000);
    call();
    call(broken);

    expect(health.mayTry(to)).toBe(true);
  });

  test("is tried by one call after its rest, and by all when that one succeeds", () => {
    const { channel, to, health, call, wait } = setup();
    for (let i = 0; i < 5; i++) call(broken);
    wait(5_001);

    expect(health.mayTry(to)).toBe(true);
    health.enter(channel);
    expect(health.mayTry(to)).toBe(false);

    health.report(channel, undefined);
    expect(health.mayTry(to)).toBe(true);
  });

  test("rests again when the one call fails", () => {
    const { to, health, call, wait } = setup();
    for (let i = 0; i < 5; i++) call(broken);
    wait(5_001);
    call(broken);

    expect(health.mayTry(to)).toBe(false);
    expect(health.waitMs([to])).toBeGreaterThan(4_000);
  });

  test("that needs no credential says how long it rests", () => {
    const { to, health, call } = setup(0);
    for (let i = 0; i < 5; i++) call(broken);

    expect(health.waitMs([to])).toBe(5_000);
  });

  test("is not blamed for its callers", () => {
    const { channel, health, call } = setup();

    for (let i = 0; i < 50; i++) call(new GatewayError("upstream_rejected", ""));
    for (let i = 0; i < 50; i++) call(new GatewayError("canceled", ""));

    expect(health.state(channel)).toBe("closed");
  });

  test("takes no more calls at once than it may", () => {
    const { channel, to, health } = setup();

    for (let i = 0; i < channel.maxConcurrent; i++) health.enter(channel);
    expect(health.mayTry(to)).toBe(false);

    health.leave(channel);
    expect(health.mayTry(to)).toBe(true);
  });
});

describe("credentials", () => {
  test("take turns", () => {
    const { channel, to, health } = setup(3);
    const picked = Array.from({ length: 6 }, () => {
      const each = health.pick(to, new Set());
      health.turn(channel);
      return each;
    });

    expect(new Set(picked).size).toBe(3);
    expect(picked.slice(0, 3)).toEqual(picked.slice(3));
  });

  test("that the vendor asked to wait are left alone for that long", () => {
    const { channel, to, health, wait } = setup(2);
    const [first, second] = channel.credentials;
    if (first === undefined) throw new Error("No credential.");
    health.cool(to, first, limited(10_000));

    expect(health.pick(to, new Set())).toBe(second);
    wait(10_001);
    expect(health.pick(to, new Set())).toBe(first);
  });

  test("that wait for one model serve the others", () => {
    const { channel, to, health } = setup();
    const [secret] = channel.credentials;
    if (secret === undefined) throw new Error("No credential.");
    health.cool(to, secret, limited(8_000));

    expect(health.mayTry(to)).toBe(false);
    expect(health.mayTry({ channel, upstreamModel: "another" })).toBe(true);
  });

  test("that all wait make the channel wait, and say how long", () => {
    const { channel, to, health } = setup(2);
    for (const each of channel.credentials) health.cool(to, each, limited(8_000));

    expect(health.mayTry(to)).toBe(false);
    expect(health.waitMs([to])).toBe(8_000);
  });
});
