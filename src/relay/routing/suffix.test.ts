import { expect, test } from "bun:test";
import { readSuffixes } from "./suffix.ts";

const shown = { visible: true };

test.each([
  ["m-thinking", "m", "thinking", { enabled: true, budgetTokens: -1, ...shown }],
  ["m-nothinking", "m", "thinking", { enabled: false, budgetTokens: 0 }],
  ["m-thinking-1024", "m", "budget", { enabled: true, budgetTokens: 1_024, ...shown }],
  ["m-thinking-1", "m", "budget", { enabled: true, budgetTokens: 1, ...shown }],
  ["m-thinking-0", "m", "budget", { enabled: false, budgetTokens: 0 }],
  ["m-thinking-99999999", "m", "budget", { enabled: true, budgetTokens: 10_000_000, ...shown }],
  ["m-xhigh", "m", "effort", { effort: "xhigh", ...shown }],
])("the name %s is the model %s with a setting of its reasoning", (name, base, kind, steering) => {
  expect<unknown>(readSuffixes(name)).toEqual([{ base, kind, steering }]);
});

test("a name may be read in two ways, and the model's family decides", () => {
  expect(readSuffixes("m-thinking-low")).toEqual([
    { base: "m", kind: "level", steering: { effort: "low", ...shown } },
    { base: "m-thinking", kind: "effort", steering: { effort: "low", ...shown } },
  ]);
});

test.each([
  "m",
  "thinking",
  "m-thinking-",
  "m-thinking-x",
  "m-thinking-123456789",
  "m-highest",
  "",
])("the name '%s' has no suffix", (name) => {
  expect(readSuffixes(name)).toEqual([]);
});
