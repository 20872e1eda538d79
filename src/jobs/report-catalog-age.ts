import type { CatalogState, CatalogUpdates } from "#core/catalog-update.ts";
import type { Job } from "./scheduler.ts";

/**
 * Reports an outdated catalogue at the start and once a day, because calls are
 * charged by its prices. `reload`: also retires models on their date.
 */
export function reportCatalogAge(
  updates: Pick<CatalogUpdates, "describe">,
  reload: () => Promise<void>,
  report: (state: CatalogState) => void,
): Job {
  return {
    name: "report-catalog-age",
    everyMs: 86_400_000,
    async run() {
      await reload();
      const state = updates.describe();
      if (state.isOld) report(state);
    },
  };
}
