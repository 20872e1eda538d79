import type { QueryResultRow } from "pg";
import type { AccountId } from "#core/key.ts";
import { accountColumnsOf, idsOf, type AccountColumns } from "../tables/accounts.ts";
import type { BatchStatement } from "./batch-statement.ts";
import { encodeBatch } from "./encode-batch.ts";
import { decide, type Changes } from "./decide.ts";
import { isConflict, isStillGood, isUnprepared, judge } from "./failure.ts";
import type { CorrectOperation, PostgresWrite } from "./operation.ts";
import type { Connection, Statements } from "./statements.ts";

/** The part of `Pool` that a ledger needs. */
interface LedgerPool {
  connect(): Promise<LedgerClient>;
}

interface LedgerClient {
  query<Row extends QueryResultRow>(
    query: string | BatchStatement,
    values?: unknown[],
  ): Promise<{ rows: Row[] }>;
  release(error?: Error | boolean): void;
}

interface CommitDeps {
  readonly pool: LedgerPool;
  readonly statements: Statements;
  readonly instance: string;
  readonly now: () => number;
  /** The accounts of a hold that this process opened; they never change. */
  readonly columnsOfHold: (callId: string) => AccountColumns | undefined;
  /** May be repeated. */
  readonly correct: (operation: CorrectOperation) => Promise<void>;
}

const MAX_TRIES = 3;

/**
 * Runs many operations in one transaction. Usually that is one statement, which
 * is one round trip. If it cannot be, the writes are decided one by one.
 */
export async function commitWrites(
  writes: readonly PostgresWrite[],
  deps: CommitDeps,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      if (await applyAtOnce(writes, deps)) return;
      for (const { operation } of writes)
        if (operation.type === "correct") await deps.correct(operation);
      await inTransaction(deps.pool, (connection) => run(connection, writes, deps));
      return;
    } catch (error) {
      if (tries === MAX_TRIES || !isConflict(error)) {
        for (const write of writes) write.wasTried = true;
        throw error;
      }
    }
  }
}

/** False if the batch is not of the usual kind: nothing was written. */
async function applyAtOnce(
  writes: readonly PostgresWrite[],
  { pool, instance }: CommitDeps,
): Promise<boolean> {
  const batch = encodeBatch(writes, instance);
  if (batch === undefined) return false;
  const { name, text } = batch.statement;
  const client = await pool.connect();
  try {
    // The driver keeps the parameters in the object that it is given.
    const { rows } = await client.query<{ applied: boolean }>({ name, text }, batch.parameters);
    client.release();
    if (rows[0]?.applied !== true) return false;
  } catch (error) {
    client.release(!isStillGood(error));
    if (judge(error) === "bad" || isUnprepared(error)) return false;
    throw error;
  }
  batch.succeed();
  return true;
}

/**
 * Locks all accounts that the writes draw on, decides on the values it reads,
 * and writes all changes: one round trip each, plus the commit.
 */
async function run(
  connection: Connection,
  writes: readonly PostgresWrite[],
  deps: CommitDeps,
): Promise<void> {
  const { statements, instance } = deps;
  const callIds = writes.flatMap(({ operation }) =>
    operation.type === "extend" || operation.type === "close" ? [operation.callId] : [],
  );
  const retried = writes.flatMap(({ operation, wasTried }) =>
    operation.type === "close" && wasTried ? [`${operation.callId}:${operation.kind}`] : [],
  );
  const periods = writes.flatMap(({ operation }) =>
    operation.type === "hold" ? operation.periods : [],
  );
  const accountIds = await accountsOf(connection, writes, deps);

  const [opened, accounts, holds, entries] = await Promise.all([
    periods.length === 0 ? [] : statements.openAccounts(connection, periods),
    accountIds.length === 0 ? [] : statements.lockAccounts(connection, accountIds),
    callIds.length === 0 ? [] : statements.findHolds(connection, callIds),
    retried.length === 0 ? [] : statements.findEntries(connection, retried),
  ]);
  const changes = decide(
    writes,
    { opened, accounts, holds, entries },
    { instance, now: deps.now() },
  );
  await write(connection, changes, deps);
}

/** Holds of other processes are read first to find the accounts to lock. */
async function accountsOf(
  connection: Connection,
  writes: readonly PostgresWrite[],
  { statements, columnsOfHold }: CommitDeps,
): Promise<AccountId[]> {
  const ids = new Set<AccountId>();
  const add = (columns: AccountColumns): void => idsOf(columns).forEach((id) => ids.add(id));
  const unknown: string[] = [];

  for (const { operation } of writes) {
    if (operation.type === "hold") add(operation.columns);
    if (operation.type === "extend" || operation.type === "close") {
      const columns = columnsOfHold(operation.callId);
      if (columns === undefined) unknown.push(operation.callId);
      else add(columns);
    }
  }
  if (unknown.length > 0) {
    for (const hold of await statements.findHolds(connection, unknown)) {
      add(accountColumnsOf(hold));
    }
  }
  return [...ids];
}

async function write(
  connection: Connection,
  changes: Changes,
  { statements, now }: CommitDeps,
): Promise<void> {
  const { accounts, entries, holds, extended, closed, calls, checkpoints, hasProbe } = changes;
  await Promise.all([
    entries.length > 0 && statements.addEntries(connection, entries),
    holds.length > 0 && statements.addHolds(connection, holds),
    extended.length > 0 && statements.extendHolds(connection, extended),
    checkpoints.length > 0 && statements.checkpointHolds(connection, checkpoints),
    closed.length > 0 && statements.deleteHolds(connection, [...closed]),
    calls.length > 0 && statements.addCalls(connection, calls),
    accounts.length > 0 && statements.updateAccounts(connection, accounts),
    hasProbe && statements.probe(connection, String(now())),
  ]);
}

async function inTransaction(
  pool: LedgerPool,
  action: (connection: Connection) => Promise<void>,
): Promise<void> {
  const client = await pool.connect();
  try {
    // If it fails, the following statement on the same connection fails too.
    const begun = client.query("begin");
    await Promise.all([begun, action(client)]);
    await client.query("commit");
  } catch (error) {
    await releaseClient(client, error);
    throw error;
  }
  client.release();
}

/** A connection in an uncertain state is not reused. */
async function releaseClient(client: LedgerClient, error: unknown): Promise<void> {
  try {
    if (!isStillGood(error)) throw error;
    await client.query("rollback");
    client.release();
  } catch (cause) {
    client.release(cause instanceof Error ? cause : true);
  }
}
