import type { ExportLag, JournalExports, JournalTarget } from "#core/journal-export.ts";
import type { Job } from "./scheduler.ts";

/** Notes how far each target of the journal is behind, for metrics. */
export function measureExports(
  exports: Pick<JournalExports, "lag">,
  targets: readonly Pick<JournalTarget, "name">[],
  lags: Map<string, ExportLag>,
): Job {
  return {
    name: "measure-exports",
    everyMs: 15_000,
    async run() {
      for (const { name } of targets) lags.set(name, await exports.lag(name));
    },
  };
}
