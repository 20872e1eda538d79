import { refuse } from "#core/lossy.ts";
import type { RequestFacts } from "#core/style.ts";
import { isArray, type Json, type JsonObject } from "#lib/json.ts";
import { integerOf, listOf, memberOf, textOf } from "#lib/values.ts";
import { validate } from "#core/validate.ts";
import { REQUEST } from "./fields.ts";

export function readRequest(body: JsonObject): RequestFacts {
  validate(body, REQUEST);
  refuseWhatChangesTheAnswer(body);
  return {
    model: textOf(body["model"]) ?? "",
    stream: body["stream"] === true,
    maxOutputTokens: integerOf(body["max_tokens"]),
    choices: integerOf(body["n"]) ?? 1,
    messages: 1,
    wantsUsage: memberOf(body["stream_options"], "include_usage") === true,
  };
}

/** Models are called with one user message, so several prompts, tokens and suffixes cannot be sent. */
function refuseWhatChangesTheAnswer(body: JsonObject): void {
  const { prompt } = body;
  if (isArray(prompt) && prompt.length > 1 && prompt.every((one) => typeof one === "string")) {
    throw refuse("prompt", "send one prompt per request.");
  }
  if (promptIn(prompt) === undefined) throw refuse("prompt", "it must be text, not tokens.");
  if ((textOf(body["suffix"]) ?? "") !== "") {
    throw refuse("suffix", "the model cannot insert text before a suffix.");
  }
  if (body["echo"] === true && integerOf(body["logprobs"]) !== undefined) {
    throw refuse("echo", "upstreams return no probabilities for the prompt.");
  }
}

/** Text, or a list of one text. */
export function promptIn(prompt: Json | undefined): string | undefined {
  if (typeof prompt === "string") return prompt;
  const [only, ...others] = listOf(prompt);
  return others.length === 0 ? textOf(only) : undefined;
}
