import type { Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function usage(db: Kysely<any>, ddl: Ddl): Promise<void> {
  const { integer, id } = ddl;

  await db.schema.alterTable("calls").addColumn("long_cache_write_tokens", integer).execute();
  await db.schema.alterTable("calls").addColumn("rates", "text").execute();

  const counts = [
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
  ];
  let table = db.schema
    .createTable("usage_hours")
    .addColumn("hour", integer, (column) => column.notNull())
    .addColumn("user_id", integer, (column) => column.notNull())
    .addColumn("key_id", integer, (column) => column.notNull())
    .addColumn("model", id, (column) => column.notNull())
    .addColumn("channel", id, (column) => column.notNull());
  for (const count of counts) {
    table = table.addColumn(count, integer, (column) => column.notNull());
  }
  await table
    .addPrimaryKeyConstraint("usage_hours_key", ["hour", "user_id", "key_id", "model", "channel"])
    .modifyEnd(ddl.tableEnd("keyed"))
    .execute();
  for (const column of ["user_id", "key_id"]) {
    await db.schema
      .createIndex(`usage_hours_by_${column}`)
      .on("usage_hours")
      .columns([column, "hour"])
      .execute();
  }
}
