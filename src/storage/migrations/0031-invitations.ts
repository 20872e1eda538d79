import type { Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

/** Invitations, links that mails contain, and redemption codes. Secrets are stored as digests. */
// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function invitations(db: Kysely<any>, ddl: Ddl): Promise<void> {
  await createInvitations(db, ddl);
  await createMailLinks(db, ddl);
  await createCodes(db, ddl);
}

/** Teams and groups can be deleted meanwhile, so there are no references to them. */
// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
async function createInvitations(db: Kysely<any>, ddl: Ddl): Promise<void> {
  const { integer, id } = ddl;
  await db.schema
    .createTable("invitations")
    .addColumn("id", ddl.counter(1))
    .addColumn("digest", id, (column) => column.notNull().unique())
    .addColumn("created_by", integer, (column) => column.notNull().references("users.id"))
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("expires_at", integer, (column) => column.notNull())
    .addColumn("revoked_at", integer)
    .addColumn("max_uses", integer, (column) => column.notNull())
    .addColumn("uses", integer, (column) => column.notNull().defaultTo(0))
    .addColumn("role", "text", (column) => column.notNull())
    .addColumn("team_id", integer)
    .addColumn("is_team_owner", integer, (column) => column.notNull().defaultTo(0))
    .addColumn("group_id", integer)
    .addColumn("quota", integer)
    .addColumn("email", "text")
    .addColumn("note", "text")
    .modifyEnd(ddl.tableEnd("appended"))
    .execute();
  await db.schema
    .createTable("invitation_uses")
    .addColumn("invitation_id", integer, (column) => column.notNull().references("invitations.id"))
    .addColumn("user_id", integer, (column) => column.notNull().references("users.id"))
    .addColumn("at", integer, (column) => column.notNull())
    .addPrimaryKeyConstraint("invitation_uses_key", ["invitation_id", "user_id"])
    .modifyEnd(ddl.tableEnd("keyed"))
    .execute();
}

// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
async function createMailLinks(db: Kysely<any>, ddl: Ddl): Promise<void> {
  const { integer, id } = ddl;
  await db.schema
    .createTable("mail_links")
    .addColumn("digest", id, (column) => column.notNull().primaryKey())
    .addColumn("subject", id, (column) => column.notNull().unique())
    .addColumn("user_id", integer, (column) => column.references("users.id"))
    .addColumn("email", "text", (column) => column.notNull())
    .addColumn("expires_at", integer, (column) => column.notNull())
    .modifyEnd(ddl.tableEnd("keyed"))
    .execute();
  await db.schema.createIndex("mail_links_by_end").on("mail_links").column("expires_at").execute();
}

// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
async function createCodes(db: Kysely<any>, ddl: Ddl): Promise<void> {
  const { integer, id } = ddl;
  await db.schema
    .createTable("code_batches")
    .addColumn("id", ddl.counter(1))
    .addColumn("amount", integer, (column) => column.notNull())
    .addColumn("codes", integer, (column) => column.notNull())
    .addColumn("note", "text")
    .addColumn("created_by", integer, (column) => column.notNull().references("users.id"))
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("expires_at", integer)
    .addColumn("revoked_at", integer)
    .modifyEnd(ddl.tableEnd("appended"))
    .execute();
  await db.schema
    .createTable("codes")
    .addColumn("id", ddl.counter(1))
    .addColumn("batch_id", integer, (column) => column.notNull().references("code_batches.id"))
    .addColumn("digest", id, (column) => column.notNull().unique())
    .addColumn("redeemed_by", integer, (column) => column.references("users.id"))
    .addColumn("redeemed_at", integer)
    .modifyEnd(ddl.tableEnd("appended"))
    .execute();
  await db.schema.createIndex("codes_by_batch").on("codes").columns(["batch_id", "id"]).execute();
}
