import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, numberOf, textOf } from "#lib/values.ts";

/**
 * Probabilities as parallel lists, one list for each member. `offset`: position
 * of the first token in the text.
 */
export function buildLogprobs(entries: readonly Json[], offset: number): JsonObject | null {
  const read = entries.filter(isObject);
  if (read.length === 0) return null;
  const tokens = read.map((entry) => textOf(entry["token"]) ?? "");
  let at = offset;
  const offsets = tokens.map((token) => {
    const start = at;
    at += token.length;
    return start;
  });
  return {
    tokens,
    token_logprobs: read.map(logprobOf),
    top_logprobs: read.map((entry) => topOf(entry["top_logprobs"])),
    text_offset: offsets,
  };
}

function topOf(top: Json | undefined): JsonObject {
  const entries = listOf(top).filter(isObject);
  return Object.fromEntries(
    entries.map((entry) => [textOf(entry["token"]) ?? "", logprobOf(entry)]),
  );
}

function logprobOf(entry: JsonObject): number | null {
  return numberOf(entry["logprob"]) ?? null;
}
