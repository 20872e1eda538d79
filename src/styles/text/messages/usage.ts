import { usageOf, type Usage } from "#core/usage.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { integerOf, memberOf, restOf } from "#lib/values.ts";

const READ = new Set([
  "input_tokens",
  "cache_creation_input_tokens",
  "cache_read_input_tokens",
  "output_tokens",
  "output_tokens_details",
]);

/**
 * Usage as it is reported over a stream: every report holds sums, so a later
 * one takes the place of what it names. Some servers say at the start only how
 * long the question was, some only at the end, and nought in the other place.
 */
export class UsageReader {
  #told: Record<string, Json> = {};

  add(wire: Json | undefined): void {
    if (!isObject(wire)) return;
    for (const [name, value] of Object.entries(wire)) {
      if (value === undefined || value === null || name === "__proto__") continue;
      const isUntold = value === 0 && name !== "output_tokens" && name in this.#told;
      if (!isUntold) this.#told[name] = value;
    }
  }

  get usage(): Usage | undefined {
    return parseUsage(this.#told);
  }

  /** What vendors of this style count besides. */
  get rest(): JsonObject | undefined {
    return restOf(this.#told, READ);
  }
}

/** `undefined` where it says nothing, or nothing that can be true. */
export function parseUsage(wire: Json | undefined): Usage | undefined {
  if (!isObject(wire)) return undefined;
  const plain = integerOf(wire["input_tokens"]);
  const output = integerOf(wire["output_tokens"]);
  const cached = integerOf(wire["cache_read_input_tokens"]) ?? 0;
  const written = integerOf(wire["cache_creation_input_tokens"]) ?? 0;
  if (plain === undefined || output === undefined) return undefined;
  if (plain + cached + written + output === 0) return undefined;
  return usageOf({
    inputTokens: plain + cached + written,
    cachedInputTokens: cached,
    cacheWriteTokens: written,
    longCacheWriteTokens: memberOf(wire["cache_creation"], "ephemeral_1h_input_tokens"),
    outputTokens: output,
    reasoningTokens: integerOf(memberOf(wire["output_tokens_details"], "thinking_tokens")) ?? 0,
    searches: integerOf(memberOf(wire["server_tool_use"], "web_search_requests")),
  });
}

/** Here what was cached is no part of the input. */
export function buildUsage(usage: Usage): JsonObject {
  const { inputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens } = usage;
  const { searches = 0 } = usage;
  return {
    input_tokens: Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens),
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cachedInputTokens,
    output_tokens: usage.outputTokens,
    ...(reasoningTokens > 0 ? { output_tokens_details: { thinking_tokens: reasoningTokens } } : {}),
    ...(searches > 0
      ? { server_tool_use: { web_search_requests: searches, web_fetch_requests: 0 } }
      : {}),
  };
}
