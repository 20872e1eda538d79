import { expect, test } from "bun:test";
import type { CacheTtl } from "./cache-control.ts";
import { promptCache } from "./prompt-cache.ts";
import type { Segment } from "./prompt-segments.ts";

const model = { id: "m", minCacheTokens: 10 };

function part(text: string, tokens: number, cache?: CacheTtl): Segment {
  return { text, tokens, cache, forgottenTokens: 0, block: undefined };
}

function written(short: number, long = 0) {
  return { "5m": short, "1h": long };
}

test("nothing is cached without a mark", () => {
  const cache = promptCache(() => 0);
  const plain = [part("a", 50), part("b", 50)];

  expect(cache.visit(model, plain)).toEqual({ readTokens: 0, written: written(0) });
  expect(cache.visit(model, [part("a", 50, "5m")]).readTokens).toBe(0);
});

test("content between two marks has the lifetime of the second one", () => {
  const cache = promptCache(() => 0);
  const parts = [part("a", 50, "1h"), part("b", 30, "5m"), part("c", 7)];

  expect(cache.visit(model, parts)).toEqual({ readTokens: 0, written: written(30, 50) });
  expect(cache.visit(model, parts)).toEqual({ readTokens: 80, written: written(0) });
});

test("a mark after a cached prefix writes only the new content", () => {
  const cache = promptCache(() => 0);
  cache.visit(model, [part("a", 50, "5m")]);
  const grown = [part("a", 50), part("b", 30), part("c", 20, "5m")];

  expect(cache.visit(model, grown)).toEqual({ readTokens: 50, written: written(50) });
});

test("a prefix matches only as a whole, in its order, and for its model", () => {
  const cache = promptCache(() => 0);
  cache.visit(model, [part("a", 50), part("b", 30, "5m")]);
  const readBy = (id: string, ...parts: readonly Segment[]) =>
    cache.visit({ ...model, id }, parts).readTokens;

  expect(readBy("m", part("b", 30), part("a", 50, "5m"))).toBe(0);
  expect(readBy("m", part("x", 50), part("b", 30, "5m"))).toBe(0);
  expect(readBy("n", part("a", 50), part("b", 30, "5m"))).toBe(0);
  expect(readBy("m", part("a", 50), part("b", 30, "5m"))).toBe(80);
});

test("exactly the model's minimum of tokens is sufficient", () => {
  const cache = promptCache(() => 0);

  expect(cache.visit(model, [part("a", 9, "5m")]).written).toEqual(written(0));
  expect(cache.visit(model, [part("b", 10, "5m")]).written).toEqual(written(10));
});

test("a cached prefix is searched twenty blocks before a mark, and no further", () => {
  const cache = promptCache(() => 0);
  const grown = (count: number) => [
    part("a", 50),
    ...Array.from({ length: count }, (_, index) => part(`b${index}`, 1)),
    part("z", 1, "5m"),
  ];
  cache.visit(model, [part("a", 50, "5m")]);

  expect(cache.visit(model, grown(18)).readTokens).toBe(50);
  expect(cache.visit(model, grown(19)).readTokens).toBe(0);
});

test("a cached prefix expires at its time, to the millisecond", () => {
  let now = 0;
  const cache = promptCache(() => now);
  const parts = [part("a", 50, "5m")];
  cache.visit(model, parts);
  now = 300_000;

  expect(cache.visit(model, parts)).toEqual({ readTokens: 0, written: written(50) });
});

test("the oldest prefixes are evicted above the limit", () => {
  const cache = promptCache(() => 0);
  for (let index = 0; index < 20_001; index++) cache.visit(model, [part(`${index}`, 50, "5m")]);

  expect(cache.visit(model, [part("1", 50, "5m")]).readTokens).toBe(50);
  expect(cache.visit(model, [part("0", 50, "5m")]).readTokens).toBe(0);
});
