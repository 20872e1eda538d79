import { either, flag, integer, list, number, object, text } from "#lib/rules.ts";
import type { ObjectRule } from "#lib/rules.ts";

const MAX_TOKENS_IN_PROMPT = 1_000_000;
const MAX_STOPS = 64;
/** Far above any model's window; a larger number is a mistake. */
const MAX_OUTPUT_TOKENS = 10_000_000;

const TOKEN = integer(0, Number.MAX_SAFE_INTEGER);
const TOKENS = list(TOKEN, MAX_TOKENS_IN_PROMPT);

/** The fields of a completions request that the gateway uses; the rest is ignored. */
export const REQUEST: ObjectRule = object({
  "model!": text({ minLength: 1, maxLength: 512 }),
  "prompt!": either(text(), list(either(text(), TOKEN, TOKENS), MAX_TOKENS_IN_PROMPT)),
  suffix: text({ doc: "Refused unless empty: models cannot insert text before a suffix." }),
  echo: flag("Start the text with the prompt."),
  best_of: integer(0, 20, "Reported as lost if it exceeds `n`."),

  stream: flag("Respond as server-sent events."),
  stream_options: object({ include_usage: flag("Send a last chunk with the usage.") }),

  max_tokens: integer(1, MAX_OUTPUT_TOKENS, "Maximum number of generated tokens."),
  temperature: number(0, 2),
  top_p: number(0, 1),
  presence_penalty: number(-2, 2),
  frequency_penalty: number(-2, 2),
  seed: integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  stop: either(text(), list(text(), MAX_STOPS)),
  n: integer(1, 128, "Number of choices."),
  logprobs: integer(
    0,
    20,
    "Number of most likely tokens with their probabilities, at each position.",
  ),
  logit_bias: object({}),
  user: text(),
});
