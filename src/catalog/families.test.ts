import { expect, test } from "bun:test";
import { findCounting } from "./families.ts";
import { findModel, listModels } from "./index.ts";

test("a model has the same counting parameters at every host and in every notation of its id", () => {
  const haiku = findCounting("claude-haiku-4-5");

  for (const id of [
    "claude-haiku-4-5@20251001",
    "anthropic/claude-haiku-4.5",
    "us.anthropic.claude-haiku-4-5-20251001-v1:0",
    "Claude-Haiku-4-5",
  ])
    expect(findCounting(id)).toBe(haiku);
});

test("the prompt for tools grew with Claude's generations", () => {
  const promptOf = (id: string) => findCounting(id)?.toolPrompt ?? 0;

  expect(promptOf("claude-3-5-sonnet-20241022")).toBeLessThan(promptOf("claude-sonnet-4-0"));
  expect(promptOf("claude-sonnet-4-0")).toBeLessThan(promptOf("claude-sonnet-4-5"));
  for (const old of ["claude-3-7-sonnet-latest", "claude-sonnet-4-20250514", "claude-opus-4.1"])
    expect(promptOf(old)).toBe(promptOf("claude-opus-4-0"));
  for (const fresh of ["claude-opus-4-5", "claude-sonnet-5", "claude-of-tomorrow-6"])
    expect(promptOf(fresh)).toBe(promptOf("claude-haiku-4-5"));
});

test("a vendor's open models have other parameters than its closed ones", () => {
  expect(findCounting("openai/gpt-oss-120b")?.perRequest).toBeGreaterThan(60);
  expect(findCounting("openai/gpt-5.4-mini")?.perRequest).toBe(6);
  expect(findCounting("o4-mini")).toBe(findCounting("gpt-5"));
  expect(findCounting("gpt-4o")?.perRequest).toBe(7);
});

test("an unmeasured family has no parameters", () => {
  expect(findCounting("model-of-my-own")).toBeUndefined();
  expect(findCounting("")).toBeUndefined();
});

test("listed models have the parameters of their family", () => {
  expect(findModel("openrouter", "anthropic/claude-opus-4.8")?.counting).toEqual(
    findCounting("claude"),
  );
  expect(listModels("gemini").filter(({ kind, counting }) => kind === "chat" && !counting)).toEqual(
    [],
  );
});
