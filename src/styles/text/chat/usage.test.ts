import { describe, expect, test } from "bun:test";
import { NO_USAGE, type Usage } from "#core/usage.ts";
import type { JsonObject } from "#lib/json.ts";
import { buildUsage, parseUsage, usageIn } from "./usage.ts";

function usage(parts: Partial<Usage>): Usage {
  return { ...NO_USAGE, ...parts };
}

describe("usage is read in every server's form", () => {
  test.each<[string, JsonObject, Partial<Usage> | undefined]>([
    [
      "plainly",
      { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
      { inputTokens: 9, outputTokens: 3 },
    ],
    [
      "with all its details",
      {
        prompt_tokens: 100,
        completion_tokens: 50,
        total_tokens: 150,
        prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 10, audio_tokens: 5 },
        completion_tokens_details: { reasoning_tokens: 30, audio_tokens: 2 },
      },
      {
        inputTokens: 100,
        outputTokens: 50,
        cachedInputTokens: 60,
        cacheWriteTokens: 10,
        audioInputTokens: 5,
        reasoningTokens: 30,
        audioOutputTokens: 2,
      },
    ],
    [
      "with input and output images",
      {
        prompt_tokens: 100,
        completion_tokens: 50,
        prompt_tokens_details: { image_tokens: 90 },
        completion_tokens_details: { image_tokens: 40 },
      },
      { inputTokens: 100, imageInputTokens: 90, outputTokens: 50, imageOutputTokens: 40 },
    ],
    [
      "with reasoning only in the total",
      {
        prompt_tokens: 12,
        completion_tokens: 2,
        total_tokens: 334,
        completion_tokens_details: { reasoning_tokens: 320 },
      },
      { inputTokens: 12, outputTokens: 322, reasoningTokens: 320 },
    ],
    [
      "with reasoning inside the output",
      {
        prompt_tokens: 12,
        completion_tokens: 322,
        total_tokens: 334,
        completion_tokens_details: { reasoning_tokens: 320 },
      },
      { inputTokens: 12, outputTokens: 322, reasoningTokens: 320 },
    ],
    [
      "with sound only in the total",
      {
        prompt_tokens: 11,
        completion_tokens: 15,
        total_tokens: 401,
        prompt_tokens_details: { audio_tokens: 375, cached_tokens: 9 },
      },
      { inputTokens: 386, outputTokens: 15, audioInputTokens: 375, cachedInputTokens: 9 },
    ],
    [
      "with cached input only in the total",
      {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 115,
        prompt_tokens_details: { cached_tokens: 100 },
        completion_tokens_details: {},
      },
      { inputTokens: 110, outputTokens: 5, cachedInputTokens: 100 },
    ],
    [
      "with thinking it never mentions",
      { prompt_tokens: 35, completion_tokens: 12, total_tokens: 109 },
      { inputTokens: 35, outputTokens: 74, reasoningTokens: 62 },
    ],
    [
      "with a total that nothing explains",
      {
        prompt_tokens: 35,
        completion_tokens: 12,
        total_tokens: 109,
        completion_tokens_details: { reasoning_tokens: 3 },
      },
      { inputTokens: 35, outputTokens: 12, reasoningTokens: 3 },
    ],
    [
      "with a separate hit count",
      {
        prompt_tokens: 20,
        completion_tokens: 1,
        total_tokens: 21,
        prompt_cache_hit_tokens: 16,
        prompt_cache_miss_tokens: 4,
      },
      { inputTokens: 20, outputTokens: 1, cachedInputTokens: 16 },
    ],
    [
      "with the cached part at the root",
      { prompt_tokens: 20, completion_tokens: 1, total_tokens: 21, cached_tokens: 16 },
      { inputTokens: 20, outputTokens: 1, cachedInputTokens: 16 },
    ],
    [
      "with more cached than there is",
      { prompt_tokens: 10, completion_tokens: 142, total_tokens: 152, num_cached_tokens: 64 },
      { inputTokens: 10, outputTokens: 142, cachedInputTokens: 10 },
    ],
    [
      "without the output",
      { prompt_tokens: 10, total_tokens: 15 },
      { inputTokens: 10, outputTokens: 5, reasoningTokens: 0 },
    ],
    [
      "null for counts that are not known yet",
      { prompt_tokens: 17, completion_tokens: null, total_tokens: null },
      undefined,
    ],
    ["nothing at all", { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, undefined],
    ["text", { prompt_tokens: "9", completion_tokens: "3" }, undefined],
    ["a negative count", { prompt_tokens: 9, completion_tokens: -3, total_tokens: 6 }, undefined],
    ["a fraction", { prompt_tokens: 9.5, completion_tokens: 3, total_tokens: 12.5 }, undefined],
    [
      "more than any model can",
      { prompt_tokens: 9, completion_tokens: 1e12, total_tokens: 1e12 + 9 },
      undefined,
    ],
  ])("%s", (_how, wire, expected) => {
    expect(parseUsage(wire)).toEqual(expected === undefined ? undefined : usage(expected));
  });
});

test("usage under a vendor-specific member is found, but the standard member takes precedence", () => {
  const own = { x_vendor: { usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } } };

  expect(usageIn(own)?.outputTokens).toBe(2);
  expect(
    usageIn({ ...own, usage: { prompt_tokens: 4, completion_tokens: 5, total_tokens: 9 } })
      ?.outputTokens,
  ).toBe(5);
});

test("[A2.3] written usage is read back unchanged, and adds up", () => {
  const full = usage({
    inputTokens: 100,
    cachedInputTokens: 60,
    cacheWriteTokens: 7,
    audioInputTokens: 3,
    imageInputTokens: 20,
    outputTokens: 50,
    reasoningTokens: 30,
    audioOutputTokens: 2,
    imageOutputTokens: 5,
  });
  const wire = buildUsage(full);

  expect(parseUsage(wire)).toEqual(full);
  expect(wire).toMatchObject({ prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 });
});

test("the service tier is beside the usage", () => {
  const body = { usage: { prompt_tokens: 4, completion_tokens: 5 }, service_tier: "flex" };

  expect(usageIn(body)?.served).toEqual({ serviceTier: "flex" });
  expect(usageIn({ ...body, service_tier: null })).not.toHaveProperty("served");
});
