import type { Kysely } from "kysely";
import type { AccountId, OwnerId } from "#core/key.ts";
import type { Ledger } from "#core/ledger.ts";
import { nanoUsd, type NanoUsd } from "#core/money.ts";
import type { ListedKey, UserKeys } from "#core/user-keys.ts";
import type { Clock } from "#lib/clock.ts";
import { readBudgetStatuses, type BudgetStatusDeps } from "../accounts/budget-statuses.ts";
import { changeBudgets } from "../accounts/budgets.ts";
import type { Grants, GrantTransaction } from "../accounts/grants.ts";
import { spendOfKeys } from "../journal/spend.ts";
import { taken } from "./key-taken.ts";
import { createRotation } from "./rotation.ts";
import { selectKeys, type OpenKeyStore } from "./keys.ts";
import type { Tables } from "../tables.ts";
import { deletedKey, keyColumns, toListedKey, type KeyRow } from "../tables/keys.ts";
import { isUniqueViolation } from "../database/unique.ts";

export interface UserKeysDeps {
  readonly db: Kysely<Tables>;
  readonly grants: Grants;
  readonly keys: Pick<OpenKeyStore, "changed" | "digestOf">;
  readonly clock: Clock;
  readonly ledger: Pick<Ledger, "findAccounts">;
  /** The configuration file gives the key its secret. */
  isOfFile(id: number): boolean;
}

const BY_OWNER = "changed by its owner";
/** Both engines limit the parameters of a statement. */
const MAX_AT_ONCE = 1_000;

/** Every query filters by owner, so another user's key counts as missing. */
export function createUserKeys(deps: UserKeysDeps): Omit<UserKeys, "create" | "setContentLog"> {
  const { db, grants, keys, clock } = deps;
  return {
    async page(userId, offset, limit) {
      const items = await selectKeys(db)
        .where("keys.user_id", "=", userId)
        .where("keys.deleted_at", "is", null)
        .orderBy("keys.id", "desc")
        .limit(Math.min(limit, MAX_AT_ONCE))
        .offset(offset)
        .execute();
      const { total } = await db
        .selectFrom("keys")
        .select(({ fn, cast }) => cast<number>(fn.countAll(), "bigint").as("total"))
        .where("user_id", "=", userId)
        .where("deleted_at", "is", null)
        .executeTakeFirstOrThrow();
      return { items: await listedKeys(items, deps), total };
    },

    findOwn,

    ...createRotation(deps, findOwn),

    async update(userId, id, { quota, budgets = {}, status, ...change }) {
      const columns = { ...keyColumns(change), ...(status === undefined ? {} : { status }) };
      try {
        await grants.transaction(async (transaction) => {
          const found = await transaction.db
            .updateTable("keys")
            .set(({ ref }) => ({ status: ref("status"), ...columns }))
            .where("id", "=", id)
            .where("user_id", "=", userId)
            .where("deleted_at", "is", null)
            .returning("id")
            .executeTakeFirst();
          if (found === undefined) return;
          await setQuota(transaction, id, quota, BY_OWNER);
          await changeBudgets(transaction, `key:${id}`, budgets, BY_OWNER, clock.now());
        });
      } catch (cause) {
        throw isUniqueViolation(cause) ? taken(change.name ?? "", cause) : cause;
      } finally {
        // Also after an error: the change may have been committed without our knowledge.
        await keys.changed([id]);
      }
      return await findOwn(userId, id);
    },

    async deleteOwn(userId, ids) {
      const wanted = ids.slice(0, MAX_AT_ONCE);
      if (wanted.length === 0) return [];
      try {
        const rows = await db
          .updateTable("keys")
          .set(deletedKey(clock.now()))
          .where("id", "in", wanted)
          .where("user_id", "=", userId)
          .where("deleted_at", "is", null)
          .returning("id")
          .execute();
        return rows.map(({ id }) => id);
      } finally {
        await keys.changed(wanted);
      }
    },
  };

  async function findOwn(userId: number, id: number): Promise<ListedKey | undefined> {
    const row = await selectKeys(db)
      .where("keys.id", "=", id)
      .where("keys.user_id", "=", userId)
      .where("keys.deleted_at", "is", null)
      .executeTakeFirst();
    return row && (await listedKeys([row], deps))[0];
  }
}

const NO_SPEND = { day: nanoUsd(0), month: nanoUsd(0), total: nanoUsd(0) };

/** With the budgets and the spending of all keys, in a few queries. */
export async function listedKeys(
  rows: readonly KeyRow[],
  deps: BudgetStatusDeps,
): Promise<readonly ListedKey[]> {
  const budgeted = rows.filter((row) => row.key_terms !== null);
  const statuses = await readBudgetStatuses(
    deps,
    budgeted.map(({ id }): OwnerId => `key:${id}`),
  );
  const ids = rows.map(({ id }) => id);
  const spends = await spendOfKeys(deps.db, ids, deps.clock.now());
  return rows.map((row) => {
    const { total, ...spend } = spends.get(row.id) ?? NO_SPEND;
    const listed = toListedKey(row, statuses.get(`key:${row.id}`) ?? [], spend);
    // A key without a quota has no account.
    return listed.quota === null ? { ...listed, used: total } : listed;
  });
}

/** Writes only changed quotas, so that a key without a quota gets no account. */
export async function setQuota(
  { db, grant }: GrantTransaction,
  keyId: number,
  quota: NanoUsd | null | undefined,
  note: string,
): Promise<void> {
  if (quota === undefined) return;
  const id: AccountId = `key:${keyId}`;
  const account = await db
    .selectFrom("accounts")
    .select("granted")
    .where("id", "=", id)
    .executeTakeFirst();
  if ((account?.granted ?? null) !== quota) await grant(id, quota, note);
}
