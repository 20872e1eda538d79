import { describe, expect, test } from "bun:test";
import { costOf, nanoUsd } from "#core/money.ts";
import { NO_USAGE } from "#core/usage.ts";
import type { JsonObject } from "#lib/json.ts";
import { listOf, objectOf } from "#lib/values.ts";
import { parseCatalogFile } from "./catalog-file.ts";
import { overlay } from "./overlay.ts";
import { knownRows, planUpdate } from "./plan-update.ts";

const SHIPPED = [
  {
    provider: "vendor",
    source: "https://vendor.example/prices",
    date: "2026-06-01",
    suffixes: ["effort"],
    variants: [
      { models: ["tiered*"], when: { serviceTier: ["flex", "batch"] }, factor: "0.5" },
      { models: ["tiered-1"], when: { serviceTier: ["priority", "fast"] }, factor: "2" },
      { models: ["tiered-1"], when: { region: "eu" }, factor: "1.1" },
      { models: ["hourly-1"], when: { until: "2026-11-30" }, rates: { input: "1", output: "4" } },
    ],
    models: [
      {
        id: "tiered-1",
        released: "2026-01-01",
        price: {
          input: "2",
          cachedInput: "0.2",
          output: "8",
          tiers: [{ aboveInputTokens: 200_000, input: "4", cachedInput: "0.4", output: "12" }],
        },
      },
      { id: "hourly-1", released: "2026-01-01", price: { input: "2", output: "8" } },
      {
        id: "swift-1",
        aliases: ["swift-1-2026-01-01"],
        released: "2026-01-01",
        contextTokens: 100_000,
        reasoning: { efforts: ["low"] },
        price: { input: "1", cachedInput: "0.1", cacheWrite: "1.25", output: "4" },
      },
      {
        id: "long-1",
        released: "2026-01-01",
        price: {
          input: "1",
          longCacheWrite: "2",
          output: "4",
          tiers: [{ aboveInputTokens: 200_000, input: "2", longCacheWrite: "4", output: "8" }],
        },
      },
      {
        id: "painter-1",
        kind: "image",
        released: "2026-01-01",
        price: { image: "0.04", grades: { "4K": { image: "0.24" } } },
      },
    ],
  },
];
const PROVIDERS = new Set(["vendor", "other"]);

/** Facts about one model, as a file would have them. */
function plan(row: JsonObject & { id: string }, provider = "vendor") {
  const file = { provider, source: "https://list.example", date: "2026-11-23", models: [row] };
  return planUpdate(knownRows(SHIPPED, []), [file], PROVIDERS);
}

test("a changed price is planned with its old and new rate, and the rest of the row stays", () => {
  const { rows, changed, added, unchanged, leftOut } = plan({
    id: "swift-1",
    price: { input: "0.5", output: "4" },
  });

  expect(changed).toEqual([
    { provider: "vendor", id: "swift-1", field: "price.input", before: "1", after: "0.5" },
  ]);
  expect({ added, unchanged, leftOut }).toEqual({ added: [], unchanged: 0, leftOut: [] });
  expect(rows).toEqual([
    {
      provider: "vendor",
      id: "swift-1",
      row: {
        id: "swift-1",
        aliases: ["swift-1-2026-01-01"],
        released: "2026-01-01",
        contextTokens: 100_000,
        reasoning: { efforts: ["low"] },
        suffixes: ["effort"],
        price: { input: "0.5", cachedInput: "0.1", cacheWrite: "1.25", output: "4" },
        source: "https://list.example",
        date: "2026-11-23",
      },
    },
  ]);
});

test("limits and end dates of a model change; its features are only used for new models", () => {
  const { changed, rows } = plan({
    id: "swift-1",
    contextTokens: 200_000,
    retires: "2027-01-01",
    ifNew: { tools: true },
  });

  expect(changed.map(({ field, before, after }) => [field, before, after])).toEqual([
    ["contextTokens", "100000", "200000"],
    ["retires", undefined, "2027-01-01"],
  ]);
  expect(rows[0]?.row).not.toHaveProperty("tools");
  // Nobody read the price anew.
  expect(rows[0]?.row).toMatchObject({ source: "https://vendor.example/prices" });
});

test("known facts are counted, also for another id of the model", () => {
  expect(plan({ id: "swift-1", price: { input: "1.0", output: "4" } })).toMatchObject({
    unchanged: 1,
    rows: [],
  });
  expect(plan({ id: "swift-1-2026-01-01", price: { input: "1", output: "4" } })).toMatchObject({
    unchanged: 1,
    rows: [],
  });
});

test("an unknown model becomes a row", () => {
  const { added, rows } = plan({
    id: "new-1",
    price: { input: "1", output: "2" },
    ifNew: { kind: "chat", tools: true },
  });

  expect(added).toEqual([{ provider: "vendor", id: "new-1", price: { input: "1", output: "2" } }]);
  expect(rows[0]?.row).toEqual({
    id: "new-1",
    kind: "chat",
    tools: true,
    price: { input: "1", output: "2" },
    source: "https://list.example",
    date: "2026-11-23",
  });
});

test.each([
  ["a rate that becomes 0", { id: "swift-1", price: { input: "0", output: "4" } }, "'input' is 0"],
  [
    "a price that loses its steps",
    { id: "long-1", price: { input: "1.5", output: "6" } },
    "it has tiers now",
  ],
  [
    "a price that differs by kinds of results here",
    { id: "painter-1", price: { image: "0.05" } },
    "it now has grades",
  ],
  [
    "an alias at another price",
    { id: "swift-1-2026-01-01", price: { input: "9", output: "9" } },
    "it is an alias of swift-1",
  ],
  ["a row out of shape", { id: "new-1", price: { input: "1" } }, "would be invalid"],
])("%s is not used, with a reason", (_, row, why) => {
  const planned = plan(row);

  expect(planned.rows).toEqual([]);
  expect(planned.leftOut).toEqual([
    { provider: "vendor", id: row.id, why: expect.stringContaining(why) },
  ]);
});

test("parts of a price that the facts omit stay: caches, hours, named tiers", () => {
  const price = {
    input: "1.5",
    output: "6",
    tiers: [{ aboveInputTokens: 200_000, input: "3", output: "12" }],
  };

  expect(plan({ id: "long-1", price }).rows[0]?.row["price"]).toEqual({
    input: "1.5",
    longCacheWrite: "2",
    output: "6",
    tiers: [{ aboveInputTokens: 200_000, input: "3", longCacheWrite: "4", output: "12" }],
  });
  // A file without prices takes none away.
  expect(plan({ id: "long-1", maxOutputTokens: 5 }).rows[0]?.row).toHaveProperty("price.tiers");
});

test("facts that are older than the known ones, or of unknown providers, are not used", () => {
  const file = { provider: "vendor", source: "https://list.example", date: "2026-05-31" };
  const models = [{ id: "swift-1", contextTokens: 1 }];
  const { rows, leftOut } = planUpdate(knownRows(SHIPPED, []), [{ ...file, models }], PROVIDERS);

  expect(rows).toEqual([]);
  expect(leftOut[0]?.why).toBe("the known facts are newer: 2026-06-01");
  expect(plan({ id: "a" }, "nobody").leftOut[0]?.why).toBe(
    "the provider is unknown to this gateway",
  );
});

test("an update is planned on top of earlier updates", () => {
  const first = plan({ id: "swift-1", price: { input: "2", output: "4" } });
  const file = { provider: "vendor", source: "https://list.example", date: "2026-11-24" };
  const models = [{ id: "swift-1", price: { input: "3", output: "4" } }];
  const { changed } = planUpdate(knownRows(SHIPPED, first.rows), [{ ...file, models }], PROVIDERS);

  expect(changed).toMatchObject([{ field: "price.input", before: "2", after: "3" }]);
});

const TIERED = { input: "2", cachedInput: "0.2", output: "8" };
const LONG = { aboveInputTokens: 200_000, input: "4", cachedInput: "0.4", output: "12" };
const FLEX = [
  { when: { serviceTier: "flex" }, rates: { input: "1", output: "4" } },
  {
    when: { serviceTier: "flex", aboveInputTokens: 200_000 },
    rates: { input: "2", output: "6" },
  },
];

describe("prices under conditions", () => {
  const priceOf = (planned: ReturnType<typeof plan>) => objectOf(planned.rows[0]?.row["price"]);

  test("of the shipped file for several models stay with a row that is updated", () => {
    const price = priceOf(
      plan({ id: "tiered-1", price: { input: "3", output: "9", tiers: [LONG] } }),
    );

    expect(price?.["variants"]).toEqual([
      { when: { serviceTier: ["flex", "batch"] }, factor: "0.5" },
      { when: { serviceTier: ["priority", "fast"] }, factor: "2" },
      { when: { region: "eu" }, factor: "1.1" },
    ]);
  });

  test("that a file has in another notation change nothing", () => {
    const price = { ...TIERED, tiers: [LONG], variants: FLEX };

    expect(plan({ id: "tiered-1", price })).toMatchObject({ changed: [], unchanged: 1, rows: [] });
  });

  test("that changed are planned, and take the place of theirs alone", () => {
    const variants = [
      ...FLEX,
      { when: { serviceTier: "priority" }, rates: { input: "5", output: "20" } },
      { when: { region: "eu" }, factor: "1.2" },
    ];
    const planned = plan({ id: "tiered-1", price: { ...TIERED, tiers: [LONG], variants } });

    expect(planned.leftOut).toEqual([]);
    expect(
      planned.changed.map(({ field, before, after }) => [field, before, after]).toSorted(byField),
    ).toEqual(
      [
        ["price.fast.factor", undefined, "2"],
        ["price.priority,fast.factor", "2", undefined],
        ["price.region eu.factor", "1.1", "1.2"],
        // What the file does not say of the tier is as it was: twice the usual rate.
        ["price.priority.input", undefined, "5"],
        ["price.priority above 200000.input", undefined, "8"],
        ["price.priority above 200000.cachedInput", undefined, "0.8"],
        ["price.priority above 200000.output", undefined, "24"],
        ["price.priority.cachedInput", undefined, "0.4"],
        ["price.priority.output", undefined, "20"],
      ].toSorted(byField),
    );
    expect(listOf(priceOf(planned)?.["variants"])[0]).toEqual({
      when: { serviceTier: ["flex", "batch"] },
      factor: "0.5",
    });
  });

  test("of a model that had none are added, and charged", () => {
    const variants = [{ when: { serviceTier: "flex" }, rates: { input: "0.5", output: "2" } }];
    const { rows, changed } = plan({ id: "swift-1", price: { input: "1", output: "4", variants } });

    const byName = changed.toSorted((one, other) => byField([one.field], [other.field]));
    expect(byName).toEqual(
      [
        { provider: "vendor", id: "swift-1", field: "price.flex.input", after: "0.5" },
        { provider: "vendor", id: "swift-1", field: "price.flex.cachedInput", after: "0.1" },
        { provider: "vendor", id: "swift-1", field: "price.flex.cacheWrite", after: "1.25" },
        { provider: "vendor", id: "swift-1", field: "price.flex.output", after: "2" },
      ].toSorted((one, other) => byField([one.field], [other.field])),
    );
    const [file] = overlay([parseCatalogFile(SHIPPED[0])], rows).files;
    const price = file?.models.find(({ id }) => id === "swift-1")?.price;
    if (price === undefined) throw new Error("The model has no price.");
    const usage = { ...NO_USAGE, inputTokens: 1_000_000, outputTokens: 1_000_000 };
    expect(costOf({ ...usage, served: { serviceTier: "flex" } }, price)).toBe(nanoUsd(2.5e9));
    expect(costOf(usage, price)).toBe(nanoUsd(5e9));
  });

  test("are not lost: those missing in a file stay, and so do hours and zeros", () => {
    const whyOf = (id: string, price: JsonObject) =>
      plan({ id, price }).leftOut.map(({ why }) => why);
    const first = plan({
      id: "tiered-1",
      price: {
        ...TIERED,
        tiers: [LONG],
        variants: [{ when: { serviceTier: "flex" }, rates: { input: "1.5" } }],
      },
    });
    const file = { provider: "vendor", source: "https://list.example", date: "2026-11-24" };
    const later = planUpdate(
      knownRows(SHIPPED, first.rows),
      [{ ...file, models: [{ id: "tiered-1", price: { ...TIERED, input: "3", tiers: [LONG] } }] }],
      PROVIDERS,
    );

    expect(later.leftOut.map(({ why }) => why)).toEqual([
      "its rates for flex stay: the file has none",
    ]);
    expect(later.changed).toMatchObject([{ field: "price.input", before: "2", after: "3" }]);
    expect(whyOf("hourly-1", { input: "3", output: "8" })).toEqual([
      "its price stays: it now depends on days or hours",
    ]);
    const variants = [{ when: { serviceTier: "flex" }, rates: { input: "0", output: "1" } }];
    expect(whyOf("tiered-1", { ...TIERED, tiers: [LONG], variants })).toEqual([
      "its price for flex stays: 'input' is 0 there",
    ]);
  });
});

function byField(one: readonly (string | undefined)[], other: readonly (string | undefined)[]) {
  return (one[0] ?? "").localeCompare(other[0] ?? "");
}
