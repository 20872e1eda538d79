import { usageOf, usageOfSteps, withServed, type Usage } from "#core/usage.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, integerOf, listOf, memberOf, textOf } from "#lib/values.ts";

/**
 * Usage as servers of this style report it; `undefined` where it says nothing
 * that can be true. Searches are charged, and stand in the output alone.
 */
export function parseUsage(wire: Json | undefined, output?: Json): Usage | undefined {
  if (!isObject(wire)) return undefined;
  const input = integerOf(wire["input_tokens"]);
  const total = integerOf(wire["total_tokens"]);
  const written = integerOf(wire["output_tokens"]) ?? (total ?? Number.NaN) - (input ?? Number.NaN);
  if (input === undefined || input + written === 0) return undefined;

  const heard = wire["input_tokens_details"];
  const said = wire["output_tokens_details"];
  const reasoning = integerOf(memberOf(said, "reasoning_tokens")) ?? 0;
  // One vendor leaves reasoning out of its sum and counts it in the total only.
  const isLeftOut = reasoning > 0 && total === input + written + reasoning;
  return usageOf({
    inputTokens: input,
    outputTokens: isLeftOut ? written + reasoning : written,
    cachedInputTokens: memberOf(heard, "cached_tokens"),
    cacheWriteTokens: memberOf(heard, "cache_write_tokens"),
    longCacheWriteTokens: memberOf(memberOf(heard, "cache_write_tokens_details"), "ttl_12h_tokens"),
    audioInputTokens: memberOf(heard, "audio_tokens"),
    imageInputTokens: memberOf(heard, "image_tokens"),
    reasoningTokens: reasoning,
    audioOutputTokens: memberOf(said, "audio_tokens"),
    imageOutputTokens: memberOf(said, "image_tokens"),
    searches: listOf(output).filter(isSearch).length,
  });
}

/**
 * Usage of a whole response: beside it stand which tier served, and what tools
 * of the vendor used. Pictures that a tool drew are a step of their own, by the
 * model that the tool names; how often it searched is told again, and exactly.
 */
export function usageIn(response: JsonObject): Usage | undefined {
  const usage = parseUsage(response["usage"], response["output"]);
  if (usage === undefined) return undefined;
  const used = response["tool_usage"];
  const searches = integerOf(memberOf(memberOf(used, "web_search"), "num_requests")) ?? 0;
  const searched = searches > 0 ? { ...usage, searches } : usage;
  const drawn = parseUsage(memberOf(used, "image_gen"));
  const whole = drawn === undefined ? searched : withDrawing(searched, drawn, response["tools"]);
  return withServed(whole, { serviceTier: response["service_tier"] });
}

function withDrawing(usage: Usage, drawn: Usage, tools: Json | undefined): Usage {
  const tool = listOf(tools).find((each) => memberOf(each, "type") === "image_generation");
  const model = textOf(memberOf(tool, "model"));
  // A vendor that does not split its output has drawn it.
  const isSplit = drawn.imageOutputTokens !== undefined;
  const picture = isSplit ? drawn : { ...drawn, imageOutputTokens: drawn.outputTokens };
  const { searches } = usage;
  const steps = [{ usage: withoutSearches(usage) }, { usage: picture, ...defined({ model }) }];
  return usageOfSteps(steps, defined({ searches }));
}

function withoutSearches({ searches: _searches, ...usage }: Usage): Usage {
  return usage;
}

/** Opening a page that was found, and looking into it, are items of this type as well, and free. */
function isSearch(item: Json): boolean {
  if (memberOf(item, "type") !== "web_search_call" || memberOf(item, "status") === "failed")
    return false;
  const action = memberOf(memberOf(item, "action"), "type") ?? "search";
  return action === "search";
}

export function buildUsage(usage: Usage): JsonObject {
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: {
      cached_tokens: usage.cachedInputTokens,
      cache_write_tokens: usage.cacheWriteTokens,
    },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
}
