import { setTimeout as sleep } from "node:timers/promises";
import { Kysely, sql } from "kysely";
import type { PoolClient } from "pg";
import type { GatewayError } from "#core/error.ts";
import type { Clock } from "#lib/clock.ts";
import { openJournal, type Engine, type EngineOptions } from "../database/engine.ts";
import type { StorageEvents } from "../limits.ts";
import { openGroup } from "../accounts/group-commit.ts";
import { migrate } from "../database/migrate.ts";
import type { Tables } from "../tables.ts";
import { emptyBatches } from "./batch-statement.ts";
import { findCallsEnd } from "./calls-end.ts";
import { commitWrites } from "./commit.ts";
import { correctCharge } from "./correct-charge.ts";
import { postgresDdl } from "./ddl.ts";
import { dialectOver } from "./dialect.ts";
import { isHopeless, judge } from "./failure.ts";
import { nowMs, startHeartbeat } from "./heartbeat.ts";
import { openPostgresLedger, type OwnHold } from "./ledger.ts";
import type { CorrectOperation, Operation, PostgresWrite } from "./operation.ts";
import { openPool } from "./pool.ts";
import { compileStatements } from "./statements.ts";

/** For all queries except the ledger's, which has its own connection. */
const MAX_CONNECTIONS = 8;
/**
 * The ledger's statements find rows by lists of keys, and join short lists.
 * Their plans are made once, while tables may be empty, so these settings keep
 * out plans that read whole tables or compare each row with each.
 */
const PLANS = `
  set plan_cache_mode = force_generic_plan;
  set enable_seqscan = off;
  set enable_nestloop = off`;
const KEY_TTL_MS = 1_000;
const BOOT_RETRY_MS = 500;

/** A database that several gateways share. */
export async function openPostgres(url: string, options: EngineOptions): Promise<Engine> {
  const { clock, limits, events, instance } = options;
  await using opened = new AsyncDisposableStack();
  const onError = (cause: unknown): void => events.onError(cause);

  const hadToWait = await prepareSchema(url, limits.bootTimeoutMs, clock, events);
  const shared = openPool(url, { max: MAX_CONNECTIONS, isBounded: true, onError });
  const db = opened.use(new Kysely<Tables>({ dialect: dialectOver(shared) }));
  const pool = openPool(url, { max: 1, isBounded: true, onError, setup: planBatches });
  opened.defer(() => pool.end());
  // The first call does not wait for a connection and its plans.
  await pool.query("select 1").catch(onError);
  const { leaseMs } = limits;
  const heartbeat = opened.use(
    await startHeartbeat({ db, instance, clock, leaseMs, hadToWait, onError }),
  );

  const own = new Map<string, OwnHold>();
  const lateSums = { maxLabels: limits.maxKeyLabels, linesOf };
  const deps = {
    pool,
    statements: compileStatements(db),
    instance,
    now: () => clock.now(),
    columnsOfHold: (callId: string) => own.get(callId)?.columns,
    correct: (closed: CorrectOperation) => correctCharge(db, closed, lateSums),
  };
  let committedAt = -Infinity;
  const group = openGroup<PostgresWrite>({
    inFlight: () => own.size,
    async commit(writes) {
      await commitWrites(writes, deps);
      committedAt = clock.monotonic();
    },
    judge,
    probe: () => writeOf({ type: "probe" }, true),
    clock,
    limits,
    events,
  });
  opened.defer(() => group.close());
  const ledger = openPostgresLedger(
    { db, group, heartbeat, instance, clock, limits, committedAt: () => committedAt },
    own,
  );
  opened.defer(() => ledger.close());

  const journal = openJournal(limits.maxQueuedRecords, (record, over) => {
    group.add(writeOf({ type: "record", record }, false, over, over));
  });

  const held = opened.move();
  return {
    db,
    ledger,
    journal,
    writes: group.stats,
    // No account is kept in memory.
    onGranted() {},
    keyTtlMs: KEY_TTL_MS,
    isAlive: (other) => heartbeat.isAlive(other),
    findCallsEnd: () => findCallsEnd(db),
    isSole: false,
    sharedNow: () => nowMs,
    linesOf,
    ping: () =>
      new Promise((resolve, reject) => {
        group.assertOpen();
        group.add(writeOf({ type: "probe" }, true, resolve, reject));
      }),
    close: () => held.disposeAsync(),
  };
}

const linesOf: Engine["linesOf"] = (text) =>
  sql`unnest(string_to_array(trim(both chr(10) from ${text}), chr(10))) as line(value)`;

/** Planning takes longer than a call, so that it comes before the first one. */
async function planBatches(client: PoolClient): Promise<void> {
  await Promise.all([
    client.query(PLANS),
    ...emptyBatches().map(({ name, text, values }) => client.query({ name, text, values })),
  ]);
}

function writeOf(
  operation: Operation,
  isRefusable: boolean,
  done: () => void = () => {},
  refuse: (cause: GatewayError) => void = () => {},
): PostgresWrite {
  return { operation, isRefusable, wasTried: false, outcome: false, done, refuse };
}

/**
 * Waits for a database that is still starting, then migrates it. Returns true
 * if it had to wait.
 */
async function prepareSchema(
  url: string,
  timeoutMs: number,
  clock: Clock,
  events: StorageEvents,
): Promise<boolean> {
  const onError = (cause: unknown): void => events.onError(cause);
  const pool = openPool(url, { max: 2, isBounded: false, onError });
  await using db = new Kysely<Tables>({ dialect: dialectOver(pool) });

  const deadline = clock.monotonic() + timeoutMs;
  let hadToWait = false;
  for (;;) {
    try {
      const client = await pool.connect();
      client.release();
      break;
    } catch (cause) {
      const message = `Cannot open PostgreSQL at ${placeIn(url)}: ${reasonOf(cause)}.`;
      if (isHopeless(cause) || clock.monotonic() + BOOT_RETRY_MS > deadline) {
        throw new Error(message, { cause });
      }
      if (!hadToWait) {
        const seconds = Math.round(timeoutMs / 1_000);
        events.onWait(`${message} Trying again for ${seconds} s.`);
      }
      hadToWait = true;
      await sleep(BOOT_RETRY_MS);
    }
  }
  await migrate(db, postgresDdl);
  return hadToWait;
}

/** Host and port only, because the URL contains a password. */
function placeIn(url: string): string {
  const { hostname, port, searchParams } = new URL(url);
  return `${hostname || (searchParams.get("host") ?? "localhost")}:${port || "5432"}`;
}

/** Several addresses of one host fail with different errors: the first is reported. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return reasonOf(cause.errors[0]);
  const said = cause instanceof Error ? cause.message : String(cause);
  return said.replace(/\.$/, "");
}
