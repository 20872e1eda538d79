import { sql, type Kysely } from "kysely";
import type { Ledger } from "#core/ledger.ts";
import type { GrantRecord, QuotaOwner, QuotaStore } from "#core/quota.ts";
import type { Clock } from "#lib/clock.ts";
import { ulid } from "#lib/ids.ts";
import { readBudgetStatuses } from "./budget-statuses.ts";
import { changeBudgets, endRaise, raiseBudget } from "./budgets.ts";
import type { Grants } from "./grants.ts";
import { keysOf, type OpenKeyStore } from "../keys/keys.ts";
import type { Tables } from "../tables.ts";

interface QuotaStoreDeps {
  readonly db: Kysely<Tables>;
  readonly grants: Grants;
  readonly ledger: Pick<Ledger, "findAccounts">;
  readonly keys: Pick<OpenKeyStore, "changed">;
  readonly clock: Clock;
}

const PAGE = 100;

export function createQuotaStore({ db, grants, ledger, keys, clock }: QuotaStoreDeps): QuotaStore {
  return {
    async set(owner, { quota, budgets = {} }, note) {
      try {
        await grants.transaction(async (transaction) => {
          if (quota !== undefined) await transaction.grant(owner, quota, note);
          await changeBudgets(transaction, owner, budgets, note, clock.now());
        });
      } finally {
        // Also after an error: the change may have been committed without our knowledge.
        if (Object.keys(budgets).length > 0) await keys.changed(await keysOf(db, owner));
      }
    },

    topUp: (owner, { amount, operation, note }) =>
      grants.transaction(({ add }) => add(owner, amount, `topup:${owner}:${operation}`, note)),

    budgets: async (owner) =>
      (await readBudgetStatuses({ db, ledger, clock }, [owner])).get(owner) ?? [],
    budgetsOf: (owners) => readBudgetStatuses({ db, ledger, clock }, owners),

    async raise(owner, { period, ...draft }) {
      const now = clock.now();
      const raise = { id: ulid(now), ...draft };
      try {
        await grants.transaction((on) => raiseBudget(on, owner, period, raise, now));
      } finally {
        await keys.changed(await keysOf(db, owner));
      }
      return raise;
    },

    async endRaise(owner, raiseId) {
      try {
        return await grants.transaction((on) => endRaise(on, owner, raiseId, clock.now()));
      } finally {
        await keys.changed(await keysOf(db, owner));
      }
    },

    async history(owner, { before, limit }) {
      let select = grantsOf(db, owner)
        .select(["op_id", "at", "granted_delta", "bound_delta", "note"])
        .orderBy("at", "desc")
        .orderBy("op_id", "desc")
        .limit(Math.min(limit, PAGE));
      if (before !== undefined) {
        const last = await grantsOf(db, owner)
          .select(["at", "op_id"])
          .where("op_id", "=", before)
          .executeTakeFirst();
        if (last === undefined) return [];
        select = select.where(({ eb, refTuple, tuple }) =>
          eb(refTuple("at", "op_id"), "<", tuple(last.at, last.op_id)),
        );
      }
      return (await select.execute()).map(toGrantRecord);
    },
  };
}

/** Written exactly like the index conditions, because otherwise the indexes are not used. */
function grantsOf(db: Kysely<Tables>, owner: QuotaOwner) {
  const isUser = owner.startsWith("user:");
  return db
    .selectFrom("ledger")
    .where("kind", "=", sql.lit("grant"))
    .where(isUser ? "user_account" : "more_accounts", "=", owner);
}

type GrantRow = Pick<Tables["ledger"], "op_id" | "at" | "granted_delta" | "bound_delta" | "note">;

function toGrantRecord(row: GrantRow): GrantRecord {
  return {
    id: row.op_id,
    at: row.at,
    amount: row.granted_delta,
    bound: row.bound_delta === 0 ? "kept" : row.bound_delta > 0 ? "given" : "taken",
    note: row.note,
  };
}
