import { describe, expect, test } from "bun:test";
import { findFamily } from "./request-rules.ts";

describe("a Gemini that is not known", () => {
  test.each(["gemini-4-hydrogen", "gemini-4.1-argon", "gemini-5-flash", "gemini-pro-latest"])(
    "behaves as the newest of its family: %s",
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
    "is no model of words by its name: %s",
    (id) => expect(findFamily(id)).toEqual({}),
  );

  test("those before the second flash think as they did", () => {
    expect(findFamily("gemini-1.5-pro")?.reasoningControls).toBeUndefined();
    expect(findFamily("gemini-2.5-pro")?.reasoningControls?.budget).toBeDefined();
  });
});
