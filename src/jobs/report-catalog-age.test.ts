import { expect, test } from "bun:test";
import type { CatalogState } from "#core/catalog-update.ts";
import { reportCatalogAge } from "./report-catalog-age.ts";

const STATE: CatalogState = {
  shipped: "2026-06-30",
  updated: undefined,
  ageDays: 61,
  isOld: true,
  rows: new Map(),
};

test("an outdated catalogue is reported once per day, a recent one never", async () => {
  const told: CatalogState[] = [];
  let loads = 0;
  let state = STATE;
  const job = reportCatalogAge(
    { describe: () => state },
    async () => void loads++,
    (each) => told.push(each),
  );
  const run = () => job.run(new AbortController().signal);

  await run();
  expect(told).toEqual([STATE]);
  state = { ...STATE, ageDays: 60, isOld: false };
  await run();

  expect(told).toEqual([STATE]);
  expect({ loads, everyMs: job.everyMs }).toEqual({ loads: 2, everyMs: 86_400_000 });
});
