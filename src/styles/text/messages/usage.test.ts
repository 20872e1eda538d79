import { expect, test } from "bun:test";
import { NO_USAGE } from "#core/usage.ts";
import { buildUsage, parseUsage, UsageReader } from "./usage.ts";

const WRITTEN = {
  input_tokens: 5,
  cache_creation_input_tokens: 30,
  cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
  output_tokens: 1,
};

test("cache writes for an hour are counted separately, since they cost more", () => {
  expect(parseUsage(WRITTEN)).toMatchObject({ cacheWriteTokens: 30, longCacheWriteTokens: 20 });
});

test("counts from a stream's start still apply at its end", () => {
  const reader = new UsageReader();
  reader.add(WRITTEN);
  reader.add({ output_tokens: 9 });

  expect(reader.usage).toMatchObject({ longCacheWriteTokens: 20, outputTokens: 9 });
});

test("cache writes without a valid lifetime count as short ones", () => {
  for (const odd of [undefined, null, 7, { ephemeral_1h_input_tokens: "many" }])
    expect(parseUsage({ ...WRITTEN, cache_creation: odd })).not.toHaveProperty(
      "longCacheWriteTokens",
    );
});

test("web searches are counted, since they are charged", () => {
  const searched = { ...WRITTEN, server_tool_use: { web_search_requests: 2 } };
  const reader = new UsageReader();
  reader.add(WRITTEN);
  reader.add({ output_tokens: 9, server_tool_use: { web_search_requests: 3 } });

  expect(parseUsage(searched)).toMatchObject({ searches: 2 });
  expect(reader.usage).toMatchObject({ searches: 3 });
  expect(parseUsage({ ...WRITTEN, server_tool_use: { web_search_requests: "some" } })).toEqual(
    parseUsage(WRITTEN),
  );
  const told = { ...NO_USAGE, inputTokens: 5, outputTokens: 7, searches: 4 };
  expect(parseUsage(buildUsage(told))).toEqual(told);
});

const STEP = {
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

test("usage has the service tier beside the counts", () => {
  const told = { service_tier: "standard", speed: "fast", inference_geo: "us" };

  expect(parseUsage({ ...WRITTEN, ...told })?.served).toEqual({
    serviceTier: "standard",
    speed: "fast",
    region: "us",
  });
  expect(parseUsage(WRITTEN)).not.toHaveProperty("served");
});

test("tokens for compacting a conversation are charged, although the totals omit them", () => {
  const iterations = [
    { ...STEP, type: "compaction", input_tokens: 55_196, output_tokens: 125 },
    { ...STEP, type: "message", input_tokens: 220, output_tokens: 8 },
  ];
  const told = { ...STEP, input_tokens: 220, output_tokens: 8, iterations };

  expect(parseUsage(told)).toMatchObject({ inputTokens: 55_416, outputTokens: 133 });
  expect(parseUsage({ ...told, input_tokens: 0, output_tokens: 0 })?.inputTokens).toBe(55_416);
});

test("an advisor's tokens are a step of its model, with cache writes by lifetime", () => {
  const cache_creation = { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 30 };
  const written = { cache_creation, cache_creation_input_tokens: 40 };
  const told = {
    input_tokens: 2_390,
    output_tokens: 121,
    output_tokens_details: { thinking_tokens: 50 },
    server_tool_use: { web_search_requests: 2 },
    iterations: [
      { ...STEP, type: "message", model: null, input_tokens: 1_128, output_tokens: 110 },
      {
        ...STEP,
        ...written,
        type: "advisor_message",
        model: "claude-opus-4-8",
        input_tokens: 2_518,
        output_tokens: 22,
      },
      { ...STEP, type: "message", input_tokens: 1_262, output_tokens: 11 },
    ],
  };
  const usage = parseUsage(told);

  expect(usage).toMatchObject({
    inputTokens: 2_390 + 2_558,
    outputTokens: 143,
    reasoningTokens: 50,
    searches: 2,
    cacheWriteTokens: 40,
    longCacheWriteTokens: 30,
  });
  expect(usage?.steps?.map(({ model }) => model)).toEqual([
    undefined,
    "claude-opus-4-8",
    undefined,
  ]);
});

test("a model that declined before any output costs nothing, and its fallback has its own cost", () => {
  const iterations = [
    { ...STEP, type: "message", model: "claude-fable-5-1", input_tokens: 900, output_tokens: 0 },
    {
      ...STEP,
      type: "fallback_message",
      model: "claude-opus-5",
      input_tokens: 950,
      output_tokens: 7,
    },
  ];
  const usage = parseUsage({ input_tokens: 950, output_tokens: 7, iterations });

  expect(usage).toMatchObject({ inputTokens: 950, outputTokens: 7 });
  expect(usage?.steps).toMatchObject([{ model: "claude-opus-5" }]);
});

test("a single step equals the call", () => {
  const iterations = [{ ...STEP, type: "message", input_tokens: 9, output_tokens: 3 }];

  expect(parseUsage({ input_tokens: 9, output_tokens: 3, iterations })).not.toHaveProperty("steps");
  expect(parseUsage({ input_tokens: 9, output_tokens: 3, iterations: [] })).toEqual(
    parseUsage({ input_tokens: 9, output_tokens: 3 }),
  );
});
