import { Database } from "bun:sqlite";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { Kysely, sql, type Transaction } from "kysely";
import { migrate, MIGRATION_TABLES } from "../database/migrate.ts";
import { MIGRATIONS } from "../migrations/list.ts";
import type { Ddl } from "../migrations/ddl.ts";
import { sqliteDdl } from "../sqlite/ddl.ts";
import { directDialect } from "../sqlite/dialect.ts";
import { databasePath } from "../sqlite/open.ts";
import { ownFolder } from "../sqlite/owner.ts";
import type { Tables } from "../tables.ts";
import type { StoredRow } from "./format.ts";
import type { DatabasePlace, TableShape } from "./source.ts";

/** The database that a backup is written to, without any gateway on it. */
export interface BackupTarget extends AsyncDisposable {
  readonly db: Kysely<Tables>;
  readonly ddl: Ddl;
  /** The tables of Sluice that exist. */
  tables(transaction: Transaction<Tables>): Promise<readonly string[]>;
  drop(transaction: Transaction<Tables>, tables: readonly string[]): Promise<void>;
  insert(
    transaction: Transaction<Tables>,
    table: TableShape,
    rows: readonly StoredRow[],
  ): Promise<void>;
  /** The next value of each counter follows the given one and all values in use. */
  setCounters(
    transaction: Transaction<Tables>,
    counters: Readonly<Record<string, number>>,
  ): Promise<void>;
  /** Throws if a row refers to a row that does not exist. */
  checkReferences(transaction: Transaction<Tables>): Promise<void>;
}

export async function openBackupTarget(place: DatabasePlace): Promise<BackupTarget> {
  if (place.databaseUrl === undefined) return openSqliteTarget(place.dataDir);
  return await openPostgresTarget(place.databaseUrl);
}

function openSqliteTarget(dataDir: string): BackupTarget {
  using opened = new DisposableStack();
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  opened.use(ownFolder(dataDir));
  const path = databasePath(dataDir);
  closeSync(openSync(path, "a", 0o600));
  const database = new Database(path, { readwrite: true });
  database.run("pragma journal_mode = wal");
  database.run("pragma synchronous = full");
  // Checked once at the end instead, so that tables may be dropped in any order.
  database.run("pragma foreign_keys = off");
  const db = new Kysely<Tables>({ dialect: directDialect(database) });
  const held = opened.move();
  return {
    db,
    ddl: sqliteDdl,
    tables: async (transaction) =>
      await known(
        await listed(transaction, sql`select name from sqlite_master where type = 'table'`),
      ),
    async drop(transaction, tables) {
      for (const name of tables) await sql`drop table ${sql.table(name)}`.execute(transaction);
    },
    insert: (transaction, table, rows) => insert(transaction, table, rows, sql``),
    async setCounters(transaction, counters) {
      const counted = await listed(
        transaction,
        sql`select name from sqlite_master where type = 'table' and sql like '%autoincrement%'`,
      );
      for (const name of counted) {
        const value = counters[name] ?? 0;
        await sql`insert into sqlite_sequence (name, seq) select ${name}, 0
          where not exists (select 1 from sqlite_sequence where name = ${name})`.execute(
          transaction,
        );
        await sql`update sqlite_sequence set seq = max(seq, ${value})
          where name = ${name}`.execute(transaction);
      }
    },
    async checkReferences(transaction) {
      const { rows } = await sql<{ table: string }>`pragma foreign_key_check`.execute(transaction);
      const [first] = rows;
      if (first !== undefined) {
        throw new Error(`A row of ${first.table} in the backup refers to a row that is missing.`);
      }
    },
    async [Symbol.asyncDispose]() {
      await db.destroy();
      held.dispose();
    },
  };
}

async function openPostgresTarget(url: string): Promise<BackupTarget> {
  const [{ openPool }, { dialectOver }, { postgresDdl }, { assertNoGateway }] = await Promise.all([
    import("../postgres/pool.ts"),
    import("../postgres/dialect.ts"),
    import("../postgres/ddl.ts"),
    import("../postgres/assert-no-gateway.ts"),
  ]);
  const pool = openPool(url, { max: 2, isBounded: false, onError: () => {} });
  const db = new Kysely<Tables>({ dialect: dialectOver(pool) });
  return {
    db,
    ddl: postgresDdl,
    async tables(transaction) {
      const found = await listed(
        transaction,
        sql`select tablename as name from pg_tables where schemaname = current_schema()`,
      );
      if (found.includes("instances")) await assertNoGateway(transaction);
      return await known(found);
    },
    async drop(transaction, tables) {
      if (tables.length === 0) return;
      await sql`drop table ${sql.join(tables.map((name) => sql.table(name)))}`.execute(transaction);
    },
    insert: (transaction, table, rows) =>
      insert(transaction, table, rows, sql`overriding system value`),
    async setCounters(transaction, counters) {
      const { rows } = await sql<{ tbl: string; col: string }>`
        select table_name as tbl, column_name as col from information_schema.columns
        where table_schema = current_schema() and is_identity = 'YES'`.execute(transaction);
      for (const { tbl, col } of rows) {
        const value = counters[tbl] ?? 0;
        await sql`select setval(pg_get_serial_sequence(${tbl}, ${col}), used)
          from (select greatest(${value}::bigint, max(${sql.ref(col)})) as used
                from ${sql.table(tbl)}) as counted where used > 0`.execute(transaction);
      }
    },
    // PostgreSQL has checked each row.
    checkReferences: async () => {},
    [Symbol.asyncDispose]: () => db.destroy(),
  };
}

const MAX_PARAMETERS = 20_000;

async function insert(
  transaction: Transaction<Tables>,
  { name, columns }: TableShape,
  rows: readonly StoredRow[],
  overriding: ReturnType<typeof sql>,
): Promise<void> {
  const atOnce = Math.max(1, Math.floor(MAX_PARAMETERS / Math.max(1, columns.length)));
  const into = sql.join(columns.map((column) => sql.ref(column)));
  for (let at = 0; at < rows.length; at += atOnce) {
    const values = rows
      .slice(at, at + atOnce)
      .map((row) => sql`(${sql.join(row.map((value) => sql`${bound(value)}`))})`);
    await sql`insert into ${sql.table(name)} (${into}) ${overriding}
      values ${sql.join(values)}`.execute(transaction);
  }
}

function bound(value: StoredRow[number]): string | number | Uint8Array | null {
  return typeof value === "object" && value !== null ? Buffer.from(value.bytes, "base64") : value;
}

async function listed(
  transaction: Transaction<Tables>,
  query: ReturnType<typeof sql>,
): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`${query}`.execute(transaction);
  return rows.map(({ name }) => name);
}

/** Those that this version, or an earlier one, makes: the others of a database are not ours. */
async function known(names: readonly string[]): Promise<readonly string[]> {
  const database = new Database(":memory:");
  await using db = new Kysely<Tables>({ dialect: directDialect(database) });
  await migrate(db, sqliteDdl, MIGRATIONS);
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  const ours = new Set([...tables.map(({ name }) => name), ...MIGRATION_TABLES]);
  return names.filter((name) => ours.has(name) && !name.startsWith("sqlite_"));
}
