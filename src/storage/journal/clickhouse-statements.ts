import { EXPORT_COLUMNS, type ExportColumn } from "#core/journal-export.ts";

export const TABLE = "sluice_calls";

/** The end of a call, as the skip index of the table has it. */
export const END = "toUnixTimestamp64Milli(at) + duration_ms";

const TYPES: Readonly<Record<ExportColumn["kind"], string>> = {
  text: "String",
  name: "String",
  integer: "Int64",
  time: "DateTime64(3, 'UTC')",
  flag: "Bool",
};

/** The statements of ClickHouse for the exported journal. */
export const CLICKHOUSE_STATEMENTS = {
  insert: `INSERT INTO ${TABLE} (${EXPORT_COLUMNS.map(({ name }) => name).join(", ")}) FORMAT JSONEachRow`,

  // The same call has the same month and the same sorting key in each of its records.
  createTable: `CREATE TABLE IF NOT EXISTS ${TABLE}
(
${EXPORT_COLUMNS.map((column) => `  ${column.name} ${typeOf(column)}`).join(",\n")},
  INDEX by_number seq TYPE minmax GRANULARITY 1,
  INDEX by_end ${END} TYPE minmax GRANULARITY 1,
  INDEX by_id id TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = ReplacingMergeTree(seq)
PARTITION BY toYYYYMM(at)
ORDER BY (user_id, at, id)
SETTINGS non_replicated_deduplication_window = 1000`,

  addColumns: `ALTER TABLE ${TABLE}
${EXPORT_COLUMNS.map((column) => `  ADD COLUMN IF NOT EXISTS ${column.name} ${typeOf(column)}`).join(",\n")}`,
};

function typeOf({ name, kind, isNullable }: ExportColumn): string {
  // The column of versions takes unsigned integers only.
  const plain = name === "seq" ? "UInt64" : TYPES[kind];
  const nullable = isNullable ? `Nullable(${plain})` : plain;
  return kind === "name" ? `LowCardinality(${nullable})` : nullable;
}
