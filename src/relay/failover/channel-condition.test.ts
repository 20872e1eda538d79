import { describe, expect, test } from "bun:test";
import { bucketOf, type ChannelSum } from "#core/channel-minute.ts";
import type { ChannelFailure, ChannelTroubles } from "#core/channel-troubles.ts";
import type { FaultCode } from "#core/error.ts";
import { nanoUsd } from "#core/money.ts";
import { conditionOf } from "./channel-condition.ts";

const NO_TROUBLES: ChannelTroubles = {
  refusals: [],
  lastFailure: undefined,
  cooldownUntil: undefined,
  openUntil: undefined,
};
const NO_ATTEMPTS: ChannelSum = {
  attempts: 0,
  failed: 0,
  cost: nanoUsd(0),
  firstBytes: new Map(),
  faults: new Map(),
};
const NOON = Date.UTC(2026, 0, 1, 12);
const ONE = Date.UTC(2026, 0, 1, 13);

/** A channel that is enabled and has no troubles, except these. */
function conditionWith({
  troubles = {},
  recent = {},
  ...known
}: Omit<Partial<Parameters<typeof conditionOf>[0]>, "troubles" | "recent"> & {
  troubles?: Partial<ChannelTroubles>;
  recent?: Partial<ChannelSum>;
}) {
  return conditionOf({
    isEnabled: true,
    ...known,
    troubles: { ...NO_TROUBLES, ...troubles },
    recent: { ...NO_ATTEMPTS, ...recent },
  });
}

function failure(code: FaultCode, more: Partial<ChannelFailure> = {}): ChannelFailure {
  return { since: NOON, code, credential: "", status: undefined, reason: "No luck.", ...more };
}

/** Of four attempts, with these faults. */
function failedAttempts(failed: number, ...faults: [FaultCode, number][]): Partial<ChannelSum> {
  return { attempts: 4, failed, faults: new Map(faults) };
}

test("a channel without troubles is healthy", () => {
  expect(conditionWith({})).toEqual({ state: "healthy", text: "healthy" });
});

describe("a channel is shown as disabled", () => {
  test("by the user who did it, if known", () => {
    expect(conditionWith({ isEnabled: false })).toEqual({ state: "disabled", text: "disabled" });
    expect(conditionWith({ isEnabled: false, disabledBy: "ann" })).toEqual({
      state: "disabled",
      text: "disabled by ann",
    });
  });

  test("by the gateway, with the reason and the time of the next test", () => {
    const disabled = {
      channel: "one",
      isDisabled: true,
      cause: "failing",
      reason: "9 of 10 attempts failed",
      since: NOON,
      probeAt: ONE,
      probes: 0,
      returnedAt: undefined,
    } as const;

    expect(conditionWith({ disabled })).toEqual({
      state: "disabled",
      text: "disabled by the gateway since 2026-01-01T12:00:00Z, because 9 of 10 attempts failed. Next test at 2026-01-01T13:00:00Z.",
      since: NOON,
      until: ONE,
    });
  });
});

test("a mistake of the configuration is told before any trouble", () => {
  const condition = conditionWith({
    issue: "it has no credential",
    troubles: { refusals: [failure("upstream_auth")] },
  });

  expect(condition).toEqual({ state: "not serving", text: "not serving: it has no credential" });
});

describe("a channel is refused", () => {
  test("if the vendor refuses a credential, which is named", () => {
    const refused = failure("upstream_auth", { credential: "...1234", status: 401 });

    expect(conditionWith({ troubles: { refusals: [refused, failure("upstream_auth")] } })).toEqual({
      state: "refused",
      text: "refused since 2026-01-01T12:00:00Z (credential ...1234): No luck. (HTTP 401)",
      since: NOON,
    });
  });

  test("without a name if the credential has none", () => {
    const { text } = conditionWith({ troubles: { refusals: [failure("upstream_auth")] } });

    expect(text).toBe("refused since 2026-01-01T12:00:00Z: No luck.");
  });

  test("if another gateway was refused", () => {
    const recent = failedAttempts(1, ["upstream_failed", 1], ["upstream_auth", 1]);

    expect(conditionWith({ recent })).toEqual({
      state: "refused",
      text: "refused: the vendor refuses the API key",
    });
  });
});

describe("a channel is failing", () => {
  test("if half of its attempts failed, and not if fewer did", () => {
    const condition = conditionWith({ recent: failedAttempts(2, ["upstream_failed", 2]) });

    expect(condition).toEqual({
      state: "failing",
      text: "failing: 2 of 4 attempts failed in 5 minutes.",
    });
    expect(conditionWith({ recent: failedAttempts(1, ["upstream_failed", 1]) }).state).toBe(
      "healthy",
    );
  });

  test("with the words of the last failure, if it is of the most frequent kind", () => {
    const recent = failedAttempts(4, ["upstream_overloaded", 1], ["upstream_failed", 3]);
    const lastFailure = failure("upstream_failed", { status: 500 });

    expect(conditionWith({ recent, troubles: { lastFailure } }).text).toBe(
      "failing: 4 of 4 attempts failed in 5 minutes. Last failure: No luck. (HTTP 500)",
    );
    expect(
      conditionWith({ recent, troubles: { lastFailure: failure("upstream_overloaded") } }).text,
    ).toBe("failing: 4 of 4 attempts failed in 5 minutes.");
  });

  test("while a circuit is open, until it closes", () => {
    const troubles = { openUntil: ONE, lastFailure: failure("upstream_failed") };

    expect(conditionWith({ troubles })).toEqual({
      state: "failing",
      text: "failing: Paused until 2026-01-01T13:00:00Z. Last failure: No luck.",
      until: ONE,
    });
    expect(
      conditionWith({ troubles, recent: failedAttempts(1, ["upstream_failed", 1]) }).text,
    ).toStartWith("failing: 1 of 4 attempts failed in 5 minutes. Paused until");
  });

  test("but is healthy again if nothing is known about the failures", () => {
    expect(conditionWith({ troubles: { openUntil: ONE } }).state).toBe("healthy");
    expect(conditionWith({ recent: failedAttempts(4) }).state).toBe("healthy");
    expect(conditionWith({ troubles: { lastFailure: failure("upstream_failed") } }).state).toBe(
      "healthy",
    );
  });

  test.each<[FaultCode, string, string]>([
    ["upstream_unreachable", "unreachable", "unreachable: 2 of 4"],
    ["upstream_timeout", "slow", "slow, its answers come too late: 2 of 4"],
  ])("and a fault of the kind %s is named as %s", (fault, state, text) => {
    const condition = conditionWith({ recent: failedAttempts(2, [fault, 2]) });

    expect<string>(condition.state).toBe(state);
    expect(condition.text).toStartWith(text);
  });
});

describe("a vendor's rate limit", () => {
  const limited = failedAttempts(4, ["upstream_rate_limited", 4]);

  test("alone is a cooldown and no failure", () => {
    expect(conditionWith({ recent: limited, troubles: { cooldownUntil: ONE } })).toEqual({
      state: "cooldown",
      text: "cooldown until 2026-01-01T13:00:00Z: the vendor asked to wait",
      until: ONE,
    });
    expect(conditionWith({ recent: limited }).state).toBe("healthy");
  });

  test("is a failure if it opened a circuit", () => {
    expect(conditionWith({ recent: limited, troubles: { openUntil: ONE } }).state).toBe("failing");
  });
});

describe("a channel is slow", () => {
  test("if half of its answers begin after ten seconds", () => {
    const slow = bucketOf(12_000);

    const condition = conditionWith({
      recent: { attempts: 2, firstBytes: new Map([[slow, 2]]) },
    });

    expect(condition).toEqual({
      state: "slow",
      text: "slow: half of the answers begin after 11.6 s",
    });
  });

  test("and not if half of them begin earlier", () => {
    const firstBytes = new Map([
      [bucketOf(100), 1],
      [bucketOf(12_000), 1],
    ]);

    expect(conditionWith({ recent: { attempts: 2, firstBytes } }).state).toBe("healthy");
  });
});
