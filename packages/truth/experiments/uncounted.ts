import { call } from "../client/call.ts";
import { PRICES, settledSpend, UNCOUNTED, type Field } from "../field.ts";
import { TOKEN } from "../vendor/plan.ts";
import { costOf } from "../vendor/record.ts";
import { UNCOUNTED_TOKENS } from "../vendor/vendor.ts";
import { percent, usd, type Experiment } from "./experiment.ts";

const CALLS = 10;
const PROMPT_WORDS = 400;
/** Tokens around a prompt, which differ between models. */
const FRAME_TOKENS = 10;
const MOST_OFF = 0.05;

export const UNCOUNTED_WHOLE: Experiment = uncounted(false);
export const UNCOUNTED_STREAM: Experiment = uncounted(true);

function uncounted(isStream: boolean): Experiment {
  return {
    id: isStream ? "uncounted-stream" : "uncounted",
    title: `A vendor that reports no usage, ${isStream ? "streams" : "whole answers"}`,
    rule: "The gateway counts the tokens itself, within 5 %.",
    run: (field) => run(field, isStream),
  };
}

async function run(field: Field, isStream: boolean) {
  const key = await field.accounts.createKey({ name: `truth-uncounted-${isStream}` });
  const prompt = TOKEN.repeat(PROMPT_WORDS).trim();
  let answered = 0;
  for (let number = 0; number < CALLS; number += 1) {
    const { tokens } = await call({
      url: field.gateway.url,
      secret: key.secret,
      model: field.request(UNCOUNTED),
      plan: prompt,
      isStream,
    });
    if (tokens === UNCOUNTED_TOKENS) answered += 1;
  }
  const input = PROMPT_WORDS + FRAME_TOKENS / 2;
  const right = answered * costOf({ input, output: UNCOUNTED_TOKENS }, PRICES);
  const charged = await settledSpend(field, key);
  const off = Math.abs(charged - right);
  return {
    holds: answered === CALLS && off <= right * MOST_OFF,
    figures: { calls: CALLS, answered, right: usd(right), charged: usd(charged) },
    sentence: `The charge is off by ${percent(off, right)}.`,
  };
}
