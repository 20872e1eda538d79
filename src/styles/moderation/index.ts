import { estimateInputTokens } from "#core/count.ts";
import { validate } from "#core/validate.ts";
import type { SharedAnswer, SharedFormat, SharedRequest } from "#core/shared-format.ts";
import type { RequestBody } from "#core/style.ts";
import { clampCount, NO_USAGE, usageOf } from "#core/usage.ts";
import { isArray, type Json, type JsonObject } from "#lib/json.ts";
import { either, list, object, text, type ObjectRule } from "#lib/rules.ts";
import { memberOf, textOf } from "#lib/values.ts";
import { noAnswer } from "#styles/no-answer.ts";
import { buildError } from "#styles/text/chat/error.ts";
import { errorIn } from "#styles/text/chat/failure.ts";
import { parseError } from "#styles/upstream-error.ts";

const MAX_INPUTS = 10_000;

/** Members of a moderation request that the gateway reads; the others are forwarded unread. */
export const MODERATION_REQUEST: ObjectRule = object({
  model: text({ minLength: 1, maxLength: 512 }),
  "input!": {
    ...either(text(), list(either(text(), object({ "type!": text() })), MAX_INPUTS, 1)),
    doc: "A text, several, or the texts and pictures of one message.",
  },
});

/** Classifies text and images by harm. */
export const moderations: SharedFormat = {
  id: "moderations",
  inbound: { read, buildError },
  outbound: { parseError, errorIn },
  answersIn: () => "json",
  readAnswer,

  openTap() {
    throw noAnswer("is a stream that nobody asked for");
  },

  guess: (_question, { inputTokens }) => ({ ...NO_USAGE, inputTokens, isEstimated: true }),
};

function read(body: RequestBody): SharedRequest {
  const { json } = body;
  validate(json, MODERATION_REQUEST);
  return {
    model: textOf(json["model"]) ?? "",
    stream: false,
    body,
    edits: {},
    inputTokens: clampCount(estimateInputTokens(json["input"] ?? "")),
    words: wordsIn(json["input"]),
    maxOutputTokens: 0,
    units: {},
  };
}

function wordsIn(input: Json | undefined): readonly string[] {
  if (typeof input === "string") return [input];
  return isArray(input) ? input.filter((each) => typeof each === "string") : [];
}

function readAnswer(answer: JsonObject | string): SharedAnswer {
  const { results, usage: wire } = typeof answer === "string" ? {} : answer;
  if (!isArray(results)) throw noAnswer("has no results");
  const usage = usageOf({ inputTokens: memberOf(wire, "prompt_tokens"), outputTokens: 0 });
  return usage === undefined ? {} : { usage };
}
