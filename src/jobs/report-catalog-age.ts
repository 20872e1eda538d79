import type { CatalogState, CatalogUpdates } from "#core/catalog-update.ts";
import type { Job } from "./scheduler.ts";

/**
 * Says at the start and once a day that the catalogue is old: its prices are
 * what calls are charged. `reload`: models retire when their day comes.
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
