import { billedFor, isSameMoney, settledSpend } from "../field.ts";
import { callMany } from "./call-many.ts";
import { scaled, usd, type Experiment } from "./experiment.ts";

const CALLS = 500;
const LEAST_CALLS = 50;
const AT_ONCE = 16;

export const CALLS_CHARGED: Experiment = {
  id: "calls",
  title: "Calls without a fault",
  rule: "Each call is charged what the vendor bills, and the log has it once.",
  async run(field) {
    const key = await field.accounts.createKey({ name: "truth-calls" });
    const count = scaled(field, CALLS, LEAST_CALLS);
    const outcomes = await callMany(field, key, { count, atOnce: AT_ONCE }, (number) => ({
      tokens: 10 + (number % 50),
      isStream: number % 2 === 1,
    }));
    const whole = outcomes.filter(({ end, status }) => end === "whole" && status === 200).length;
    const billed = billedFor(field, outcomes);
    const charged = await settledSpend(field, key);
    const rows = await field.accounts.callsOf?.(key);
    const hasRows = rows === undefined || rows === count;
    return {
      holds: whole === count && isSameMoney(charged, billed) && hasRows,
      figures: {
        calls: count,
        answered: whole,
        billed: usd(billed),
        charged: usd(charged),
        rows: rows ?? "no log",
      },
      sentence: `${whole} of ${count} calls were answered; the vendor bills ${usd(billed)}, the key was charged ${usd(charged)}.`,
    };
  },
};
