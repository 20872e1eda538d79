import { usageOf, withSearches, withServed, type Usage } from "#core/usage.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { integerOf, memberOf } from "#lib/values.ts";
import { searchesIn } from "./answer/executed-tools.ts";

/**
 * Usage as any server of this style reports it; `undefined` where it says
 * nothing, or nothing that can be true.
 */
export function parseUsage(wire: Json | undefined): Usage | undefined {
  if (!isObject(wire)) return undefined;
  const prompt = integerOf(wire["prompt_tokens"]);
  const total = integerOf(wire["total_tokens"]);
  const completion = integerOf(wire["completion_tokens"]) ?? remainder(total, prompt);
  if (prompt === undefined || completion === undefined || prompt + completion === 0)
    return undefined;

  const input = wire["prompt_tokens_details"] ?? wire["prompt_token_details"];
  const output = wire["completion_tokens_details"] ?? wire["completion_token_details"];
  const cached = firstInteger(
    memberOf(input, "cached_tokens"),
    wire["cached_tokens"],
    wire["prompt_cache_hit_tokens"],
    wire["cache_read_input_tokens"],
    wire["num_cached_tokens"],
  );
  const written = firstInteger(
    memberOf(input, "cache_write_tokens"),
    memberOf(input, "cached_creation_tokens"),
    wire["cache_creation_input_tokens"],
  );
  const heard = firstInteger(memberOf(input, "audio_tokens"));
  const reasoning = firstInteger(memberOf(output, "reasoning_tokens"), wire["reasoning_tokens"]);
  const excess = total === undefined ? 0 : total - prompt - completion;
  const missing =
    excess <= 0
      ? NONE_MISSING
      : missingParts({ cached, written, heard, reasoning }, excess, output);
  return usageOf({
    inputTokens: prompt + missing.input,
    outputTokens: completion + missing.output,
    cachedInputTokens: cached,
    cacheWriteTokens: written,
    longCacheWriteTokens: memberOf(memberOf(input, "cache_write_tokens_details"), "ttl_12h_tokens"),
    audioInputTokens: heard,
    imageInputTokens: memberOf(input, "image_tokens"),
    reasoningTokens: reasoning + missing.hidden,
    audioOutputTokens: firstInteger(memberOf(output, "audio_tokens")),
    imageOutputTokens: memberOf(output, "image_tokens"),
  });
}

const NONE_MISSING = { input: 0, output: 0, hidden: 0 };

interface Counted {
  readonly cached: number;
  readonly written: number;
  readonly heard: number;
  readonly reasoning: number;
}

/**
 * Some vendors leave a part out of its sum and only count it in the total:
 * reasoning, sound, cached input, or thinking they never mention. What the
 * total exceeds the sum by says which.
 */
function missingParts(
  { cached, written, heard, reasoning }: Counted,
  excess: number,
  outputDetails: Json | undefined,
): { input: number; output: number; hidden: number } {
  if (excess === reasoning) return { input: 0, output: excess, hidden: 0 };
  if (excess === heard || excess === cached || excess === cached + written)
    return { input: excess, output: 0, hidden: 0 };
  const hidden = outputDetails === undefined ? excess : 0;
  return { input: 0, output: hidden, hidden };
}

export function buildUsage(usage: Usage): JsonObject {
  const { imageInputTokens = 0, imageOutputTokens = 0 } = usage;
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cachedInputTokens,
      audio_tokens: usage.audioInputTokens,
      ...(usage.cacheWriteTokens > 0 ? { cache_write_tokens: usage.cacheWriteTokens } : {}),
      ...(imageInputTokens > 0 ? { image_tokens: imageInputTokens } : {}),
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoningTokens,
      audio_tokens: usage.audioOutputTokens,
      ...(imageOutputTokens > 0 ? { image_tokens: imageOutputTokens } : {}),
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

/** Where a chunk or an answer keeps its usage: in its place, or under a vendor's own `x_` member. */
export function usageIn(body: JsonObject): Usage | undefined {
  const usage = parseUsage(body["usage"]);
  if (usage !== undefined) return withSearches(withTier(usage, body), searchesIn(body));
  for (const name in body) {
    if (name.startsWith("x_")) {
      const own = parseUsage(memberOf(body[name], "usage"));
      if (own !== undefined) return withTier(own, body);
    }
  }
  return undefined;
}

/** Beside the usage stands which tier served. */
function withTier(usage: Usage, body: JsonObject): Usage {
  const { service_tier: serviceTier } = body;
  return serviceTier === undefined ? usage : withServed(usage, { serviceTier });
}

function remainder(total: number | undefined, prompt: number | undefined): number | undefined {
  return total === undefined || prompt === undefined || total < prompt ? undefined : total - prompt;
}

/**
 * The first count above zero: a zero in one member may be a real count in another. Without a list,
 * since each call of this style needs five of them.
 */
function firstInteger(
  first: Json | undefined,
  second?: Json,
  third?: Json,
  fourth?: Json,
  fifth?: Json,
): number {
  return (
    positive(first) || positive(second) || positive(third) || positive(fourth) || positive(fifth)
  );
}

function positive(value: Json | undefined): number {
  return Math.max(0, integerOf(value) ?? 0);
}
