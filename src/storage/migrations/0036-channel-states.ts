import type { Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

/** Channels that the gateway disabled by itself, and balances of channels at their vendors. */
// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function channelStates(db: Kysely<any>, ddl: Ddl): Promise<void> {
  await db.schema
    .createTable("channel_states")
    .addColumn("channel", "text", (column) => column.primaryKey())
    .addColumn("is_disabled", ddl.integer, (column) => column.notNull())
    .addColumn("cause", "text", (column) => column.notNull())
    .addColumn("reason", "text", (column) => column.notNull())
    .addColumn("since", ddl.integer, (column) => column.notNull())
    .addColumn("probe_at", ddl.integer, (column) => column.notNull())
    .addColumn("probes", ddl.integer, (column) => column.notNull())
    .addColumn("returned_at", ddl.integer)
    .execute();
  await db.schema
    .createTable("channel_balances")
    .addColumn("channel", "text", (column) => column.primaryKey())
    .addColumn("amount", "text", (column) => column.notNull())
    .addColumn("currency", "text", (column) => column.notNull())
    .addColumn("is_usable", ddl.integer, (column) => column.notNull())
    .addColumn("at", ddl.integer, (column) => column.notNull())
    .execute();
}
