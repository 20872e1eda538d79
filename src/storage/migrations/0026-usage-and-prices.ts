import { sql, type Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

const COUNTS = [
  "calls",
  "failed_calls",
  "input_tokens",
  "cached_input_tokens",
  "cache_write_tokens",
  "audio_input_tokens",
  "output_tokens",
  "reasoning_tokens",
  "audio_output_tokens",
  "cost",
  "image_input_tokens",
  "image_output_tokens",
  "images",
  "media_ms",
  "characters",
  "searches",
  "reference_images",
];
const OLD_KEY = ["hour", "user_id", "key_id", "model", "channel"];
/** In the order of the key. */
const DIMENSIONS = ["user_id", "key_id", "team_id", "group_id", "model", "channel", "endpoint"];

/**
 * Usage also by team, group and endpoint, by tags and sessions, and the total of each key. A key
 * of a table cannot change, so the hours are copied. Their earlier rows have no team. A channel may
 * have a factor on its prices, in thousandths.
 */
// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function usageAndPrices(db: Kysely<any>, ddl: Ddl): Promise<void> {
  await db.schema.alterTable("usage_hours").renameTo("usage_hours_before").execute();
  for (const column of ["user_id", "key_id"])
    await db.schema.dropIndex(`usage_hours_by_${column}`).execute();
  await createSums(db, ddl, "usage_hours", ["hour", ...DIMENSIONS]);
  const kept = sql.join([...OLD_KEY, ...COUNTS].map((name) => sql.ref(name)));
  await sql`insert into usage_hours (${kept}, team_id, group_id, endpoint)
    select ${kept}, 0, 0, '' from usage_hours_before`.execute(db);
  await db.schema.dropTable("usage_hours_before").execute();
  for (const column of ["user_id", "key_id", "team_id"])
    await indexOf(db, "usage_hours", [column, "hour"], column);

  await createSums(db, ddl, "usage_labels", ["hour", "label", ...DIMENSIONS]);
  await indexOf(db, "usage_labels", ["label", "hour"], "label");
  // Serves the bound of labels of one key.
  await indexOf(db, "usage_labels", ["key_id", "hour", "label"], "key_id");

  await db.schema.alterTable("channels").addColumn("price_factor", ddl.integer).execute();

  await db.schema
    .createTable("key_usage")
    .addColumn("key_id", ddl.integer, (column) => column.notNull().primaryKey())
    .addColumn("calls", ddl.integer, (column) => column.notNull())
    .addColumn("cost", ddl.integer, (column) => column.notNull())
    .modifyEnd(ddl.tableEnd("keyed"))
    .execute();
  await sql`insert into key_usage (key_id, calls, cost)
    select key_id, sum(calls), cast(sum(cost) as bigint) from usage_hours group by key_id`.execute(
    db,
  );
}

const TEXTS: ReadonlySet<string> = new Set(["label", "model", "channel", "endpoint"]);

// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
async function createSums(db: Kysely<any>, ddl: Ddl, name: string, key: string[]): Promise<void> {
  let table = db.schema.createTable(name);
  for (const column of key) {
    const type = TEXTS.has(column) ? ddl.id : ddl.integer;
    table = table.addColumn(column, type, (each) => each.notNull());
  }
  for (const count of COUNTS)
    table = table.addColumn(count, ddl.integer, (column) => column.notNull());
  await table
    // PostgreSQL keeps the name of the key when a table is renamed.
    .addPrimaryKeyConstraint(`${name}_by_all`, key as never)
    .modifyEnd(ddl.tableEnd("keyed"))
    .execute();
}

// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
async function indexOf(db: Kysely<any>, table: string, columns: string[], by: string) {
  await db.schema.createIndex(`${table}_by_${by}`).on(table).columns(columns).execute();
}
