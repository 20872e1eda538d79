import type { Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

/**
 * More properties of calls, and a coarse index of the journal. A job fills it after the calls, so
 * that no call waits for an index of its own.
 */
// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function callBlocks(db: Kysely<any>, { integer, id, tableEnd }: Ddl): Promise<void> {
  const columns = [
    ["endpoint", "text"],
    ["team_id", integer],
    ["group_id", integer],
    ["tags", "text"],
    ["failed_channels", "text"],
  ] as const;
  for (const [name, type] of columns)
    await db.schema.alterTable("calls").addColumn(name, type).execute();

  await db.schema
    .createTable("call_blocks")
    .addColumn("block", integer, (column) => column.notNull().primaryKey())
    .addColumn("first_end", integer, (column) => column.notNull())
    .addColumn("last_end", integer, (column) => column.notNull())
    .addColumn("max_cost", integer, (column) => column.notNull())
    .addColumn("max_duration_ms", integer, (column) => column.notNull())
    .modifyEnd(tableEnd("keyed"))
    .execute();
  // The key serves each filter of the call log: the blocks of a term, in order.
  await db.schema
    .createTable("call_terms")
    .addColumn("term", id, (column) => column.notNull())
    .addColumn("block", integer, (column) => column.notNull())
    .addPrimaryKeyConstraint("call_terms_key", ["term", "block"])
    .modifyEnd(tableEnd("keyed"))
    .execute();
  // Serves the deletion of terms with their calls.
  await db.schema.createIndex("call_terms_by_block").on("call_terms").columns(["block"]).execute();

  // Members of a team; an owner sees the calls of its members.
  await db.schema
    .alterTable("users")
    .addColumn("is_team_owner", integer, (column) => column.notNull().defaultTo(0))
    .execute();

  await db.schema
    .createTable("channel_minutes")
    .addColumn("channel", id, (column) => column.notNull())
    .addColumn("minute", integer, (column) => column.notNull())
    .addColumn("instance", id, (column) => column.notNull())
    .addColumn("attempts", integer, (column) => column.notNull())
    .addColumn("failed", integer, (column) => column.notNull())
    .addColumn("cost", integer, (column) => column.notNull())
    .addColumn("first_bytes", "text", (column) => column.notNull())
    .addColumn("faults", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("channel_minutes_key", ["channel", "minute", "instance"])
    .modifyEnd(tableEnd("keyed"))
    .execute();
  // Serves the deletion of old minutes.
  await db.schema
    .createIndex("channel_minutes_by_minute")
    .on("channel_minutes")
    .columns(["minute"])
    .execute();
}
