import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import type { JournalEntry } from "#core/call.ts";
import { EXPORT_COLUMNS, type ExportColumn, type JournalTarget } from "#core/journal-export.ts";
import type { MediaStore } from "#core/kept-media.ts";

/** A file of an hour with more calls is divided. */
const MAX_ROWS = 100_000;

/** Writes the calls of each hour as Parquet files into a bucket. */
export function openParquetFiles(bucket: Pick<MediaStore, "put">): JournalTarget {
  return {
    name: "parquet",
    rule: { maxNumbers: MAX_ROWS, isByHour: true },
    async write({ first, last, hour }, entries) {
      const [day = "", time = ""] = new Date(hour).toISOString().split("T");
      const path = `journal/day=${day}/hour=${time.slice(0, 2)}/${first}-${last}.parquet`;
      await bucket.put(path, parquetOf(entries), "application/vnd.apache.parquet");
    },
  };
}

/** One row group for each step, so that no step blocks other work for long. */
async function* parquetOf(
  entries: AsyncIterable<readonly JournalEntry[]>,
): AsyncGenerator<Uint8Array> {
  const bytes = new ByteWriter();
  const file = new ParquetWriter({ writer: bytes, schema: SCHEMA, createdBy: "sluice" });
  for await (const group of entries) {
    const columnData = EXPORT_COLUMNS.map((column) => ({
      name: column.name,
      data: group.map((entry) => valueIn(column, entry)),
    }));
    await file.write({ columnData, rowGroupSize: group.length });
    yield taken(bytes);
  }
  await file.finish();
  yield taken(bytes);
}

/** Offsets in the file go on. */
function taken(bytes: ByteWriter): Uint8Array {
  const piece = bytes.getBytes().slice();
  bytes.index = 0;
  return piece;
}

function valueIn({ kind, read }: ExportColumn, entry: JournalEntry): unknown {
  const value = read(entry);
  if (typeof value !== "number") return value;
  return kind === "time" ? new Date(value) : BigInt(Math.round(value));
}

const TEXT = { type: "BYTE_ARRAY", converted_type: "UTF8" } as const;
const TYPES = {
  text: TEXT,
  name: TEXT,
  integer: { type: "INT64" },
  time: { type: "INT64", converted_type: "TIMESTAMP_MILLIS" },
  flag: { type: "BOOLEAN" },
} as const;

const SCHEMA: ConstructorParameters<typeof ParquetWriter>[0]["schema"] = [
  { name: "root", num_children: EXPORT_COLUMNS.length },
  ...EXPORT_COLUMNS.map(({ name, kind, isNullable }) => ({
    name,
    ...TYPES[kind],
    repetition_type: isNullable ? ("OPTIONAL" as const) : ("REQUIRED" as const),
  })),
];
