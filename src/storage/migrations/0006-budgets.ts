import { sql, type Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function budgets(db: Kysely<any>, ddl: Ddl): Promise<void> {
  const { integer, id } = ddl;

  await db.schema
    .createTable("teams")
    .addColumn("id", ddl.counter(1))
    .addColumn("name", "text", (column) => column.notNull().unique())
    .addColumn("created_at", integer, (column) => column.notNull())
    .modifyEnd(ddl.tableEnd("appended"))
    .execute();
  await db.schema
    .alterTable("users")
    .addColumn("team_id", integer, (column) => column.references("teams.id"))
    .execute();
  await db.schema.createIndex("users_by_team").on("users").columns(["team_id"]).execute();

  await db.schema
    .createTable("budgets")
    .addColumn("owner", id, (column) => column.notNull().primaryKey())
    .addColumn("day", integer)
    .addColumn("month", integer)
    .modifyEnd(ddl.tableEnd("keyed"))
    .execute();

  for (const table of ["holds", "ledger"]) {
    await db.schema.alterTable(table).addColumn("more_accounts", id).execute();
  }
  // Grants are few among the entries, so a partial index costs other entries nothing.
  for (const account of ["user_account", "more_accounts"]) {
    await db.schema
      .createIndex(`ledger_grants_by_${account}`)
      .on("ledger")
      .columns([account, "at", "op_id"])
      .where("kind", "=", sql.lit("grant"))
      .execute();
  }
}
