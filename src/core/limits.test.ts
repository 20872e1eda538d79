import { expect, test } from "bun:test";
import { boundOf } from "./limits.ts";

const key = (tokensPerMinute?: number) => ({
  id: "key:1",
  limits: tokensPerMinute === undefined ? {} : { tokensPerMinute },
});

test("a call reserves its question and what its caller bounded the answer to", () => {
  expect(boundOf(key(1_000), { known: 300, assumed: 0 }).tokens).toBe(300);
});

test("an assumed length of the answer turns no call away for good", () => {
  expect(boundOf(key(1_000), { known: 300, assumed: 4_096 }).tokens).toBe(1_000);
  expect(boundOf(key(10_000), { known: 300, assumed: 4_096 }).tokens).toBe(4_396);
});

test("a length that the caller named is taken at its word", () => {
  expect(boundOf(key(1_000), { known: 32_000, assumed: 0 }).tokens).toBe(32_000);
});

test("whoever has no limit of tokens reserves none", () => {
  expect(boundOf(key(), { known: 300, assumed: 4_096 }).tokens).toBe(0);
});
