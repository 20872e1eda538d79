import { Migrator, type Kysely, type Migration } from "kysely";
import type { Ddl } from "../migrations/ddl.ts";
import { MIGRATIONS, type MigrateUp } from "../migrations/list.ts";
import type { Tables } from "../tables.ts";

const TABLE = "sluice_migrations";
const LOCK_TABLE = "sluice_migrations_lock";

/** Migrates the schema in one transaction; a schema of a newer version is refused. */
export async function migrate(
  db: Kysely<Tables>,
  ddl: Ddl,
  list: Readonly<Record<string, MigrateUp>> = MIGRATIONS,
): Promise<void> {
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

async function refuseNewerSchema(db: Kysely<Tables>, known: readonly string[]): Promise<void> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some((table) => table.name === TABLE)) return;

  const done = await db
    .withTables<{ [TABLE]: { name: string } }>()
    .selectFrom(TABLE)
    .select("name")
    .execute();
  const unknown = done.map((row) => row.name).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new Error(
    `The database was last used by a newer version of Sluice: this version does not know ` +
      `${unknown.join(", ")}. Start that version, or restore a backup from before the update.`,
  );
}
