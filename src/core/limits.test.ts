import { expect, test } from "bun:test";
import { boundOf } from "./limits.ts";

const key = (tokensPerMinute?: number) => ({
  id: "key:1",
  limits: tokensPerMinute === undefined ? {} : { tokensPerMinute },
});

test("a call reserves its input and the client's output limit", () => {
  expect(boundOf(key(1_000), { known: 300, assumed: 0 }).tokens).toBe(300);
});

test("an assumed output length never makes a call impossible to admit", () => {
  expect(boundOf(key(1_000), { known: 300, assumed: 4_096 }).tokens).toBe(1_000);
  expect(boundOf(key(10_000), { known: 300, assumed: 4_096 }).tokens).toBe(4_396);
});

test("the client's own output limit is reserved in full", () => {
  expect(boundOf(key(1_000), { known: 32_000, assumed: 0 }).tokens).toBe(32_000);
});

test("a call without a token limit reserves no tokens", () => {
  expect(boundOf(key(), { known: 300, assumed: 4_096 }).tokens).toBe(0);
});
