import type { Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

/** Names of users and teams in the form that searches compare: SQLite folds the case of ASCII only. */
// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function searchNames(db: Kysely<any>, _ddl: Ddl): Promise<void> {
  for (const table of ["users", "teams"]) {
    await db.schema
      .alterTable(table)
      .addColumn("search", "text", (column) => column.notNull().defaultTo(""))
      .execute();
  }
  for (const { id, name, display_name, email } of await db
    .selectFrom("users")
    .select(["id", "name", "display_name", "email"])
    .where("deleted_at", "is", null)
    .execute()) {
    const search = folded([name, display_name ?? "", email ?? ""].join("\n"));
    await db.updateTable("users").set({ search }).where("id", "=", id).execute();
  }
  for (const { id, name } of await db.selectFrom("teams").select(["id", "name"]).execute()) {
    await db
      .updateTable("teams")
      .set({ search: folded(name) })
      .where("id", "=", id)
      .execute();
  }
}

/** The rule of that time. */
function folded(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}
