import { describe, expect, test } from "bun:test";
import { openaiCompatible } from "#providers/openai-compatible.ts";
import { findModel, listModels } from "./index.ts";
import { findFamily } from "./request-rules.ts";

describe("models of OpenAI, by their names", () => {
  const effortsOf = (id: string) => findFamily(id)?.reasoningControls?.efforts?.join(" ");
  const featuresOf = (id: string) => Object.keys(findFamily(id)?.rules?.needsStyle ?? {}).join(" ");

  test.each([
    "gpt-6.3-sol",
    "gpt-6.2-terra",
    "gpt-7-nova",
    "openai/gpt-10-sol",
    "o5",
    "gpt-5.7-sol",
  ])("%s, a future model, reasons by the rules of the newest known one", (id) => {
    expect(findFamily(id)).toBe(findFamily("gpt-6.2-sol"));
    expect(findFamily(id)).toMatchObject({
      kind: "chat",
      reasoningControls: { efforts: ["low", "medium", "high", "xhigh", "max"] },
      rules: { cacheBreakpoints: true },
    });
    expect(featuresOf(id)).toBe("tools web_search effort_max");
  });

  test.each([
    ["gpt-6-luna-2026-09-22", "none low medium high xhigh max", "tools web_search effort_max"],
    ["azure/gpt-6.1-terra", "none low medium high xhigh max", "tools web_search effort_max"],
    ["gpt-6.1-sol", "low medium high xhigh max", "tools web_search effort_max"],
    ["gpt-5.6-terra", "none low medium high xhigh", "tools web_search"],
    ["gpt-5.4-mini", "none low medium high xhigh", "tools web_search"],
    ["gpt-5.2", "low medium high", ""],
    ["gpt-5.5-pro", "low medium high", "any"],
    ["gpt-5.3-codex", "low medium high", "any"],
    ["o3-pro", "low medium high", "any"],
    ["o4-mini", "low medium high", ""],
  ])("%s has the efforts %s and needs the responses style for: %s", (id, efforts, features) => {
    expect([effortsOf(id), featuresOf(id)]).toEqual([efforts, features]);
  });

  test.each([
    "gpt-4o",
    "gpt-4.1-mini",
    "gpt-3.5-turbo",
    "gpt-35-turbo",
    "gpt-5-chat-latest",
    "gpt-5.2-chat-latest",
    "gpt-oss-120b",
    "gpt-image-2.6-flare",
    "gpt-realtime-2",
    "gpt-live-1",
    "gpt-audio",
    "gpt-4o-search-preview",
    "chatgpt-4o-latest",
    "gpt-j-6b",
  ])("%s is not a reasoning model", (id) => {
    expect(findFamily(id)?.reasoningControls).toBeUndefined();
  });

  test("a listed model without reasoning is not in a family with reasoning", () => {
    const wrong = listModels("openai").filter(({ id, kind, reasoningControls }) => {
      const family = findFamily(id)?.reasoningControls;
      return kind === "chat" && reasoningControls === undefined && family !== undefined;
    });

    expect(wrong.map(({ id }) => id)).toEqual([]);
  });

  test("current prices equal those of the public list", () => {
    // Millionths of a dollar per million tokens.
    expect(findModel("openai", "gpt-6-astra")?.price).toMatchObject({
      input: 10_000_000,
      cachedInput: 1_000_000,
      cacheWrite: 12_500_000,
      longCacheWrite: 25_000_000,
      output: 50_000_000,
      tiers: [{ aboveInputTokens: 272_000, input: 20_000_000, output: 75_000_000 }],
    });
    expect(findModel("openai", "gpt-5.6-luna")?.price).toMatchObject({ input: 200_000 });
  });
});

test("a compatible channel may only name existing features of calls", () => {
  const wrongIn = (responses: string) => openaiCompatible.options?.optionProblems?.({ responses });

  expect(wrongIn("tools, web_search")).toEqual({});
  expect(wrongIn("tools, images")).toEqual({
    responses: 'names "images"; it takes any, tools, web_search, effort_max.',
  });
});

describe("an unlisted Gemini model", () => {
  test.each(["gemini-4-hydrogen", "gemini-4.1-argon", "gemini-5-flash", "gemini-pro-latest"])(
    "behaves like the newest of its family: %s",
    (id) => {
      expect(findFamily(id)).toEqual(findFamily("gemini-4-argon"));
      expect(findFamily(`google/${id}`)?.rules?.thinkingBudgets).toBe(false);
    },
  );

  test.each([
    ["gemini-3.9-flash", "gemini-3.8-flash"],
    ["gemini-3.7-flash", "gemini-3.8-flash"],
    ["gemini-3.5-flash", "gemini-3.6-flash"],
    ["gemini-3.8-flash-lite", "gemini-3.5-flash-lite"],
  ])("%s behaves as %s", (id, like) => {
    expect(findFamily(id)).toEqual(findFamily(like));
  });

  test.each(["gemini-nano-banana-2.1", "gemini-3.8-flash-tts", "gemini-3.8-live"])(
    "is not a text model by its name: %s",
    (id) => expect(findFamily(id)).toEqual({}),
  );

  test("before the second flash reasons as before", () => {
    expect(findFamily("gemini-1.5-pro")?.reasoningControls).toBeUndefined();
    expect(findFamily("gemini-2.5-pro")?.reasoningControls?.budget).toBeDefined();
  });
});

test.each([
  ["gemini-3.5-flash", "gemini-3.6-flash"],
  ["gemini-3.7-flash", "gemini-3.8-flash"],
])("%s costs the same as %s, with which its vendor serves it", (id, served) => {
  expect(findModel("gemini", id)?.id).toBe(served);
});

test("the models that Google ended on 2026-10-22 are retired", () => {
  const ended = listModels("gemini").filter(({ retired }) => retired === "2026-10-22");
  expect(ended.map(({ id }) => id).toSorted()).toEqual([
    "gemini-omni-flash-preview",
    "veo-3.1-fast-generate-preview",
    "veo-3.1-generate-preview",
    "veo-3.1-lite-generate-preview",
  ]);
});
