import { expect, test } from "bun:test";
import type { StoredUpdates, UpdatedRowStore } from "#core/catalog-update.ts";
import { SHIPPED_FILES } from "./index.ts";
import { LiveCatalog, newestDate } from "./live-catalog.ts";
import { openCatalogUpdates } from "./updates.ts";

const DAY_MS = 86_400_000;
const SHIPPED_ON = newestDate(SHIPPED_FILES);

function open(now: number) {
  let stored: StoredUpdates = { rows: [], date: undefined };
  const store: UpdatedRowStore = {
    list: async () => stored,
    put: async (rows, date) => void (stored = { rows, date }),
    delete: async () => 0,
  };
  const clock = { now: () => now };
  const unreadable: unknown[] = [];
  const catalog = new LiveCatalog({
    store,
    clock,
    onUnreadable: (rows) => unreadable.push(...rows),
  });
  const updates = openCatalogUpdates({
    store,
    catalog,
    providers: new Set(["openai"]),
    clock,
    onChanged: () => catalog.load(),
  });
  return { catalog, updates, store, unreadable };
}

test("the catalogue is outdated after 60 days, counted from its newest row", () => {
  const ageAfter = (days: number) => {
    const { ageDays, isOld } = open(Date.parse(SHIPPED_ON) + days * DAY_MS).updates.describe();
    return [ageDays, isOld];
  };

  expect(ageAfter(0)).toEqual([0, false]);
  expect(ageAfter(60.9)).toEqual([60, false]);
  expect(ageAfter(61)).toEqual([61, true]);
  // A clock that is behind makes nothing young.
  expect(ageAfter(-5)).toEqual([0, false]);
});

test("an applied update is effective at once, and retires models on their date", async () => {
  const { catalog, updates } = open(Date.parse(SHIPPED_ON) + DAY_MS);
  const [today, later] = [1, 2].map((days) =>
    new Date(Date.parse(SHIPPED_ON) + days * DAY_MS).toISOString().slice(0, 10),
  );
  const models = [
    { id: "swift-98", retires: today },
    { id: "swift-99", retires: later, price: { input: "1", output: "2" } },
  ];

  await updates.apply({
    files: [{ provider: "openai", source: "https://list.example", date: today, models }],
  });

  expect(catalog.findModel("openai", "swift-98")?.retired).toBe(today);
  expect(catalog.findModel("openai", "swift-99")).toMatchObject({ price: { input: 1_000_000 } });
  expect(catalog.findModel("openai", "swift-99")?.retired).toBeUndefined();
  expect(updates.describe()).toMatchObject({ updated: today, rows: new Map([["openai", 2]]) });
});

test("rows that this version cannot read leave the shipped ones in place and are reported", async () => {
  const { catalog, store, unreadable } = open(Date.parse(SHIPPED_ON));
  await store.put([{ provider: "openai", id: "gpt-4o-mini", row: { id: 7 } }], SHIPPED_ON);
  await catalog.load();

  expect(unreadable).toMatchObject([{ id: "gpt-4o-mini" }]);
  expect(catalog.findModel("openai", "gpt-4o-mini")?.price?.input).toBe(150_000);
});
