import { expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { parseCatalogFile } from "./catalog-file.ts";
import { indexModels } from "./index-models.ts";
import { asOf, overlay } from "./overlay.ts";

const SHIPPED = [
  parseCatalogFile({
    provider: "vendor",
    source: "https://vendor.example/prices",
    date: "2026-06-01",
    models: [
      { id: "one", aliases: ["one-latest"], price: { input: "1", output: "2" } },
      { id: "two", price: { input: "3", output: "4" } },
    ],
  }),
  parseCatalogFile({ provider: "host", date: "2026-06-01", models: [{ id: "vendor/one" }] }),
];

function update(provider: string, row: JsonObject & { id: string }) {
  const sourced = { source: "https://list.example", date: "2026-11-23", ...row };
  return { provider, id: row.id, row: sourced };
}

test("without updates the shipped files apply", () => {
  expect(overlay(SHIPPED, []).files).toBe(SHIPPED);
});

test("an updated row replaces the shipped one under all of its ids and in its position", () => {
  const { files } = overlay(SHIPPED, [
    update("vendor", { id: "one", aliases: ["one-latest"], price: { input: "5", output: "6" } }),
  ]);
  const index = indexModels(files);

  expect(index.findModel("vendor", "one")?.price?.input).toBe(5_000_000);
  expect(index.findModel("vendor", "one-latest")?.price?.date).toBe("2026-11-23");
  expect(index.findModel("nobody", "one")?.price?.input).toBe(5_000_000);
  expect(index.listModels("vendor").map(({ id }) => id)).toEqual(["one", "two"]);
  expect(index.findModel("vendor", "two")).toBe(SHIPPED[0]?.models[1]);
});

test("a new model is appended to its provider's models, even to an empty list", () => {
  const { files } = overlay(SHIPPED, [
    update("vendor", { id: "three" }),
    update("newcomer", { id: "four" }),
  ]);
  const index = indexModels(files);

  expect(index.listModels("vendor").map(({ id }) => id)).toEqual(["one", "two", "three"]);
  expect(index.listModels("newcomer").map(({ id }) => id)).toEqual(["four"]);
});

test("a row that shipped after the update is newer", () => {
  const { files } = overlay(SHIPPED, [update("vendor", { id: "two", date: "2026-05-31" })]);

  expect(indexModels(files).findModel("vendor", "two")?.price?.input).toBe(3_000_000);
});

test("a row that this version cannot read is ignored and reported", () => {
  const odd = update("vendor", { id: "one", price: { smell: "1" } });
  const { files, unreadable } = overlay(SHIPPED, [odd]);

  expect(unreadable).toEqual([odd]);
  expect(indexModels(files).findModel("vendor", "one")?.price?.input).toBe(1_000_000);
});

test("a model is retired from its announced end date on", () => {
  const { files } = overlay(SHIPPED, [update("vendor", { id: "two", retires: "2026-12-01" })]);
  const retiredOn = (day: string) =>
    indexModels(asOf(day, files)).findModel("vendor", "two")?.retired;

  expect(retiredOn("2026-11-30")).toBeUndefined();
  expect(retiredOn("2026-12-01")).toBe("2026-12-01");
});
