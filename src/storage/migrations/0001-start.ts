import { sql, type Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function start(db: Kysely<any>, ddl: Ddl): Promise<void> {
  const { integer, id } = ddl;

  await db.schema
    .createTable("users")
    .addColumn("id", ddl.counter(2))
    .addColumn("name", "text", (column) => column.notNull().unique())
    .addColumn("role", "text", (column) => column.notNull())
    .addColumn("status", integer, (column) => column.notNull())
    .addColumn("created_at", integer, (column) => column.notNull())
    .addCheckConstraint("users_role", sql`role in ('root', 'admin', 'user', 'auditor')`)
    .modifyEnd(ddl.tableEnd("appended"))
    .execute();

  await db.schema
    .createTable("keys")
    .addColumn("id", ddl.counter(1))
    .addColumn("user_id", integer, (column) => column.notNull().references("users.id"))
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("digest", "text", (column) => column.unique())
    .addColumn("pepper_version", integer, (column) => column.notNull())
    .addColumn("last4", "text", (column) => column.notNull())
    .addColumn("is_custom", integer, (column) => column.notNull())
    .addColumn("status", integer, (column) => column.notNull())
    .addColumn("models", "text", (column) => column.notNull())
    .addColumn("expires_at", integer)
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("deleted_at", integer)
    .addCheckConstraint("keys_tombstone", sql`(digest is null) = (deleted_at is not null)`)
    .modifyEnd(ddl.tableEnd("appended"))
    .execute();
  await db.schema
    .createIndex("keys_living_name")
    .unique()
    .on("keys")
    .columns(["user_id", "name"])
    .where(sql.ref("deleted_at"), "is", null)
    .execute();

  await db.schema
    .createTable("accounts")
    .addColumn("id", id, (column) => column.notNull().primaryKey())
    .addColumn("granted", integer)
    .addColumn("spent", integer, (column) => column.notNull())
    .addColumn("held", integer, (column) => column.notNull())
    .addCheckConstraint("accounts_held", sql`held >= 0`)
    .modifyEnd(ddl.tableEnd("keyed"))
    .execute();

  await db.schema
    .createTable("holds")
    .addColumn("call_id", id, (column) => column.notNull().primaryKey())
    .addColumn("user_account", id)
    .addColumn("key_account", id)
    .addColumn("amount", integer, (column) => column.notNull())
    .addColumn("extensions", integer, (column) => column.notNull())
    .addColumn("checkpoint", integer)
    .addColumn("context", "text", (column) => column.notNull())
    .addColumn("instance", id, (column) => column.notNull())
    .addColumn("opened_at", integer, (column) => column.notNull())
    .addCheckConstraint("holds_amount", sql`amount >= 0`)
    .modifyEnd(ddl.tableEnd("keyed"))
    .execute();

  await db.schema
    .createTable("ledger")
    .addColumn("op_id", id, (column) => column.notNull().primaryKey())
    .addColumn("call_id", id)
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("user_account", id)
    .addColumn("key_account", id)
    .addColumn("held_delta", integer, (column) => column.notNull())
    .addColumn("spent_delta", integer, (column) => column.notNull())
    .addColumn("granted_delta", integer, (column) => column.notNull())
    .addColumn("bound_delta", integer, (column) => column.notNull())
    .addColumn("note", "text")
    .addColumn("at", integer, (column) => column.notNull())
    .modifyEnd(ddl.tableEnd("appended"))
    .execute();
  await ddl.forbidChanges(db, "ledger");

  await db.schema
    .createTable("calls")
    .addColumn("seq", ddl.sequence)
    .addColumn("id", id, (column) => column.notNull().unique())
    .addColumn("at", integer, (column) => column.notNull())
    .addColumn("user_id", integer, (column) => column.notNull())
    .addColumn("key_id", integer, (column) => column.notNull())
    .addColumn("model", "text", (column) => column.notNull())
    .addColumn("upstream_model", "text")
    .addColumn("channel", "text")
    .addColumn("provider", "text")
    .addColumn("style", "text", (column) => column.notNull())
    .addColumn("is_stream", integer, (column) => column.notNull())
    .addColumn("outcome", "text", (column) => column.notNull())
    .addColumn("fault", "text")
    .addColumn("input_tokens", integer, (column) => column.notNull())
    .addColumn("cached_input_tokens", integer, (column) => column.notNull())
    .addColumn("cache_write_tokens", integer, (column) => column.notNull())
    .addColumn("audio_input_tokens", integer, (column) => column.notNull())
    .addColumn("output_tokens", integer, (column) => column.notNull())
    .addColumn("reasoning_tokens", integer, (column) => column.notNull())
    .addColumn("audio_output_tokens", integer, (column) => column.notNull())
    .addColumn("is_estimated", integer, (column) => column.notNull())
    .addColumn("cost", integer, (column) => column.notNull())
    .addColumn("first_byte_ms", integer)
    .addColumn("duration_ms", integer, (column) => column.notNull())
    .addColumn("attempts", "text", (column) => column.notNull())
    .addColumn("lost", "text", (column) => column.notNull())
    .modifyEnd(ddl.tableEnd("appended"))
    .execute();
  await db.schema.createIndex("calls_by_key").on("calls").columns(["key_id", "seq"]).execute();
  await db.schema.createIndex("calls_by_user").on("calls").columns(["user_id", "seq"]).execute();

  await db.schema
    .createTable("instances")
    .addColumn("id", id, (column) => column.notNull().primaryKey())
    .addColumn("seen_at", integer, (column) => column.notNull())
    .modifyEnd(ddl.tableEnd("keyed"))
    .execute();

  await db.schema
    .createTable("meta")
    .addColumn("key", id, (column) => column.notNull().primaryKey())
    .addColumn("value", "text", (column) => column.notNull())
    .modifyEnd(ddl.tableEnd("keyed"))
    .execute();
}
