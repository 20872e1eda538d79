import type { Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function secondFactors(db: Kysely<any>, ddl: Ddl): Promise<void> {
  const { integer, id } = ddl;

  for (const column of ["totp_secret", "totp_pending"]) {
    await db.schema.alterTable("users").addColumn(column, "text").execute();
  }
  for (const column of ["totp_step", "totp_pending_until"]) {
    await db.schema.alterTable("users").addColumn(column, integer).execute();
  }

  await db.schema
    .createTable("recovery_codes")
    .addColumn("user_id", integer, (column) => column.notNull().references("users.id"))
    .addColumn("digest", id, (column) => column.notNull())
    .addPrimaryKeyConstraint("recovery_codes_key", ["user_id", "digest"])
    .modifyEnd(ddl.tableEnd("keyed"))
    .execute();

  await db.schema
    .createTable("identities")
    .addColumn("issuer", id, (column) => column.notNull())
    .addColumn("subject", id, (column) => column.notNull())
    .addColumn("user_id", integer, (column) => column.notNull().references("users.id"))
    .addColumn("created_at", integer, (column) => column.notNull())
    .addPrimaryKeyConstraint("identities_key", ["issuer", "subject"])
    .addUniqueConstraint("identities_of_user", ["user_id", "issuer"])
    .modifyEnd(ddl.tableEnd("keyed"))
    .execute();

  await db.schema
    .alterTable("sessions")
    .addColumn("is_confirmed", integer, (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable("sessions").addColumn("network", "text").execute();
}
