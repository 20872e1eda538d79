import { describe, expect, test } from "bun:test";
import type { ChannelFailure } from "#core/channel-troubles.ts";
import { nanoUsd } from "#core/money.ts";
import {
  causeToDisable,
  hasBalance,
  probeDelayMs,
  rulesFor,
  type DisableEvidence,
  type DisableSettings,
} from "./disable-rules.ts";

const SETTINGS: DisableSettings = {
  disableRefused: "on",
  disableFailingShare: 0.5,
  disableMinAttempts: 10,
  disableWindowMs: 300_000,
  disableNoBalance: "on",
};
const RULES = rulesFor({}, SETTINGS);
const NO_EVIDENCE: DisableEvidence = {
  credentials: ["...1", "...2"],
  refusals: [],
  recent: undefined,
  balance: undefined,
};

function refusal(credential: string, more: Partial<ChannelFailure> = {}): ChannelFailure {
  const reason = "Incorrect API key.";
  return { since: 0, code: "upstream_auth", credential, status: undefined, reason, ...more };
}

function sumOf(failed: number, attempts: number): DisableEvidence["recent"] {
  return { attempts, failed, cost: nanoUsd(0), firstBytes: new Map(), faults: new Map() };
}

function balanceOf(amount: number, isUsable = true): DisableEvidence["balance"] {
  return { channel: "one", at: 0, amount, currency: "USD", isUsable };
}

describe("the rules of a channel", () => {
  test("are those of the settings", () => {
    expect(RULES).toEqual({
      refused: true,
      failingShare: 0.5,
      minAttempts: 10,
      windowMs: 300_000,
      noBalance: true,
    });
    expect(
      rulesFor({}, { ...SETTINGS, disableRefused: "off", disableNoBalance: "off" }),
    ).toMatchObject({ refused: false, noBalance: false });
  });

  test("are its own if it has some", () => {
    const autoDisable = {
      refused: false,
      failingShare: 0.9,
      minAttempts: 3,
      windowMs: 60_000,
      noBalance: false,
    };

    expect(rulesFor({ autoDisable }, SETTINGS)).toEqual(autoDisable);
    expect(rulesFor({ autoDisable: { minAttempts: 3 } }, SETTINGS)).toEqual({
      ...RULES,
      minAttempts: 3,
    });
  });
});

test("a channel without evidence stays enabled", () => {
  expect(causeToDisable(RULES, NO_EVIDENCE)).toBeUndefined();
});

describe("a channel whose credentials the vendor refuses", () => {
  const refused = [refusal("...1", { status: 401 }), refusal("...2")];

  test("is disabled, with the words of the first refusal", () => {
    expect(causeToDisable(RULES, { ...NO_EVIDENCE, refusals: refused })).toEqual({
      cause: "refused",
      reason: "the vendor refuses the credential: Incorrect API key. (HTTP 401)",
    });
    expect(causeToDisable(RULES, { ...NO_EVIDENCE, refusals: refused.toReversed() })?.reason).toBe(
      "the vendor refuses the credential: Incorrect API key.",
    );
  });

  test("stays enabled if one of them is not refused", () => {
    expect(causeToDisable(RULES, { ...NO_EVIDENCE, refusals: [refusal("...1")] })).toBeUndefined();
  });

  test("stays enabled if a refusal may be about the request", () => {
    const refusals = [refusal("...1"), refusal("...2", { code: "upstream_denied" })];

    expect(causeToDisable(RULES, { ...NO_EVIDENCE, refusals })).toBeUndefined();
  });

  test("stays enabled without the rule", () => {
    const rules = { ...RULES, refused: false };

    expect(causeToDisable(rules, { ...NO_EVIDENCE, refusals: refused })).toBeUndefined();
  });

  test("is disabled without a credential, if the vendor wants one", () => {
    const evidence = { ...NO_EVIDENCE, credentials: [] };

    expect(causeToDisable(RULES, evidence)).toBeUndefined();
    expect(causeToDisable(RULES, { ...evidence, refusals: [refusal("")] })?.cause).toBe("refused");
  });
});

describe("a channel whose attempts fail", () => {
  const causeFor = (failed: number, attempts: number, rules = RULES) =>
    causeToDisable(rules, { ...NO_EVIDENCE, recent: sumOf(failed, attempts) });

  test("is disabled at the share of its rule", () => {
    expect(causeFor(5, 10)).toEqual({
      cause: "failing",
      reason: "5 of 10 attempts failed in 5 minutes",
    });
    expect(causeFor(4, 10)).toBeUndefined();
  });

  test("stays enabled until it has enough attempts", () => {
    expect(causeFor(9, 9)).toBeUndefined();
  });

  test("stays enabled without the rule", () => {
    expect(causeFor(10, 10, { ...RULES, failingShare: 0 })).toBeUndefined();
  });
});

describe("a channel whose account is empty", () => {
  const causeFor = (balance: DisableEvidence["balance"], rules = RULES) =>
    causeToDisable(rules, { ...NO_EVIDENCE, balance });

  test("is disabled", () => {
    expect(causeFor(balanceOf(0))).toEqual({
      cause: "no_balance",
      reason: "the vendor's account has 0 USD left",
    });
    expect(causeFor(balanceOf(5, false))?.cause).toBe("no_balance");
  });

  test("stays enabled while money is left, and without the rule", () => {
    expect(causeFor(balanceOf(0.01))).toBeUndefined();
    expect(causeFor(balanceOf(0), { ...RULES, noBalance: false })).toBeUndefined();
  });

  test("has no balance if the vendor takes no calls, at any amount", () => {
    const states = [balanceOf(1), balanceOf(0), balanceOf(-1), balanceOf(1, false)];

    expect(states.map((each) => each !== undefined && hasBalance(each))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

test("the wait until the next test doubles from a minute to an hour", () => {
  expect([0, 1, 2, 5, 6, 5_000].map(probeDelayMs)).toEqual([
    60_000, 120_000, 240_000, 1_920_000, 3_600_000, 3_600_000,
  ]);
});
