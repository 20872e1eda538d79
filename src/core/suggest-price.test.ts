import { expect, test } from "bun:test";
import type { Model } from "./model.ts";
import { suggestPrice } from "./suggest-price.ts";

const row = (id: string, owner: string, date = "2026-11-01"): Model => ({
  id,
  owner,
  kind: "chat",
  input: ["text"],
  output: ["text"],
  tools: true,
  reasoning: false,
  price: { input: 1, output: 2, source: "a page", date },
});

const ROWS = [
  row("llama-3.1-8b-instant", "groq"),
  row("meta-llama/Llama-3.1-70B-Instruct", "together"),
  row("gpt-5.4", "openai"),
  row("gpt-5.4-mini", "openai"),
  row("gpt-5.4", "openrouter", "2026-11-20"),
  row("claude-opus-5", "anthropic"),
];

test.each([
  ["gpt-5.4-2026-03-01", "azure", "openrouter gpt-5.4"],
  ["openai/gpt-5.4:free", "openai", "openai gpt-5.4"],
  ["gpt-5.5-mini", "openai", "openai gpt-5.4-mini"],
  ["Llama3.1-8B", "custom", "groq llama-3.1-8b-instant"],
  ["llama-3.1-70b-instruct-turbo", "custom", "together meta-llama/Llama-3.1-70B-Instruct"],
])("the price of %s on %s is suggested from %s", (name, provider, expected) => {
  const { model } = suggestPrice(name, provider, ROWS) ?? {};

  expect(`${model?.owner} ${model?.id}`).toBe(expected);
});

test("the same name is as near as possible", () => {
  expect(suggestPrice("claude-opus-5", "anthropic", ROWS)?.likeness).toBe(1);
});

test.each(["sonnet-house-model", "mixtral-8x7b", "", "5"])(
  "nothing is suggested for %p, which is like no model with a price",
  (name) => expect(suggestPrice(name, "custom", ROWS)).toBeUndefined(),
);
