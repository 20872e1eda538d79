import { Database } from "bun:sqlite";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { Kysely, sql } from "kysely";
import type { BudgetTerms } from "#core/budget.ts";
import type { GatewayError } from "#core/error.ts";
import type { AccountId, Budget } from "#core/key.ts";
import type { Account } from "#core/ledger.ts";
import { openJournal, type Engine, type EngineOptions } from "../database/engine.ts";
import { openGroup } from "../accounts/group-commit.ts";
import { migrate } from "../database/migrate.ts";
import type { Tables } from "../tables.ts";
import { toAccount } from "../tables/accounts.ts";
import { readTerms } from "../tables/budgets.ts";
import { createAccounts } from "./accounts.ts";
import { encodeBatch, type SqliteWrite } from "./batch.ts";
import { sqliteDdl } from "./ddl.ts";
import { directDialect, sharedDialect } from "./dialect.ts";
import { judge } from "./failure.ts";
import { loadHolds, openSqliteLedger } from "./ledger.ts";
import { ownFolder } from "./owner.ts";
import { compileStatements } from "./statements.ts";
import { openWriter } from "./writer.ts";

const FILE = "sluice.db";
const CACHE_KIB = 4_096;
/** Checkpoint the write-ahead log at this many pages, 16 MiB. */
const LOG_PAGES = 4_096;

/** The embedded database: one file, one gateway, one writer thread besides the event loop. */
export async function openSqlite(dataDir: string, options: EngineOptions): Promise<Engine> {
  const { clock, limits, events, instance } = options;
  await using opened = new AsyncDisposableStack();

  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  opened.use(ownFolder(dataDir));
  const path = databasePath(dataDir);
  await prepareFile(path, limits.busyTimeoutMs);

  const writer = opened.adopt(await openWriter(path, writerPragmas(limits.busyTimeoutMs)), (each) =>
    each.close(),
  );
  // Closed before the writer, so that the last connection can remove the write-ahead log.
  const reader = opened.adopt(openReader(path, limits.busyTimeoutMs), (each) => each.close(true));
  const db = new Kysely<Tables>({ dialect: sharedDialect(reader, writer) });
  await writer.prepare(compileStatements(db));

  const holds = await loadHolds(db);
  const group = openGroup<SqliteWrite>({
    inFlight: () => holds.size,
    commit: (writes) => writer.run(encodeBatch(writes)),
    judge,
    probe: () =>
      probeWrite(
        () => {},
        () => {},
      ),
    clock,
    limits,
    events,
  });
  opened.defer(() => group.close());

  const accounts = createAccounts(accountLoader(db, reader), limits.maxLoadedAccounts);
  const findBudget = budgetFinder(db, reader);
  const ledger = openSqliteLedger({
    db,
    accounts,
    holds,
    group,
    instance,
    clock,
    limits,
    findBudget,
  });
  opened.defer(() => ledger.close());
  await register(db, instance, clock.now());

  const journal = openJournal(limits.maxQueuedRecords, (record, over) => {
    group.add({
      isRefusable: false,
      encode: (batch) => batch.record(record),
      done: over,
      refuse: over,
    });
  });

  const held = opened.move();
  return {
    db,
    ledger,
    journal,
    writes: group.stats,
    // In commit order: each change is applied before the next one can begin.
    onGranted(id, { granted, raises }) {
      const account = accounts.find(id);
      if (account === undefined) return;
      if (granted !== undefined) account.granted = granted;
      if (raises !== undefined) account.raises = raises.length === 0 ? undefined : raises;
    },
    keyTtlMs: Infinity,
    // Only this process uses the folder.
    isAlive: async (other) => other === instance,
    findCallsEnd: () => findCallsEnd(db),
    isSole: true,
    // One process owns the file, so its own clock is the shared clock.
    sharedNow: () => sql.val(clock.now()),
    // The lists hold neither quotes nor backslashes.
    linesOf: (text) => sql`json_each(
      '["' || replace(trim(${text}, char(10)), char(10), '","') || '"]') as line`,
    ping: () =>
      new Promise((resolve, reject) => {
        group.assertOpen();
        group.add(probeWrite(resolve, reject));
      }),
    close: () => held.disposeAsync(),
  };

  function probeWrite(done: () => void, refuse: (cause: GatewayError) => void): SqliteWrite {
    return {
      isRefusable: true,
      encode: (batch) => batch.row("probe", [String(clock.now())]),
      done,
      refuse,
    };
  }
}

/** Transactions write calls one after the other, so all visible calls are final. */
async function findCallsEnd(db: Kysely<Tables>): Promise<number> {
  const { end } = await db
    .selectFrom("calls")
    .select(({ fn }) => fn.max("seq").as("end"))
    .executeTakeFirstOrThrow();
  return end ?? 0;
}

/** A read-only connection for a command that runs next to a gateway. */
export function openSqliteReader(dataDir: string): Kysely<Tables> {
  const reader = openReader(databasePath(dataDir), 1_000);
  return new Kysely<Tables>({ dialect: directDialect(reader) });
}

export function databasePath(dataDir: string): string {
  return join(dataDir, FILE);
}

/** Created with access for its owner only; the write-ahead log gets the same mode. */
async function prepareFile(path: string, busyTimeoutMs: number): Promise<void> {
  closeSync(openSync(path, "a", 0o600));
  const database = new Database(path, { readwrite: true });
  await using db = new Kysely<Tables>({ dialect: directDialect(database) });
  for (const pragma of writerPragmas(busyTimeoutMs)) database.run(pragma);
  await migrate(db, sqliteDdl);
}

function writerPragmas(busyTimeoutMs: number): string[] {
  return [
    `pragma busy_timeout = ${busyTimeoutMs}`,
    "pragma journal_mode = wal",
    "pragma synchronous = full",
    "pragma foreign_keys = on",
    "pragma temp_store = memory",
    `pragma cache_size = -${CACHE_KIB}`,
    `pragma wal_autocheckpoint = ${LOG_PAGES}`,
    // Truncates a large write-ahead log after a checkpoint.
    `pragma journal_size_limit = ${LOG_PAGES * 8_192}`,
  ];
}

function openReader(path: string, busyTimeoutMs: number): Database {
  const reader = new Database(path, { readonly: true });
  reader.run(`pragma busy_timeout = ${busyTimeoutMs}`);
  return reader;
}

/** Reads synchronously: admission must not wait. */
function accountLoader(
  db: Kysely<Tables>,
  reader: Database,
): (id: AccountId) => Account | undefined {
  const { sql } = db.selectFrom("accounts").selectAll().where("id", "=", "user:0").compile();
  return (id) => {
    const row = reader.query<Tables["accounts"], [string]>(sql).get(id);
    return row === null ? undefined : toAccount(row);
  };
}

/** Reads a budget synchronously, once for every period of it. */
function budgetFinder(
  db: Kysely<Tables>,
  reader: Database,
): (budget: Budget) => Pick<BudgetTerms, "amount" | "raises"> {
  const { sql } = db.selectFrom("budgets").selectAll().where("owner", "=", "user:0").compile();
  return (budget) => {
    const row = reader.query<Tables["budgets"], [string]>(sql).get(budget.owner);
    return readTerms(row?.terms)[budget.period] ?? budget;
  };
}

async function register(db: Kysely<Tables>, instance: string, now: number): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await transaction.deleteFrom("instances").execute();
    await transaction.insertInto("instances").values({ id: instance, seen_at: now }).execute();
  });
}
