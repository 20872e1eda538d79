import { expect, test } from "bun:test";
import { mergeTraits, originsOf, traitsOf, type TraitSources } from "./traits.ts";

const SOURCES: TraitSources = {
  family: {
    contextTokens: 1,
    maxOutputTokens: 1,
    tools: false,
    kind: "chat",
    rules: { refuses: ["temperature"], thinking: ["enabled"], prefill: false },
  },
  "vendor's list": {
    contextTokens: 2,
    maxOutputTokens: 2,
    tools: true,
    rules: { thinking: ["adaptive"] },
  },
  catalogue: { contextTokens: 3, maxOutputTokens: 3 },
  configuration: { contextTokens: 4 },
};

test("a trait is taken from the configuration, then the catalogue, the vendor's list, the family", () => {
  expect(mergeTraits(SOURCES)).toEqual({
    contextTokens: 4,
    maxOutputTokens: 3,
    tools: true,
    kind: "chat",
    rules: { refuses: ["temperature"], thinking: ["adaptive"], prefill: false },
  });
});

test("the source of each trait is known, for rules one by one", () => {
  expect(originsOf(SOURCES)).toEqual({
    contextTokens: "configuration",
    maxOutputTokens: "catalogue",
    tools: "vendor's list",
    kind: "family",
    "rules.refuses": "family",
    "rules.thinking": "vendor's list",
    "rules.prefill": "family",
  });
});

test("an unknown model has no traits", () => {
  expect(mergeTraits({})).toEqual({});
  expect(originsOf({})).toEqual({});
});

test("a catalog row has the same traits each time, and nothing else of the row", () => {
  const row = { id: "m", match: "m-*", contextTokens: 5, tools: true, rules: {} } as never;

  expect(traitsOf(row)).toEqual({ contextTokens: 5, tools: true, rules: {} });
  expect(traitsOf(row)).toBe(traitsOf(row));
  expect(traitsOf(undefined)).toBeUndefined();
});
