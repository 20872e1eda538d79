import { expect, test } from "bun:test";
import { NO_USAGE } from "#core/usage.ts";
import { parseUsage, usageIn, usageMetadataOf } from "./usage.ts";

test("cached audio counts as cached, and not as audio again", () => {
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

test("input and output images are counted separately, and cached ones count as cached", () => {
  const usage = parseUsage({
    promptTokenCount: 600,
    cachedContentTokenCount: 258,
    promptTokensDetails: [
      { modality: "TEXT", tokenCount: 84 },
      { modality: "IMAGE", tokenCount: 516 },
    ],
    cacheTokensDetails: [{ modality: "IMAGE", tokenCount: 258 }],
    candidatesTokenCount: 1_300,
    candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: 1_290 }],
    totalTokenCount: 1_900,
  });

  expect(usage).toMatchObject({ imageInputTokens: 258, imageOutputTokens: 1_290 });
});

test("a video counts as image tokens", () => {
  const usage = parseUsage({
    promptTokenCount: 20,
    candidatesTokenCount: 4_640,
    candidatesTokensDetails: [{ modality: "VIDEO", tokenCount: 4_640 }],
    totalTokenCount: 4_660,
  });

  expect(usage).toMatchObject({ outputTokens: 4_640, imageOutputTokens: 4_640 });
});

test("clients of this style get the input and output modalities of a translated response", () => {
  const usage = {
    ...NO_USAGE,
    inputTokens: 100,
    imageInputTokens: 60,
    outputTokens: 50,
    audioOutputTokens: 10,
    imageOutputTokens: 30,
  };

  expect(usageMetadataOf({ type: "usage", usage })).toMatchObject({
    promptTokensDetails: [
      { modality: "TEXT", tokenCount: 40 },
      { modality: "IMAGE", tokenCount: 60 },
    ],
    candidatesTokensDetails: [
      { modality: "TEXT", tokenCount: 10 },
      { modality: "AUDIO", tokenCount: 10 },
      { modality: "IMAGE", tokenCount: 30 },
    ],
  });
  const { imageInputTokens: _, ...plain } = usage;
  expect(usageMetadataOf({ type: "usage", usage: plain })).not.toHaveProperty(
    "promptTokensDetails",
  );
});

test("the service tier and the model are reported, and video counts as images", () => {
  const usageMetadata = {
    promptTokenCount: 10,
    candidatesTokenCount: 500,
    candidatesTokensDetails: [{ modality: "VIDEO", tokenCount: 480 }],
    serviceTier: "SERVICE_TIER_PRIORITY",
  };

  expect(usageIn({ usageMetadata, modelVersion: "gemini-3.8-flash" })).toMatchObject({
    servedBy: "gemini-3.8-flash",
    served: { serviceTier: "priority" },
    imageOutputTokens: 480,
  });
});
