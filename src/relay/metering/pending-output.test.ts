import { describe, expect, test } from "bun:test";
import { estimateTokens } from "#core/count.ts";
import { countTokens } from "./tokens.ts";
import { PendingOutput } from "./pending-output.ts";

test("text added while earlier text is being counted is counted too", async () => {
  const long = "A fox crosses the river. ".repeat(3_000);
  const uncounted = new PendingOutput();
  for (let i = 0; i < 4; i++) {
    uncounted.add(long);
    // The counting of what was added begins, and cannot have ended.
    await Promise.resolve();
  }

  const { text, tokens } = await uncounted.whole(" The end.");

  expect(text).toBe(" The end.");
  expect(tokens).toBe(4 * (await countTokens(long)));
});

test("text is kept up to 64,000 characters, and counted and dropped above that", async () => {
  const kept = new PendingOutput();
  kept.add("x".repeat(64_000));
  expect(await kept.whole()).toEqual({ text: "x".repeat(64_000), tokens: 0 });

  const dropped = new PendingOutput();
  dropped.add(LONG);
  expect(await dropped.whole()).toEqual({ text: "", tokens: await countTokens(LONG) });
});

test("text that arrives faster than it is counted is counted by a sample", async () => {
  const output = new PendingOutput();
  for (let i = 0; i < 40; i++) output.add(LONG);

  expect(output.roughTokens).toBe(40 * estimateTokens(LONG));
  const { text, tokens } = await output.whole();

  expect(text).toBe("");
  expect(tokens).toBe(40 * (await countTokens(LONG)));
});

/** Longer than what is kept as text. Its estimate is higher than its count. */
const LONG = "word ".repeat(12_801);

describe("the output so far", () => {
  test("is counted part by part, and each part once", async () => {
    const output = new PendingOutput();
    output.add("Hello there");
    expect(await output.countSoFar()).toBe(2);
    expect(await output.countSoFar()).toBe(2);

    output.add(", dear fox");
    const sum = 2 + (await countTokens(", dear fox"));
    expect(await output.countSoFar()).toBe(sum);
    expect(await output.whole()).toEqual({ text: "Hello there, dear fox", tokens: 0 });
  });

  test("includes dropped text by its exact count, and once", async () => {
    const output = new PendingOutput();
    output.add("Hello there");
    await output.countSoFar();
    output.add(LONG);
    const dropped = await countTokens(`Hello there${LONG}`);
    output.add("Hello there");
    expect(await output.countSoFar()).toBe(dropped + 2);
    expect(await output.countSoFar()).toBe(dropped + 2);
  });

  test("waits for the exact count of dropped text", async () => {
    const output = new PendingOutput();
    output.add(LONG);

    expect(await output.countSoFar()).toBe(await countTokens(LONG));
  });

  test("is estimated if its text is dropped while it is counted", async () => {
    const output = new PendingOutput();
    output.add("Hello there");
    const counting = output.countSoFar();
    output.add(LONG);
    output.add(", a large old grey fox");

    const exact =
      (await countTokens(`Hello there${LONG}`)) + (await countTokens(", a large old grey fox"));
    expect(await counting).toBeGreaterThanOrEqual(exact);
    expect(await output.countSoFar()).toBe(exact);
  });

  test("can be estimated at once, from dropped and kept text", () => {
    const output = new PendingOutput();
    output.add(LONG);
    output.add("Hello there");

    expect(output.roughTokens).toBe(estimateTokens(LONG) + estimateTokens("Hello there"));
  });
});
