import { either, flag, integer, list, number, object, text } from "#lib/rules.ts";
import type { ObjectRule } from "#lib/rules.ts";

const MAX_TOKENS_IN_PROMPT = 1_000_000;
const MAX_STOPS = 64;
/** Far above any model's window; a larger number is a mistake. */
const MAX_OUTPUT_TOKENS = 10_000_000;

const TOKEN = integer(0, Number.MAX_SAFE_INTEGER);
const TOKENS = list(TOKEN, MAX_TOKENS_IN_PROMPT);

/** Everything of a completions request that is acted on; the rest passes unread. */
export const REQUEST: ObjectRule = object({
  "model!": text({ minLength: 1, maxLength: 512 }),
  "prompt!": either(text(), list(either(text(), TOKEN, TOKENS), MAX_TOKENS_IN_PROMPT)),
  suffix: text({ doc: "Not carried: the models of today continue, they do not fill in." }),
  echo: flag("Begin the answer with the prompt."),
  best_of: integer(0, 20, "Not carried: the first answer is the answer."),

  stream: flag("Answer as server-sent events."),
  stream_options: object({ include_usage: flag("A last chunk with the tokens used.") }),

  max_tokens: integer(1, MAX_OUTPUT_TOKENS, "The most tokens to generate."),
  temperature: number(0, 2),
  top_p: number(0, 1),
  presence_penalty: number(-2, 2),
  frequency_penalty: number(-2, 2),
  seed: integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  stop: either(text(), list(text(), MAX_STOPS)),
  n: integer(1, 128, "How many answers."),
  logprobs: integer(0, 20, "Probabilities of the most likely tokens, this many at each place."),
  logit_bias: object({}),
  user: text(),
});
