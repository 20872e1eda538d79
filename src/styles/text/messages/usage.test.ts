import { expect, test } from "bun:test";
import { NO_USAGE } from "#core/usage.ts";
import { buildUsage, parseUsage, UsageReader } from "./usage.ts";

const WRITTEN = {
  input_tokens: 5,
  cache_creation_input_tokens: 30,
  cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
  output_tokens: 1,
};

test("what is written to the cache for an hour is told apart, since it costs more", () => {
  expect(parseUsage(WRITTEN)).toMatchObject({ cacheWriteTokens: 30, longCacheWriteTokens: 20 });
});

test("what a stream said of it at its start still holds at its end", () => {
  const reader = new UsageReader();
  reader.add(WRITTEN);
  reader.add({ output_tokens: 9 });

  expect(reader.usage).toMatchObject({ longCacheWriteTokens: 20, outputTokens: 9 });
});

test("a server that says nothing of it, or nonsense, is taken to write for minutes", () => {
  for (const odd of [undefined, null, 7, { ephemeral_1h_input_tokens: "many" }])
    expect(parseUsage({ ...WRITTEN, cache_creation: odd })).not.toHaveProperty(
      "longCacheWriteTokens",
    );
});

test("searches of the web are counted, since they are charged", () => {
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
