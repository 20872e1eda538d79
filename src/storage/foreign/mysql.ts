import { SQL } from "bun";
import { textOf } from "#lib/values.ts";
import { ForeignDatabaseError, toJsonRow, type ForeignDatabase } from "./foreign-database.ts";

const CONNECT_S = 10;

/** MySQL or MariaDB, through the client of the runtime. */
export async function openForeignMysql(url: string): Promise<ForeignDatabase> {
  const sql = new SQL({
    url,
    adapter: "mysql",
    max: 1,
    connectionTimeout: CONNECT_S,
    bigint: true,
  });
  try {
    const connection = await sql.reserve();
    await connection.unsafe("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
    return {
      async tables() {
        const rows: readonly object[] = await connection.unsafe(
          "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = database()",
        );
        return new Set(rows.map((row) => textOf(toJsonRow(row)["name"]) ?? ""));
      },

      async read(table) {
        const rows: readonly object[] = await connection.unsafe(
          `SELECT * FROM \`${table.replaceAll("`", "``")}\``,
        );
        return [...rows].map(toJsonRow);
      },

      async [Symbol.asyncDispose]() {
        await connection.unsafe("ROLLBACK").catch(() => {});
        await connection.release();
        await sql.close({ timeout: 1 });
      },
    };
  } catch (cause) {
    await sql.close({ timeout: 0 }).catch(() => {});
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ForeignDatabaseError(`The MySQL database cannot be opened: ${why}`, { cause });
  }
}
