import { expect, test } from "bun:test";
import { parseUsage } from "./usage.ts";

test("what was heard from the cache counts as cached, and not as heard once more", () => {
  const usage = parseUsage({
    promptTokenCount: 400,
    cachedContentTokenCount: 300,
    promptTokensDetails: [{ modality: "AUDIO", tokenCount: 350 }],
    cacheTokensDetails: [{ modality: "AUDIO", tokenCount: 290 }],
    candidatesTokenCount: 1,
    totalTokenCount: 401,
  });

  expect(usage).toMatchObject({ cachedInputTokens: 300, audioInputTokens: 60 });
});
