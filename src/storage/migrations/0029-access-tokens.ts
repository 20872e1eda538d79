import { sql, type Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

/** Several access tokens of a user, service accounts, and the browser of a session. */
// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function accessTokens(db: Kysely<any>, ddl: Ddl): Promise<void> {
  const { integer, id } = ddl;
  await db.schema
    .createTable("access_tokens")
    .addColumn("id", ddl.counter(1))
    .addColumn("user_id", integer, (column) => column.notNull().references("users.id"))
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("digest", id, (column) => column.notNull().unique())
    .addColumn("last4", "text")
    .addColumn("scopes", "text")
    .addColumn("created_at", integer)
    .addColumn("used_at", integer)
    .addColumn("ends_at", integer)
    .modifyEnd(ddl.tableEnd("appended"))
    .execute();
  await db.schema
    .createIndex("access_tokens_by_user")
    .on("access_tokens")
    .columns(["user_id"])
    .execute();
  await sql`insert into access_tokens (user_id, name, digest)
    select id, 'access token', token_digest from users where token_digest is not null`.execute(db);
  await db.schema.dropIndex("users_token_digest").execute();
  await db.schema.alterTable("users").dropColumn("token_digest").execute();

  await db.schema
    .alterTable("users")
    .addColumn("is_service", integer, (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable("sessions").addColumn("user_agent", "text").execute();
}
