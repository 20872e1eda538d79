import { expect, test } from "bun:test";
import { parseCatalogFile } from "./catalog-file.ts";

const ROW = { id: "swift-1", released: "2025-04-14", price: { input: "0.15", output: "0.6" } };

function parsed(row: object, file: object = {}) {
  const source = "https://vendor.example/pricing";
  const content = { provider: "vendor", source, date: "2026-01-02", models: [{ ...ROW, ...row }] };
  // As read from a file, where what is undefined is not there.
  return parseCatalogFile(JSON.parse(JSON.stringify({ ...content, ...file }))).models[0];
}

test("a minimal row is a text chat model without tools or reasoning", () => {
  expect(parsed({})).toEqual({
    id: "swift-1",
    aliases: [],
    date: "2026-01-02",
    owner: "vendor",
    kind: "chat",
    createdAt: Date.UTC(2025, 3, 14) / 1000,
    input: ["text"],
    output: ["text"],
    tools: false,
    reasoning: false,
    price: {
      input: 150_000,
      output: 600_000,
      source: "https://vendor.example/pricing",
      date: "2026-01-02",
    },
  });
});

test("a row may have its own source and date", () => {
  const model = parsed({ source: "https://vendor.example/new", date: "2026-03-04" });

  expect(model?.price).toMatchObject({ source: "https://vendor.example/new", date: "2026-03-04" });
});

test("a model released in a month counts from that month's first day", () => {
  expect(parsed({ released: "2026-07" })?.createdAt).toBe(Date.UTC(2026, 6, 1) / 1000);
});

test("a model with reasoning lists its controls, even if none is known", () => {
  expect(parsed({ reasoning: {} })).toMatchObject({ reasoning: true, reasoningControls: {} });
  expect(parsed({ reasoning: { toggle: true } })?.reasoningControls).toEqual({ toggle: true });
});

test("a model without a price is not free", () => {
  expect(parsed({ price: undefined })).not.toHaveProperty("price");
});

test("a price without a source is refused", () => {
  expect(() => parsed({}, { source: undefined })).toThrow("The price of swift-1 needs a source.");
});

const BASE = { input: "1", cachedInput: "0.1", output: "2" };
const LONG = { input: "2", cachedInput: "0.2", output: "4" };

test("a price may rise above an input length", () => {
  const tiers = [{ aboveInputTokens: 200_000, ...LONG }];

  expect(parsed({ price: { ...BASE, tiers } })?.price?.tiers).toEqual([
    { aboveInputTokens: 200_000, input: 2_000_000, cachedInput: 200_000, output: 4_000_000 },
  ]);
});

test("a tier that lacks a rate of the base is refused", () => {
  const tiers = [{ aboveInputTokens: 200_000, input: "2", output: "4" }];

  expect(() => parsed({ price: { ...BASE, tiers } })).toThrow("exactly the rates");
});

test("rates that do not depend on the input length are only in the base", () => {
  const tiers = [{ aboveInputTokens: 200_000, ...LONG }];
  const price = parsed({ price: { ...BASE, search: "0.01", tiers } })?.price;

  expect(price?.tiers).toMatchObject([{ input: 2_000_000, search: 10_000_000_000 }]);
  expect(() => parsed({ price: { ...BASE, tiers: [{ ...tiers[0], search: "1" }] } })).toThrow();
});

test("tokens may be free if other units have a price, also by kind of result", () => {
  const grades = { "4K": { image: "0.24" } };

  expect(parsed({ price: { image: "0.04", grades } })?.price).toEqual({
    input: 0,
    output: 0,
    image: 40_000_000_000,
    grades: { "4K": { image: 240_000_000_000 } },
    source: "https://vendor.example/pricing",
    date: "2026-01-02",
  });
});

test("tiers out of order are refused", () => {
  const tiers = [200_000, 100_000].map((aboveInputTokens) => ({ aboveInputTokens, ...LONG }));

  expect(() => parsed({ price: { ...BASE, tiers } })).toThrow("ascending order");
});

test("two tiers with one bound are refused", () => {
  const tiers = [200_000, 200_000].map((aboveInputTokens) => ({ aboveInputTokens, ...LONG }));

  expect(() => parsed({ price: { ...BASE, tiers } })).toThrow("ascending order");
});

test.each([
  ["an unknown field", { colour: "blue" }],
  ["an unknown rate", { price: { ...ROW.price, smell: "1" } }],
  ["a price that is a number", { price: { input: 0.15, output: 0.6 } }],
  ["a price finer than the unit", { price: { input: "0.1234567", output: "1" } }],
  ["a missing output rate", { price: { input: "1" } }],
  ["half a price beside an image rate", { price: { input: "1", imageInput: "2" } }],
  ["an image price above the maximum", { price: { image: "50.1" } }],
  ["a grade without a rate", { price: { image: "1", grades: { "4K": {} } } }],
  ["a grade with an unknown rate", { price: { image: "1", grades: { "4K": { smell: "1" } } } }],
  ["a grade without a name", { price: { image: "1", grades: { "": { image: "1" } } } }],
  ["a day that does not exist", { released: "2025-02-30" }],
  ["a month that does not exist", { released: "2025-13" }],
  ["an unknown kind", { kind: "telepathy" }],
  ["an unknown modality", { input: ["smell"] }],
  ["a window of no tokens", { contextTokens: 0 }],
  ["a source that is not https", { source: "http://vendor.example" }],
  ["an empty id", { id: "" }],
])("%s is refused", (_, row) => {
  expect(() => parsed(row)).toThrow();
});

test("the message for a bad price names the row", () => {
  expect(() => parsed({ price: { input: "a lot", output: "1" } })).toThrow(
    /"models",\s+0,\s+"price"/,
  );
});

const FLEX = { models: ["swift-1"], when: { serviceTier: "flex" }, factor: "0.5" };

test("a price has the variants of its row, and the file's variants for its id or id prefix", () => {
  const own = { when: { until: "2026-11-30" }, rates: { input: "0.1" } };
  const shared = [
    FLEX,
    {
      models: ["swift-*"],
      when: { region: ["eu", "us"], hours: ["mon 00:00-24:00"] },
      factor: "2",
    },
    { models: ["swift-2", "swift"], when: { speed: "fast" }, factor: "3" },
  ];
  const model = parsed({ price: { ...ROW.price, variants: [own] } }, { variants: shared });

  expect(model?.price?.variants).toEqual([
    { when: { until: "2026-11-30" }, rates: { input: 100_000 } },
    { when: { serviceTiers: ["flex"] }, factor: 500 },
    { when: { regions: ["eu", "us"], hours: ["mon 00:00-24:00"] }, factor: 2_000 },
  ]);
});

test.each<[string, object]>([
  ["says nothing", { when: {} }],
  ["has neither rates nor a factor", { factor: undefined }],
  ["has both", { rates: { input: "1" } }],
  ["has a factor with four decimals", { factor: "1.0001" }],
  ["calls the usual tier by a vendor's word", { when: { serviceTier: "default" } }],
  ["has a day that there is not", { when: { until: "2026-11-31" } }],
  ["has hours that end before they begin", { when: { hours: ["22:00-02:00"] } }],
  ["has an unknown condition", { when: { weather: "rain" } }],
  ["names no model", { models: [] }],
])("a variant that %s is refused", (_what, change) => {
  expect(() => parsed({}, { variants: [{ ...FLEX, ...change }] })).toThrow();
});
