import assert from "node:assert";
import { sql, type Kysely } from "kysely";
import { outOfQuota, periodAccounts } from "#core/budget.ts";
import { GatewayError } from "#core/error.ts";
import type { AccountId } from "#core/key.ts";
import type { Account } from "#core/ledger.ts";
import { nanoUsd } from "#core/money.ts";
import type { Clock } from "#lib/clock.ts";
import { openCheckpoints } from "../accounts/checkpoints.ts";
import type { EngineLedger } from "../database/engine.ts";
import type { Group } from "../accounts/group-commit.ts";
import type { StorageLimits } from "../limits.ts";
import type { Tables } from "../tables.ts";
import { toAccount, toAccountColumns } from "../tables/accounts.ts";
import { LASTING, toOpenHold } from "../tables/holds.ts";
import { isOrphan } from "../accounts/orphans.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type {
  CloseOperation,
  HoldOperation,
  KnownHold,
  Operation,
  PostgresWrite,
} from "./operation.ts";

interface PostgresLedgerDeps {
  readonly db: Kysely<Tables>;
  readonly group: Group<PostgresWrite>;
  readonly heartbeat: Pick<Heartbeat, "isAbandoned">;
  readonly instance: string;
  readonly clock: Clock;
  readonly limits: StorageLimits;
  /** Monotonic time of the last commit. */
  readonly committedAt: () => number;
}

/** A call waits at most this many times `holdTimeoutMs` for a database that is only slow. */
const SLOW_FACTOR = 2;
/** Accounts in one query. */
const MAX_ASKED = 1_000;

/** A hold that this process opened and has not closed. */
export interface OwnHold extends KnownHold {
  readonly admitted: Promise<void>;
  /** Of a task, which any instance may close. */
  isLasting?: true;
}

/**
 * The ledger of gateways that share a database: all decisions are made in the
 * database, under locks.
 */
export function openPostgresLedger(
  deps: PostgresLedgerDeps,
  own: Map<string, OwnHold>,
): EngineLedger & { close(): void } {
  const { db, group, clock, limits } = deps;
  const closing = new Set<string>();
  const checkpoints = openCheckpoints(limits.checkpointMs, (noted) => {
    committed({ type: "checkpoints", noted }, true).catch(() => {});
  });

  return {
    async hold(request) {
      assert(request.amount >= 0, "A hold is never negative.");
      let hold = own.get(request.callId);
      if (hold === undefined) {
        group.assertOpen();
        const { accounts, budgets = [] } = request;
        const at = clock.now();
        const periods = periodAccounts(budgets, at);
        const columns = toAccountColumns([...accounts, ...periods.map(({ id }) => id)]);
        const { amount } = request;
        const admitted = admit({ type: "hold", request, columns, periods, at });
        hold = { columns, amount, admitted };
        if (request.isLasting === true) hold.isLasting = true;
        own.set(request.callId, hold);
      }
      await hold.admitted;
      return { durable: hold.admitted };
    },

    async extend(callId, amount) {
      assert(amount >= 0, "A hold can only be extended.");
      group.assertOpen();
      return committed({ type: "extend", callId, amount }, true, (isExtended) => {
        const hold = own.get(callId);
        if (isExtended && hold !== undefined) hold.amount += amount;
      });
    },

    checkpoint(callId, delivered, context) {
      if (own.has(callId)) checkpoints.note(callId, delivered, context);
    },

    settle: (callId, cost, record) => close({ kind: "settle", callId, cost, record }),
    void: (callId, record) => close({ kind: "void", callId, cost: nanoUsd(0), record }),

    async findAccount(id) {
      const row = await accountRow(db, id);
      return row && toAccount(row);
    },

    async findAccounts(ids) {
      const found = new Map<AccountId, Account>();
      for (let i = 0; i < ids.length; i += MAX_ASKED) {
        const rows = await db
          .selectFrom("accounts")
          .selectAll()
          .where("id", "in", ids.slice(i, i + MAX_ASKED))
          .execute();
        for (const row of rows) found.set(row.id, toAccount(row));
      }
      return found;
    },

    async listAbandoned() {
      const rows = await db
        .selectFrom("holds")
        .leftJoin("instances", "instances.id", "holds.instance")
        .selectAll("holds")
        .where("holds.instance", "!=", deps.instance)
        .where((hold) =>
          hold.or([
            hold.and([
              hold("holds.instance", "!=", LASTING),
              deps.heartbeat.isAbandoned(sql.ref("instances.seen_at")),
            ]),
            isOrphan(hold, clock.now()),
          ]),
        )
        .orderBy("call_id")
        .execute();
      return rows.map(toOpenHold);
    },

    close: () => checkpoints.close(),
  };

  function admit(operation: HoldOperation): Promise<void> {
    const { request } = operation;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const give = (error: GatewayError): void => {
      clearTimeout(timer);
      own.delete(request.callId);
      reject(error);
    };
    const askedAt = clock.monotonic();
    const giveUpOrWait = (): void => {
      const waitMs = remainingMs(askedAt);
      if (waitMs > 0) {
        timer = setTimeout(giveUpOrWait, waitMs);
        return;
      }
      operation.isAbandoned = true;
      give(new GatewayError("unavailable", "The gateway's database did not answer in time."));
    };
    let timer = setTimeout(giveUpOrWait, limits.holdTimeoutMs);

    const write: PostgresWrite = {
      operation,
      isRefusable: true,
      wasTried: false,
      outcome: false,
      done() {
        if (operation.isAbandoned) {
          if (write.outcome) {
            rollback(request.callId, { columns: operation.columns, amount: request.amount });
          }
          return;
        }
        if (!write.outcome) return give(outOfQuota(operation.short, request.budgets, operation.at));
        clearTimeout(timer);
        resolve();
      },
      refuse(cause) {
        // A transaction with an unknown result may have created the hold.
        if (write.wasTried && cause.code === "unavailable") rollback(request.callId);
        if (!operation.isAbandoned) give(cause);
      },
    };
    group.add(write);
    return promise;
  }

  /** A database that commits other calls is not silent: many calls wait in its queue. */
  function remainingMs(askedAt: number): number {
    const { holdTimeoutMs } = limits;
    const end = Math.min(deps.committedAt(), askedAt + (SLOW_FACTOR - 1) * holdTimeoutMs);
    return end + holdTimeoutMs - clock.monotonic();
  }

  /** `hold` is given if it is known to exist. */
  function rollback(callId: string, hold?: KnownHold): void {
    const nothing = { kind: "void", cost: nanoUsd(0), record: null } as const;
    committed(
      { type: "close", callId, at: clock.now(), ...nothing, ...(hold && { hold }) },
      false,
    ).catch(() => {});
  }

  async function close(request: Omit<CloseOperation, "type" | "at">): Promise<boolean> {
    assert(request.cost >= 0, "A cost is never negative.");
    const { callId } = request;
    if (closing.has(callId)) return false;
    closing.add(callId);
    checkpoints.forget(callId);
    const hold = own.get(callId);
    try {
      const at = clock.now();
      const isClosed = await committed(
        { type: "close", at, ...request, ...(hold && { hold }) },
        false,
      );
      if (!isClosed) await correct(request, hold, at);
      return isClosed;
    } finally {
      closing.delete(callId);
      own.delete(callId);
    }
  }

  /** While this process stood still, another one took it for dead and closed its hold. */
  async function correct(
    { kind, callId, cost, record }: Omit<CloseOperation, "type" | "at">,
    hold: OwnHold | undefined,
    at: number,
  ): Promise<void> {
    if (hold === undefined || hold.isLasting === true || record === null) return;
    const { columns } = hold;
    await committed({ type: "correct", kind, callId, columns, cost, at, record }, false);
  }

  function committed(
    operation: Operation,
    isRefusable: boolean,
    onDone?: (outcome: boolean) => void,
  ): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const write: PostgresWrite = {
      operation,
      isRefusable,
      wasTried: false,
      outcome: false,
      done() {
        onDone?.(write.outcome);
        resolve(write.outcome);
      },
      refuse: reject,
    };
    group.add(write);
    return promise;
  }
}

function accountRow(db: Kysely<Tables>, id: AccountId): Promise<Tables["accounts"] | undefined> {
  return db.selectFrom("accounts").selectAll().where("id", "=", id).executeTakeFirst();
}
