import type { CallLog } from "#core/call.ts";
import type { ExportLag, JournalTarget } from "#core/journal-export.ts";
import { createCallArchive } from "#storage/journal/call-archive.ts";
import { CLICKHOUSE_STATEMENTS } from "#storage/journal/clickhouse-statements.ts";
import type { Storage } from "#storage/open.ts";
import type { Infrastructure } from "./infrastructure.ts";
import type { Media } from "./media.ts";

export interface JournalExport {
  /** The column stores that the journal is copied to. */
  readonly journalTargets: readonly JournalTarget[];
  /** Measured by a job, by the name of the target. */
  readonly exportLags: Map<string, ExportLag>;
  /** The log of calls, also of calls that only a column store still has. */
  readonly callLog: CallLog;
}

/** Each target is loaded only if it is configured. */
export async function openJournalExport({
  settings,
  stores,
  storage,
}: Pick<Infrastructure, "settings"> &
  Pick<Media, "stores"> & {
    readonly storage: Pick<Storage, "calls" | "withArchive">;
  }): Promise<JournalExport> {
  const journalTargets: JournalTarget[] = [];
  let callLog: CallLog = storage.calls;
  if (settings.journalExport !== undefined) {
    const { connectToClickHouse } = await import("#egress/journal/clickhouse-connection.ts");
    const { openClickHouse } = await import("#egress/journal/clickhouse.ts");
    const { openClickHouseSelect } = await import("#egress/journal/clickhouse-select.ts");
    const connection = connectToClickHouse(settings.journalExport.open());
    const target = openClickHouse(connection, CLICKHOUSE_STATEMENTS);
    journalTargets.push(target);
    const archive = createCallArchive(openClickHouseSelect(connection));
    callLog = storage.withArchive(archive, target.name);
  }
  if (settings.journalParquet === "s3" && stores.s3 !== undefined) {
    const { openParquetFiles } = await import("#egress/journal/parquet.ts");
    journalTargets.push(openParquetFiles(stores.s3));
  }
  return { journalTargets, exportLags: new Map(), callLog };
}
