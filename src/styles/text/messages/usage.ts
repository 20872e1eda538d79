import { usageOf, usageOfSteps, withServed, type Usage, type UsageStep } from "#core/usage.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { integerOf, listOf, memberOf, restOf, textOf } from "#lib/values.ts";

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
  const steps = stepsIn(wire["iterations"]);
  if (steps === undefined && plain + cached + written + output === 0) return undefined;
  const counted = countsOf(wire);
  const usage = counted === undefined || steps === undefined ? counted : withSteps(counted, steps);
  return (
    usage &&
    withServed(usage, {
      serviceTier: wire["service_tier"],
      speed: wire["speed"],
      region: wire["inference_geo"],
    })
  );
}

function countsOf(wire: JsonObject): Usage | undefined {
  const plain = integerOf(wire["input_tokens"]) ?? 0;
  const cached = integerOf(wire["cache_read_input_tokens"]) ?? 0;
  const written = integerOf(wire["cache_creation_input_tokens"]) ?? 0;
  const output = integerOf(wire["output_tokens"]) ?? 0;
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

/**
 * The steps of a call, each of which is charged by itself: its samplings, what
 * it took to make the conversation short (`compaction`), what another model
 * advised (`advisor_message`), and what another model said in the place of one
 * that declined (`fallback_message`). The sums beside them leave out some of it.
 */
function stepsIn(iterations: Json | undefined): readonly UsageStep[] | undefined {
  const all = listOf(iterations).filter(isObject);
  const hasFallback = all.some(({ type }) => type === "fallback_message");
  const charged = all.filter((each) => !(hasFallback && isDeclined(each)));
  const steps = charged.flatMap((each) => {
    const usage = countsOf(each);
    const model = textOf(each["model"]);
    return usage === undefined ? [] : [{ usage, ...(model === undefined ? {} : { model }) }];
  });
  return steps.length === 0 ? undefined : steps;
}

/** A model that declined before it said anything costs nothing. */
function isDeclined({ type, output_tokens: output }: JsonObject): boolean {
  return type === "message" && (integerOf(output) ?? 0) === 0;
}

/** What is told for the call as a whole stays: its thinking, and its searches. */
function withSteps(counted: Usage, steps: readonly UsageStep[]): Usage {
  const { reasoningTokens, searches } = counted;
  const [only] = steps;
  const isOne = steps.length === 1 && only !== undefined && only.model === undefined;
  if (isOne && isSame(only.usage, counted)) return counted;
  return usageOfSteps(steps, { reasoningTokens, ...(searches === undefined ? {} : { searches }) });
}

function isSame(one: Usage, other: Usage): boolean {
  return one.inputTokens === other.inputTokens && one.outputTokens === other.outputTokens;
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
