import { expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { usage } from "./usage.ts";

const TOKENS = { calls: 1, failed_calls: 0, input_tokens: 5, cached_input_tokens: 0 };
const EMPTY = { images: 0, media_seconds: 0, characters: 0, searches: 0 };
const SUM = {
  ...TOKENS,
  output_tokens: 7,
  reasoning_tokens: 0,
  audio_output_tokens: 0,
  ...EMPTY,
};

function shown(...sums: readonly JsonObject[]): readonly string[] {
  const items = sums.map((sum, index) => ({ model: `m${index}`, ...SUM, cost_usd: "1", ...sum }));
  const total = { ...SUM, ...Object.assign({}, ...sums), cost_usd: "2" };
  return usage.verbs.flatMap((verb) => verb.show({ items, total }));
}

test("usage is printed as a table by the given dimensions, with a total", () => {
  expect(shown({}, {})).toEqual([
    "model  calls  failed  input  cached  output  reasoning  cost $",
    "m0     1      0       5      0       7       0          1",
    "m1     1      0       5      0       7       0          1",
    "total  1      0       5      0       7       0          2",
  ]);
});

test("images, seconds, characters and searches have columns if they occur", () => {
  expect(shown({ images: 3 }, { media_seconds: 1.5 })).toEqual([
    "model  calls  failed  input  cached  output  reasoning  cost $  images  seconds",
    "m0     1      0       5      0       7       0          1       3       0",
    "m1     1      0       5      0       7       0          1       0       1.5",
    "total  1      0       5      0       7       0          2       3       1.5",
  ]);
});

test("a second currency has a column", () => {
  const sum = { ...SUM, cost_usd: "2", cost_display: "1.84" };
  const data = { items: [{ model: "m", ...sum }], total: sum, display: { currency: "EUR" } };

  expect(usage.verbs.flatMap((verb) => verb.show(data))).toEqual([
    "model  calls  failed  input  cached  output  reasoning  cost $  cost EUR",
    "m      1      0       5      0       7       0          2       1.84",
    "total  1      0       5      0       7       0          2       1.84",
  ]);
});

test("names stand for ids, and the period before has columns", () => {
  const previous = { ...SUM, cost_usd: "4" };
  const item = { user_id: 7, user_name: "ada", ...SUM, cost_usd: "5", previous };
  const total = { ...SUM, cost_usd: "5", previous };

  expect(usage.verbs.flatMap((verb) => verb.show({ items: [item], total }))).toEqual([
    "user   calls  failed  input  cached  output  reasoning  cost $  before $  change",
    "ada    1      0       5      0       7       0          5       4         +25 %",
    "total  1      0       5      0       7       0          5       4         +25 %",
  ]);
});
