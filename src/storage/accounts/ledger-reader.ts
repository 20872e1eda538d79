import { Kysely, PostgresDialect } from "kysely";
import { openSqliteReader } from "../sqlite/open.ts";
import type { Tables } from "../tables.ts";
import { verifyLedger, type Violation } from "./verify-ledger.ts";

interface LedgerPlace {
  readonly dataDir: string;
  readonly databaseUrl?: string;
}

/** Verifies the whole ledger, without a time limit. */
export async function verifyWholeLedger(place: LedgerPlace): Promise<readonly Violation[]> {
  await using db = await openLedgerReader(place);
  return await verifyLedger(db);
}

export async function openLedgerReader({
  dataDir,
  databaseUrl,
}: LedgerPlace): Promise<Kysely<Tables>> {
  if (databaseUrl === undefined) return openSqliteReader(dataDir);
  // A gateway with SQLite does not load the PostgreSQL client.
  const { openPool } = await import("../postgres/pool.ts");
  const pool = openPool(databaseUrl, { max: 1, isBounded: false, onError: () => {} });
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}
