import { sql } from "kysely";
import type { Ddl } from "../migrations/ddl.ts";

export const sqliteDdl: Ddl = {
  integer: sql`integer`,
  id: sql`text`,
  bytes: sql`blob`,
  // Only AUTOINCREMENT never reuses an id; a first row with an explicit id sets the start.
  counter: () => sql`integer primary key autoincrement`,
  sequence: sql`integer primary key`,
  tableEnd: (kind) => (kind === "keyed" ? sql`strict, without rowid` : sql`strict`),

  async forbidChanges(db, table) {
    for (const change of ["update", "delete"] as const) {
      const trigger = sql.ref(`${table}_no_${change}`);
      const message = sql.lit(`The ${table} is append-only.`);
      await sql`create trigger ${trigger} before ${sql.raw(change)} on ${sql.table(table)}
        begin select raise(abort, ${message}); end`.execute(db);
    }
  },
};
