import type { AnswerFacts, RequestFacts } from "#core/style.ts";
import { isArray, type JsonObject } from "#lib/json.ts";
import { outputTextIn } from "./output-text.ts";
import { errorIn } from "./upstream-error.ts";
import { usageIn } from "./usage.ts";
import { objectOf } from "./values.ts";

/** A stream is billed by its usage, which comes only when asked for. */
export function amend(
  body: JsonObject,
  facts: RequestFacts,
): Readonly<Record<string, JsonObject | undefined>> {
  const options = objectOf(body["stream_options"]);
  if (!facts.stream || options?.["include_usage"] === true) return {};
  return { stream_options: { ...options, include_usage: true } };
}

export function readAnswer(body: JsonObject): AnswerFacts {
  return {
    usage: usageIn(body),
    outputText: () => outputTextIn(body),
    error: errorIn(body) ?? (isEmpty(body) ? NO_ANSWER : undefined),
  };
}

const NO_ANSWER = {
  code: "upstream_failed",
  message: "The upstream's answer holds no choice.",
} as const;

function isEmpty(body: JsonObject): boolean {
  const choices = body["choices"];
  return !isArray(choices) || choices.length === 0;
}
