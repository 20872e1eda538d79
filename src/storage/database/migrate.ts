import { Migrator, sql, type Kysely, type Migration, type Transaction } from "kysely";
import type { Ddl } from "../migrations/ddl.ts";
import { MIGRATIONS, type MigrateUp } from "../migrations/list.ts";
import type { Tables } from "../tables.ts";

/** The tables of the migrator. */
export const MIGRATION_TABLES = ["sluice_migrations", "sluice_migrations_lock"] as const;
const [TABLE, LOCK_TABLE] = MIGRATION_TABLES;

/** Migrates the schema in one transaction; a schema of a newer version is refused. */
export async function migrate(
  db: Kysely<Tables>,
  ddl: Ddl,
  list: Readonly<Record<string, MigrateUp>> = MIGRATIONS,
): Promise<void> {
  // The migrator looks at every column of every table, which takes a third of most starts.
  if (await isNewest(db, Object.keys(list))) return;

  const migrations = Object.fromEntries(
    Object.entries(list).map(([name, up]): [string, Migration] => [
      name,
      { up: (transaction) => up(transaction, ddl) },
    ]),
  );
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    migrationTableName: TABLE,
    migrationLockTableName: LOCK_TABLE,
  });

  await refuseNewerSchema(db, Object.keys(migrations));
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) {
    // A newer version may have migrated the database while this process waited for the lock.
    await refuseNewerSchema(db, Object.keys(migrations));
    throw new Error("The database migration failed.", { cause: error });
  }
}

/**
 * Migrates up to the schema `newest` within the caller's transaction; the migrator itself always
 * opens its own.
 */
export async function migrateWithin(
  transaction: Transaction<Tables>,
  ddl: Ddl,
  newest: string,
): Promise<void> {
  const own = transaction.withTables<{
    [TABLE]: { name: string; timestamp: string };
    [LOCK_TABLE]: { id: string; is_locked: number };
  }>();
  await createMigrationTables(transaction);
  await own
    .insertInto(LOCK_TABLE)
    .values({ id: "migration_lock", is_locked: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const rows = await own.selectFrom(TABLE).select("name").execute();
  const done = rows.map(({ name }) => name);
  for (const [name, up] of Object.entries(MIGRATIONS)) {
    if (name > newest || done.includes(name)) continue;
    await up(transaction, ddl);
    const timestamp = new Date().toISOString();
    await own.insertInto(TABLE).values({ name, timestamp }).execute();
  }
}

/** As the migrator makes them. */
async function createMigrationTables({ schema }: Transaction<Tables>): Promise<void> {
  const name = sql`varchar(255)`;
  await schema
    .createTable(TABLE)
    .ifNotExists()
    .addColumn("name", name, (column) => column.notNull().primaryKey())
    .addColumn("timestamp", name, (column) => column.notNull())
    .execute();
  await schema
    .createTable(LOCK_TABLE)
    .ifNotExists()
    .addColumn("id", name, (column) => column.notNull().primaryKey())
    .addColumn("is_locked", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
}

/** Whether exactly these are done. If that cannot be read, the migrator creates the tables or fails. */
async function isNewest(db: Kysely<Tables>, known: readonly string[]): Promise<boolean> {
  const done = await namesDone(db).catch(() => []);
  return done.length === known.length && done.every((name) => known.includes(name));
}

async function namesDone(db: Kysely<Tables>): Promise<readonly string[]> {
  const rows = await db
    .withTables<{ [TABLE]: { name: string } }>()
    .selectFrom(TABLE)
    .select("name")
    .execute();
  return rows.map(({ name }) => name);
}

async function refuseNewerSchema(db: Kysely<Tables>, known: readonly string[]): Promise<void> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some((table) => table.name === TABLE)) return;

  const unknown = (await namesDone(db)).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new Error(
    `The database was last used by a newer version of Sluice: this version does not know ` +
      `${unknown.join(", ")}. Start that version, or restore a backup from before the update.`,
  );
}
