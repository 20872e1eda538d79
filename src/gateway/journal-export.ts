import type { JournalTarget } from "#core/journal-export.ts";
import { CLICKHOUSE_STATEMENTS } from "#storage/journal/clickhouse-statements.ts";
import type { Infrastructure } from "./infrastructure.ts";
import type { Media } from "./media.ts";

/** The column stores that the journal is copied to. Each is loaded only if it is configured. */
export async function openJournalTargets({
  settings,
  stores,
}: Pick<Infrastructure, "settings"> & Pick<Media, "stores">): Promise<{
  readonly journalTargets: readonly JournalTarget[];
}> {
  const journalTargets: JournalTarget[] = [];
  if (settings.journalExport !== undefined) {
    const { openClickHouse } = await import("#egress/journal/clickhouse.ts");
    journalTargets.push(openClickHouse(settings.journalExport.open(), CLICKHOUSE_STATEMENTS));
  }
  if (settings.journalParquet === "s3" && stores.s3 !== undefined) {
    const { openParquetFiles } = await import("#egress/journal/parquet.ts");
    journalTargets.push(openParquetFiles(stores.s3));
  }
  return { journalTargets };
}
