import { PRICES, settledSpend, type Field } from "../field.ts";
import { PROMPT_TOKENS } from "../vendor/plan.ts";
import { costOf } from "../vendor/record.ts";
import { callMany } from "./call-many.ts";
import { usd, type Experiment, type Finding } from "./experiment.ts";

const ALLOWED = 20;
const ASKED = 200;
const TOKENS = 50;
/** Gateways that reserve money count the prompt themselves, so a part of the last calls may not fit. */
const FEWEST_SHARE = 0.75;

export const WHOLE_QUOTA: Experiment = quotaExperiment(false);
export const STREAM_QUOTA: Experiment = quotaExperiment(true);

function quotaExperiment(isStream: boolean): Experiment {
  return {
    id: isStream ? "stream-quota" : "whole-quota",
    title: `A quota for ${ALLOWED} calls, ${ASKED} ${isStream ? "streams" : "calls"} at once`,
    rule: "Not more calls are admitted than the quota pays, and not many fewer.",
    run: (field) => run(field, isStream),
  };
}

async function run(field: Field, isStream: boolean): Promise<Finding> {
  const quota = costOf({ input: ALLOWED * PROMPT_TOKENS, output: ALLOWED * TOKENS }, PRICES);
  const key = await field.accounts.createKey({ name: `truth-quota-${isStream}`, quota });
  const outcomes = await callMany(field, key, { count: ASKED, atOnce: ASKED }, () => ({
    tokens: TOKENS,
    pauseMs: isStream ? 10 : 500,
    isStream,
  }));
  const answered = outcomes.filter(({ end, tokens }) => end === "whole" && tokens > 0).length;
  const charged = await settledSpend(field, key);
  return {
    holds: answered <= ALLOWED && answered >= ALLOWED * FEWEST_SHARE && charged <= quota + 1e-9,
    figures: { asked: ASKED, allowed: ALLOWED, answered, quota: usd(quota), charged: usd(charged) },
    sentence: `${answered} calls were answered where the quota pays ${ALLOWED}; ${usd(charged)} of ${usd(quota)} was spent.`,
  };
}
