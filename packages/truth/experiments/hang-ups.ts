import type { Outcome } from "../client/call.ts";
import { PRICES, settledSpend, type Field } from "../field.ts";
import { PROMPT_TOLERANCE } from "../vendor/plan.ts";
import { billedTokens, costOf, type CallRecord, type Tokens } from "../vendor/record.ts";
import { callMany } from "./call-many.ts";
import { scaled, usd, type Experiment, type Finding } from "./experiment.ts";

const CALLS = 100;
const LEAST_CALLS = 20;
const AT_ONCE = 10;
const TOKENS = 100;
const PAUSE_MS = 20;
/** A vendor that goes on for longer bills tokens that nobody reads. */
const ABORT_LIMIT_MS = 1_000;
/** Tokens on their way between vendor, gateway and caller when the caller leaves. */
const UNDERWAY_TOKENS = 10;

export const STREAM_HANG_UPS: Experiment = {
  id: "stream-hang-ups",
  title: "Callers who leave a stream",
  rule: "The vendor's stream is closed within a second, and what the caller got is charged, not more than the vendor wrote.",
  async run(field) {
    const key = await field.accounts.createKey({ name: "truth-stream-hang-ups" });
    const count = scaled(field, CALLS, LEAST_CALLS);
    const outcomes = await callMany(field, key, { count, atOnce: AT_ONCE }, (number) => ({
      tokens: TOKENS,
      pauseMs: PAUSE_MS,
      isStream: true,
      leaveAfterTokens: 5 + (number % 20),
    }));
    const charged = await settledSpend(field, key);
    return judge(field, outcomes, charged);
  },
};

export const WHOLE_HANG_UPS: Experiment = {
  id: "whole-hang-ups",
  title: "Callers who leave before a whole answer",
  rule: "The vendor's call is closed within a second, and what the vendor bills is charged.",
  async run(field) {
    const key = await field.accounts.createKey({ name: "truth-whole-hang-ups" });
    const count = scaled(field, CALLS, LEAST_CALLS);
    const outcomes = await callMany(field, key, { count, atOnce: AT_ONCE }, (number) => ({
      tokens: TOKENS,
      pauseMs: 3_000,
      isStream: false,
      leaveAfterMs: 200 + 10 * (number % 20),
    }));
    const charged = await settledSpend(field, key);
    return judge(field, outcomes, charged);
  },
};

function judge(field: Field, outcomes: readonly Outcome[], charged: number): Finding {
  let least = 0;
  let most = 0;
  const aborts: number[] = [];
  for (const outcome of outcomes) {
    const record = field.vendor.records.get(outcome.id);
    if (record === undefined) continue;
    const billed = billedTokens(record);
    const input = billed.input === 0 ? 0 : billed.input + PROMPT_TOLERANCE;
    most += costOf({ input, output: billed.output + slack(record) }, PRICES);
    // The caller paid for what it got; what is underway may or may not be counted.
    least += costOf(
      { input: knownInput(billed), output: Math.min(outcome.tokens, billed.output) },
      PRICES,
    );
    const afterMs = abortedAfter(record, outcome);
    if (afterMs !== undefined) aborts.push(afterMs);
  }
  aborts.sort((one, other) => one - other);
  const slowest = aborts.at(-1) ?? 0;
  const areAborted = aborts.length === outcomes.length && slowest <= ABORT_LIMIT_MS;
  return {
    holds: areAborted && charged >= least - 1e-9 && charged <= most + 1e-9,
    figures: {
      calls: outcomes.length,
      aborted: aborts.length,
      "aborted after ms, median": Math.round(aborts[aborts.length >> 1] ?? 0),
      "aborted after ms, worst": Math.round(slowest),
      "least charge": usd(least),
      "most charge": usd(most),
      charged: usd(charged),
    },
    sentence: `The vendor's call was closed for ${aborts.length} of ${outcomes.length} callers who left; ${usd(charged)} was charged, and ${usd(least)} to ${usd(most)} is right.`,
  };
}

/** A stream that was left has no usage: the gateway counts the prompt itself. */
const knownInput = ({ input }: Tokens): number => Math.max(0, input - PROMPT_TOLERANCE);

const slack = ({ written }: CallRecord): number => (written === 0 ? 0 : UNDERWAY_TOKENS);

/** From when the caller left until the vendor saw it, in milliseconds. */
function abortedAfter(record: CallRecord, { durationMs }: Outcome): number | undefined {
  if (record.abortedAt === undefined) return undefined;
  return Math.max(0, record.abortedAt - record.startedAt - durationMs);
}
