import { Client, types, type CustomTypesConfig } from "pg";
import { ForeignDatabaseError, toJsonRow, type ForeignDatabase } from "./foreign-database.ts";

const CONNECT_MS = 10_000;
const SCHEMA = /^[A-Za-z_][A-Za-z0-9_$]{0,62}$/;

/** `schema` of the URL is a word of Prisma. */
export async function openForeignPostgres(url: string): Promise<ForeignDatabase> {
  const client = new Client({
    connectionString: url,
    application_name: "sluice import",
    connectionTimeoutMillis: CONNECT_MS,
    types: AS_TEXT,
  });
  // A connection that breaks fails the query; without a listener it would end the process.
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const schema = URL.parse(url)?.searchParams.get("schema") ?? "";
    if (SCHEMA.test(schema)) await client.query(`SET LOCAL search_path TO "${schema}"`);
  } catch (cause) {
    await client.end().catch(() => {});
    throw failure(cause);
  }
  return {
    async tables() {
      const { rows } = await client.query<{ name: string }>(
        "SELECT table_name AS name FROM information_schema.tables " +
          "WHERE table_schema = ANY (current_schemas(false))",
      );
      return new Set(rows.map(({ name }) => name));
    },

    async read(table) {
      const { rows } = await client.query<object>(`SELECT * FROM "${table.replaceAll('"', '""')}"`);
      return rows.map(toJsonRow);
    },

    async [Symbol.asyncDispose]() {
      await client.end().catch(() => {});
    },
  };
}

const PARSED = new Set([16, 20, 21, 23, 114, 700, 701, 1000, 1007, 1009, 1015, 3802]);

/**
 * Numbers, truth values, JSON and lists are parsed. Times stay text, because those without a zone
 * are meant in UTC.
 */
const AS_TEXT: CustomTypesConfig = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    if (oid === INT8) return (text: string) => toSafe(text);
    return PARSED.has(oid) ? types.getTypeParser(oid, format) : (text: string) => text;
  },
};
const INT8 = 20;

function toSafe(text: string): number | string {
  return Number.isSafeInteger(Number(text)) ? Number(text) : text;
}

function failure(cause: unknown): ForeignDatabaseError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new ForeignDatabaseError(`The PostgreSQL database cannot be opened: ${why}`, { cause });
}
