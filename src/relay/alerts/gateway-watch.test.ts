import { describe, expect, test } from "bun:test";
import type { ChannelTroubles } from "#core/channel-troubles.ts";
import { aChannel } from "#test/a-channel.ts";
import { aRecord } from "#test/a-record.ts";
import { GatewayWatch } from "./gateway-watch.ts";

const MINUTE = 60_000;
const NO_TROUBLES: ChannelTroubles = {
  refusals: [],
  lastFailure: undefined,
  cooldownUntil: undefined,
  openUntil: undefined,
};
const FAILURE = {
  since: 1,
  code: "upstream_failed",
  credential: "",
  status: 500,
  reason: "No.",
} as const;

function stage(troubles: Readonly<Record<string, Partial<ChannelTroubles>>> = {}) {
  const state = { now: 100 * MINUTE, isRedisUp: undefined as boolean | undefined };
  const watch = new GatewayWatch({
    instance: "gateway-1",
    clock: { now: () => state.now, monotonic: () => 0 },
    health: { troubles: ({ name }) => ({ ...NO_TROUBLES, ...troubles[name] }) },
    registry: {
      channels: Object.keys(troubles).map((name) => ({
        source: "file",
        channel: aChannel({ name }),
      })),
      isSimulated: true,
    },
    isRedisUp: () => state.isRedisUp,
    secrets: () => ({ metrics: "Everyone can read it." }),
  });
  const entered: unknown[] = [];
  const logins = watch.watchLogins({
    enter: (login, address) => {
      entered.push([login, address]);
      return undefined as never;
    },
    succeeded: (login, address) => void entered.push(["succeeded", login, address]),
  });
  const guess = (count: number, address?: string): void => {
    for (let at = 0; at < count; at++) void logins.enter("ann", address);
  };
  const guesses = () => watch.facts().guesses;
  return { state, watch, logins, entered, guess, guesses };
}

test("a gateway without any event reports its name, its secrets, and whether it simulates", () => {
  const { watch } = stage();

  expect(watch.facts()).toEqual({
    instance: "gateway-1",
    troubles: {},
    unpriced: [],
    isSimulated: true,
    jobs: [],
    certificates: [],
    secrets: { metrics: "Everyone can read it." },
    guesses: [],
  });
  expect(watch.facts()).not.toHaveProperty("redisDownSince");
});

test("certificates are those that were found last", () => {
  const { watch } = stage();
  const certificates = [{ host: "vendor.example", endsAt: 5 }];

  watch.foundCertificates(certificates);

  expect(watch.facts().certificates).toBe(certificates);
});

test("only channels with a refusal or a failure have troubles", () => {
  const { watch } = stage({
    well: { openUntil: 5 },
    refused: { refusals: [FAILURE] },
    failed: { lastFailure: FAILURE },
  });

  expect(Object.keys(watch.facts().troubles)).toEqual(["refused", "failed"]);
});

test("models without a price are reported with their last call, at most 200 of them", () => {
  const { watch, state } = stage();
  watch.observe(aRecord({ model: "priced" }));
  for (let at = 0; at < 201; at++) watch.observe(aRecord({ model: `m${at}`, isUnpriced: true }));
  state.now += MINUTE;
  watch.observe(aRecord({ model: "m0", isUnpriced: true }));
  watch.observe(aRecord({ model: "m200", isUnpriced: true }));

  const { unpriced } = watch.facts();

  expect(unpriced).toHaveLength(200);
  expect(unpriced[0]).toEqual({ model: "m0", at: state.now });
  expect(unpriced.at(-1)).toEqual({ model: "m199", at: state.now - MINUTE });
});

test("a job fails since its first failure in a row, until it succeeds", () => {
  const { watch, state } = stage();
  const since = state.now;
  watch.jobEnded("prune", true);
  state.now += MINUTE;
  watch.jobEnded("prune", true);
  watch.jobEnded("other", false);
  expect(watch.facts().jobs).toEqual([{ name: "prune", failures: 2, since }]);

  watch.jobEnded("prune", false);

  expect(watch.facts().jobs).toEqual([]);
});

test("Redis is away since its first check without an answer, until it answers", () => {
  const { watch, state } = stage();
  state.isRedisUp = false;
  const since = state.now;
  watch.facts();
  state.now += MINUTE;
  expect(watch.facts().redisDownSince).toBe(since);

  state.isRedisUp = true;

  expect(watch.facts().redisDownSince).toBeUndefined();
});

describe("failed logins", () => {
  test("are reported by address from five on, the most first", () => {
    const { guess, guesses, state } = stage();
    guess(5, "one");
    guess(6, "two");
    guess(4, "three");
    guess(7);

    expect(guesses()).toEqual([
      { address: "an unknown address", failures: 7, at: state.now },
      { address: "two", failures: 6, at: state.now },
      { address: "one", failures: 5, at: state.now },
    ]);
  });

  test("do not count if they succeed, and the limiter is asked as without a watch", () => {
    const { guess, guesses, logins, entered } = stage();
    guess(5, "one");
    guess(5);
    logins.succeeded("ann", "one");
    logins.succeeded("ann", undefined);
    logins.succeeded("ann", "unknown");

    expect(guesses()).toEqual([]);
    expect(entered).toHaveLength(13);
    expect(entered[0]).toEqual(["ann", "one"]);
    expect(entered[10]).toEqual(["succeeded", "ann", "one"]);
  });

  test("count for fifteen minutes", () => {
    const { guess, guesses, state } = stage();
    guess(5, "one");
    state.now += 15 * MINUTE - 1;
    guess(1, "one");
    expect(guesses()).toEqual([{ address: "one", failures: 6, at: state.now }]);

    state.now += 1;

    expect(guesses()).toEqual([]);
  });

  test("are counted up to 200 for an address", () => {
    const { guess, guesses, state } = stage();
    guess(1, "one");
    state.now += 10 * MINUTE;
    guess(200, "one");
    expect(guesses()).toMatchObject([{ failures: 200 }]);

    state.now += 10 * MINUTE;

    expect(guesses()).toMatchObject([{ failures: 200 }]);
  });

  test("are reported for fifty addresses", () => {
    const { guess, guesses } = stage();
    for (let at = 0; at < 51; at++) guess(5, `a${at}`);

    expect(guesses()).toHaveLength(50);
  });

  test("are counted for a thousand addresses; one more ends the count of the one that failed longest ago", () => {
    const { guess, guesses } = stage();
    guess(5, "first");
    guess(6, "second");
    guess(7, "third");
    for (let at = 0; at < 997; at++) guess(1, `a${at}`);
    guess(1, "second");
    guess(1, "first");
    expect(guesses()).toHaveLength(3);

    guess(1, "another");

    expect(guesses()).toMatchObject([
      { address: "second", failures: 7 },
      { address: "first", failures: 6 },
    ]);
  });
});
