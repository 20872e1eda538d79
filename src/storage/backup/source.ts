import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import type { PoolClient } from "pg";
import { MIGRATION_TABLES } from "../database/migrate.ts";
import { databasePath } from "../sqlite/open.ts";
import { LEFT_OUT, type BackupHeader, type StoredRow, type StoredValue } from "./format.ts";
import { orderByReference, type Reference } from "./order-by-reference.ts";

export interface DatabasePlace {
  /** Folder of the SQLite file. */
  readonly dataDir: string;
  /** URL of a PostgreSQL database, instead of SQLite. */
  readonly databaseUrl?: string;
}

export type TableShape = BackupHeader["tables"][number];

/** One consistent state of a database, while gateways write to it. */
export interface BackupSource extends AsyncDisposable {
  readonly engine: BackupHeader["engine"];
  readonly tables: readonly TableShape[];
  /** The newest migration. */
  readonly schema: string;
  readonly secretCheck: string | null;
  /** Some rows at a time. */
  rows(table: TableShape): AsyncIterable<readonly StoredRow[]>;
  counters(): Promise<Readonly<Record<string, number>>>;
}

const AT_ONCE = 500;
const [MIGRATIONS] = MIGRATION_TABLES;
const SECRET_CHECK = "select value from meta where key = 'pepper'";
const NEWEST = `select max(name) as value from ${MIGRATIONS}`;

export async function openBackupSource(place: DatabasePlace): Promise<BackupSource> {
  if (place.databaseUrl === undefined) return openSqliteSource(place.dataDir);
  return await openPostgresSource(place.databaseUrl);
}

function openSqliteSource(dataDir: string): BackupSource {
  const path = databasePath(dataDir);
  if (!existsSync(path)) throw new Error(`There is no database in ${dataDir}.`);
  const database = new Database(path, { readonly: true });
  database.run("pragma busy_timeout = 5000");
  // All later reads see the state of the first one; the gateway goes on writing.
  database.run("begin");
  const named = (sql: string): string | null =>
    database.query<{ value: string | null }, []>(sql).get()?.value ?? null;
  const columns = database
    .query<{ tbl: string; name: string }, []>(
      `select m.name as tbl, c.name from sqlite_master m join pragma_table_info(m.name) c
       where m.type = 'table' and m.name not like 'sqlite_%' order by m.name, c.cid`,
    )
    .all();
  const references = database
    .query<Reference, []>(
      `select m.name as tbl, f."table" as refers from sqlite_master m
       join pragma_foreign_key_list(m.name) f where m.type = 'table'`,
    )
    .all();
  return {
    engine: "sqlite",
    tables: shapesOf(columns, references),
    schema: named(NEWEST) ?? "",
    secretCheck: named(SECRET_CHECK),

    async *rows({ name, columns: selected }) {
      const statement = database.query<Record<string, unknown>, []>(selectOf(name, selected));
      let rows: StoredRow[] = [];
      for (const row of statement.iterate()) {
        rows.push(selected.map((column) => stored(row[column])));
        if (rows.length < AT_ONCE) continue;
        yield rows;
        rows = [];
      }
      yield rows;
    },

    async counters() {
      const rows = database
        .query<{ name: string; seq: number }, []>("select name, seq from sqlite_sequence")
        .all();
      return Object.fromEntries(rows.map(({ name, seq }) => [name, seq]));
    },

    async [Symbol.asyncDispose]() {
      database.run("rollback");
      database.close();
    },
  };
}

async function openPostgresSource(url: string): Promise<BackupSource> {
  // A command on SQLite does not load the PostgreSQL client.
  const { openPool } = await import("../postgres/pool.ts");
  await using opened = new AsyncDisposableStack();
  const pool = openPool(url, { max: 1, isBounded: false, onError: () => {} });
  opened.defer(() => pool.end());
  const client = opened.adopt(await pool.connect(), (each) => each.release());
  // A snapshot; the gateways go on writing.
  await client.query("begin isolation level repeatable read read only");
  opened.defer(async () => void (await client.query("rollback")));

  const { rows: columns } = await client.query<{ tbl: string; name: string }>(
    `select c.table_name as tbl, c.column_name as name from information_schema.columns c
     join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = current_schema() and t.table_type = 'BASE TABLE'
     order by c.table_name, c.ordinal_position`,
  );
  const { rows: references } = await client.query<Reference>(
    `select t.relname as tbl, r.relname as refers from pg_constraint f
     join pg_class t on t.oid = f.conrelid join pg_class r on r.oid = f.confrelid
     where f.contype = 'f' and f.connamespace = current_schema()::regnamespace`,
  );
  const tables = shapesOf(columns, references);
  const schema = (await valueOf(client, NEWEST)) ?? "";
  const secretCheck = await valueOf(client, SECRET_CHECK);
  const held = opened.move();
  return {
    engine: "postgres",
    tables,
    schema,
    secretCheck,

    async *rows({ name, columns: selected }) {
      await client.query(`declare backup no scroll cursor for ${selectOf(name, selected)}`);
      for (;;) {
        const { rows } = await client.query<unknown[]>({
          text: `fetch ${AT_ONCE} from backup`,
          rowMode: "array",
        });
        yield rows.map((row) => row.map(stored));
        if (rows.length < AT_ONCE) break;
      }
      await client.query("close backup");
    },

    async counters() {
      const { rows } = await client.query<{ tbl: string; last: number | null }>(
        `select t.relname as tbl, s.last_value as last from pg_sequences s
         join pg_class c on c.relname = s.sequencename
           and c.relnamespace = current_schema()::regnamespace
         join pg_depend d on d.objid = c.oid and d.deptype = 'i'
         join pg_class t on t.oid = d.refobjid
         where s.schemaname = current_schema()`,
      );
      return Object.fromEntries(rows.map(({ tbl, last }) => [tbl, last ?? 0]));
    },

    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

async function valueOf(client: PoolClient, sql: string): Promise<string | null> {
  const { rows } = await client.query<{ value: string | null }>(sql);
  return rows[0]?.value ?? null;
}

function shapesOf(
  columns: readonly { readonly tbl: string; readonly name: string }[],
  references: readonly Reference[],
): readonly TableShape[] {
  const found = Map.groupBy(columns, ({ tbl }) => tbl);
  if (!found.has(MIGRATIONS)) throw new Error("The database has no tables of Sluice.");
  const names = [...found.keys()].filter(
    (name) => !name.startsWith(MIGRATIONS) && !LEFT_OUT.includes(name),
  );
  return orderByReference(names, references).map((name) => ({
    name,
    columns: found.get(name)?.map((column) => column.name) ?? [],
  }));
}

function selectOf(table: string, columns: readonly string[]): string {
  return `select ${columns.map((name) => `"${name}"`).join(", ")} from "${table}"`;
}

function stored(value: unknown): StoredValue {
  if (value === null || typeof value === "string") return value;
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString("base64") };
  if (typeof value === "number" && Number.isSafeInteger(value)) return value;
  throw new Error(`The database has a value that a backup cannot hold: a ${typeof value}.`);
}
