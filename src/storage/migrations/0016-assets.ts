import { sql, type Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function assets(db: Kysely<any>, ddl: Ddl): Promise<void> {
  await createGroups(db, ddl);
  await createAssets(db, ddl);
  await createSessions(db, ddl);
}

// oxlint-disable-next-line no-explicit-any -- as above
async function createGroups(db: Kysely<any>, ddl: Ddl): Promise<void> {
  const { integer, id } = ddl;
  await db.schema
    .createTable("asset_groups")
    .addColumn("id", id, (column) => column.notNull().primaryKey())
    .addColumn("user_id", integer, (column) => column.notNull())
    .addColumn("channel", "text")
    .addColumn("account", "text")
    .addColumn("upstream_id", id)
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("description", "text", (column) => column.notNull())
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("updated_at", integer, (column) => column.notNull())
    .addCheckConstraint("asset_groups_kind", sql`kind in ('image', 'identity')`)
    .modifyEnd(ddl.tableEnd("keyed"))
    .execute();
  await db.schema
    .createIndex("asset_groups_of_user")
    .on("asset_groups")
    .columns(["user_id", "id"])
    .execute();
  await db.schema
    .createIndex("asset_groups_by_upstream_id")
    .unique()
    .on("asset_groups")
    .columns(["channel", "upstream_id"])
    .where("upstream_id", "is not", null)
    .execute();
}

// oxlint-disable-next-line no-explicit-any -- as above
async function createAssets(db: Kysely<any>, ddl: Ddl): Promise<void> {
  const { integer, id } = ddl;
  await db.schema
    .createTable("assets")
    .addColumn("id", id, (column) => column.notNull().primaryKey())
    .addColumn("user_id", integer, (column) => column.notNull())
    .addColumn("group_id", id, (column) => column.notNull().references("asset_groups.id"))
    .addColumn("channel", "text")
    .addColumn("account", "text")
    .addColumn("upstream_id", id)
    .addColumn("type", "text", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("size_bytes", integer, (column) => column.notNull())
    .addColumn("details", "text", (column) => column.notNull())
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("updated_at", integer, (column) => column.notNull())
    .addColumn("due_at", integer, (column) => column.notNull())
    .addColumn("looks", integer, (column) => column.notNull())
    .addColumn("lease_until", integer, (column) => column.notNull())
    .addColumn("removed", integer, (column) => column.notNull())
    .addCheckConstraint("assets_type", sql`type in ('image', 'video', 'audio')`)
    .addCheckConstraint("assets_status", sql`status in ('pending', 'active', 'failed')`)
    .modifyEnd(ddl.tableEnd("keyed"))
    .execute();
  await db.schema
    .createIndex("assets_of_user")
    .on("assets")
    .columns(["user_id", "created_at", "id"])
    .execute();
  await db.schema.createIndex("assets_of_group").on("assets").columns(["group_id"]).execute();
  await db.schema.createIndex("assets_due").on("assets").columns(["status", "due_at"]).execute();
  await db.schema
    .createIndex("assets_removed")
    .on("assets")
    .columns(["removed", "id"])
    .where("removed", "=", 1)
    .execute();
  await db.schema
    .createIndex("assets_by_upstream_id")
    .unique()
    .on("assets")
    .columns(["channel", "upstream_id"])
    .where("upstream_id", "is not", null)
    .execute();
}

// oxlint-disable-next-line no-explicit-any -- as above
async function createSessions(db: Kysely<any>, ddl: Ddl): Promise<void> {
  const { integer, id } = ddl;
  await db.schema
    .createTable("identity_sessions")
    .addColumn("id", id, (column) => column.notNull().primaryKey())
    .addColumn("user_id", integer, (column) => column.notNull())
    .addColumn("channel", "text", (column) => column.notNull())
    .addColumn("account", "text", (column) => column.notNull())
    .addColumn("token_digest", id, (column) => column.notNull().unique())
    .addColumn("return_digest", id, (column) => column.notNull().unique())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("group_id", id)
    .addColumn("details", "text", (column) => column.notNull())
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("ends_at", integer, (column) => column.notNull())
    .addColumn("due_at", integer)
    .addColumn("version", integer, (column) => column.notNull())
    .addColumn("lease_until", integer, (column) => column.notNull())
    .addCheckConstraint(
      "identity_sessions_state",
      sql`state in ('open', 'asking', 'unsure', 'passed')`,
    )
    .modifyEnd(ddl.tableEnd("keyed"))
    .execute();
  await db.schema
    .createIndex("identity_sessions_due")
    .on("identity_sessions")
    .columns(["due_at"])
    .where("due_at", "is not", null)
    .execute();
  await db.schema
    .createIndex("identity_sessions_of_user")
    .on("identity_sessions")
    .columns(["user_id", "ends_at"])
    .execute();
  await db.schema
    .createIndex("identity_sessions_by_end")
    .on("identity_sessions")
    .columns(["ends_at"])
    .execute();
}
