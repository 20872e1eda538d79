import { Kysely, PostgresDialect } from "kysely";
import { Client } from "pg";
import { openScratchDatabase } from "#test/scratch-database.ts";
import type { Place } from "./contract-place.ts";
import { postgresDdl } from "#storage/postgres/ddl.ts";
import { openPool } from "#storage/postgres/pool.ts";
import type { Tables } from "#storage/tables.ts";

/** A database of its own for the tests of a storage. */
export async function openDatabase(
  options: { readonly isEmpty?: boolean } = {},
): Promise<Place & { address: { databaseUrl: string } }> {
  const database = await openScratchDatabase(options);
  const databaseUrl = database.url;
  const connections: AsyncDisposable[] = [];
  return {
    address: { dataDir: "", databaseUrl },
    ddl: postgresDdl,
    async tamper() {
      const pool = openPool(databaseUrl, { max: 1, isBounded: true, onError: () => {} });
      const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
      connections.push(db);
      return db;
    },
    async lock() {
      const client = new Client({ connectionString: databaseUrl });
      await client.connect();
      await client.query("begin; lock table ledger, meta in exclusive mode");
      return { [Symbol.asyncDispose]: () => client.end() };
    },
    async [Symbol.asyncDispose]() {
      for (const each of connections) await each[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}
