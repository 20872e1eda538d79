import { sql, type Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

/**
 * Budgets for more periods, with terms of their own; temporary raises; keys that belong to a team.
 */
// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function budgetPeriods(db: Kysely<any>, ddl: Ddl): Promise<void> {
  await db.schema
    .alterTable("budgets")
    .addColumn("terms", "text", (column) => column.notNull().defaultTo("{}"))
    .execute();
  const amount = (period: "day" | "month") =>
    sql`'"${sql.raw(period)}":{"amount":' || ${sql.ref(period)} || '}'`;
  await sql`update budgets set terms = '{' ||
    case when month is null then '' else ${amount("month")} end ||
    case when month is null or day is null then '' else ',' end ||
    case when day is null then '' else ${amount("day")} end || '}'`.execute(db);
  for (const period of ["day", "month"]) {
    await db.schema.alterTable("budgets").dropColumn(period).execute();
  }

  await db.schema.alterTable("accounts").addColumn("raises", "text").execute();
  await db.schema
    .alterTable("keys")
    .addColumn("team_id", ddl.integer, (column) => column.references("teams.id"))
    .execute();
}
