import { Kysely } from "kysely";
import { migrate } from "#storage/database/migrate.ts";
import { postgresDdl } from "#storage/postgres/ddl.ts";
import { dialectOver } from "#storage/postgres/dialect.ts";
import { openPool } from "#storage/postgres/pool.ts";
import type { Tables } from "#storage/tables.ts";
import { query, urlOfDatabase } from "./scratch-database.ts";

interface DatabaseTemplate extends AsyncDisposable {
  readonly name: string;
}

/** A database with the schema and no rows: copying it takes a tenth of the time of migrating one. */
export async function openDatabaseTemplate(server: string): Promise<DatabaseTemplate> {
  const name = `sluice_template_${crypto.randomUUID().replaceAll("-", "")}`;
  const drop = async (): Promise<void> => {
    await query(server, `drop database ${name} with (force)`);
  };
  await query(server, `create database ${name}`);
  try {
    await fill(urlOfDatabase(name, server));
  } catch (cause) {
    await drop();
    throw cause;
  }
  return { name, [Symbol.asyncDispose]: drop };
}

async function fill(url: string): Promise<void> {
  const pool = openPool(url, { max: 2, isBounded: false, onError: () => {} });
  await using db = new Kysely<Tables>({ dialect: dialectOver(pool) });
  await migrate(db, postgresDdl);
}
