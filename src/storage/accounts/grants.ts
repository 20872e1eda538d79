import type { Kysely } from "kysely";
import { GatewayError } from "#core/error.ts";
import type { AccountId } from "#core/key.ts";
import type { Raise } from "#core/budget.ts";
import { nanoUsd, type NanoUsd } from "#core/money.ts";
import type { Clock } from "#lib/clock.ts";
import { ulid } from "#lib/ids.ts";
import { inTransaction } from "../database/in-transaction.ts";
import type { Tables } from "../tables.ts";
import { toAccountColumns } from "../tables/accounts.ts";
import { writeRaises } from "../tables/budgets.ts";
import { grantChange, openingId } from "../tables/ledger.ts";

export interface GrantsDeps {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  /** Notifies an engine with accounts in memory about a committed change. */
  onGranted(id: AccountId, limit: ChangedLimit): void;
}

/** Absent members did not change. */
export interface ChangedLimit {
  readonly granted?: NanoUsd | null;
  readonly raises?: readonly Raise[];
}

/** Changes of spending limits, in one transaction with related changes. */
export interface Grants {
  transaction<T>(action: (transaction: GrantTransaction) => Promise<T>): Promise<T>;
}

export interface GrantTransaction {
  readonly db: Kysely<Tables>;
  /** `null` removes the limit. Creates the account if it does not exist. */
  grant(id: AccountId, granted: NanoUsd | null, note: string): Promise<void>;
  /**
   * Replaces the temporary raises of the limit. Opens the account with the
   * limit if it does not exist, so that no call opens it without them.
   */
  raise(
    id: AccountId,
    granted: NanoUsd | null,
    raises: readonly Raise[],
    note: string,
  ): Promise<void>;
  /** False if the operation was done before. Throws like `QuotaStore.topUp`. */
  add(id: AccountId, amount: NanoUsd, opId: string, note: string): Promise<boolean>;
}

export function createGrants({ db, clock, onGranted }: GrantsDeps): Grants {
  return {
    async transaction(action) {
      const changed = new Map<AccountId, ChangedLimit>();
      const result = await inTransaction(db, (transaction) => {
        async function write(grant: GrantRow): Promise<void> {
          const { id, granted } = grant;
          await transaction.updateTable("accounts").set({ granted }).where("id", "=", id).execute();
          await addGrant(transaction, grant);
          changed.set(id, { ...changed.get(id), granted });
        }

        return action({
          db: transaction,
          async grant(id, granted, note) {
            const at = clock.now();
            const { isNew, before } = await lockAccount(transaction, id);
            const opId = isNew ? openingId(id) : newGrantId(at);
            await write({ opId, id, before, granted, note, at });
          },
          async raise(id, granted, raises, note) {
            const { isNew, before } = await lockAccount(transaction, id);
            if (isNew) {
              await write({ opId: openingId(id), id, before, granted, note, at: clock.now() });
            }
            await transaction
              .updateTable("accounts")
              .set({ raises: writeRaises(raises) })
              .where("id", "=", id)
              .execute();
            changed.set(id, { ...changed.get(id), raises });
          },
          async add(id, amount, opId, note) {
            const { before } = await lockAccount(transaction, id);
            if (await wasAdded(transaction, opId, amount)) return false;
            const granted = sumOf(before, amount);
            await write({ opId, id, before, granted, note, at: clock.now() });
            return true;
          },
        });
      });
      for (const [id, limit] of changed) onGranted(id, limit);
      return result;
    },
  };
}

/** Locks the account until the transaction ends. */
async function lockAccount(
  db: Kysely<Tables>,
  id: AccountId,
): Promise<{ readonly isNew: boolean; readonly before: NanoUsd | null }> {
  const nothing = nanoUsd(0);
  const inserted = await db
    .insertInto("accounts")
    .values({ id, granted: null, spent: nothing, held: nothing })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  // An update with the same value locks the row on both engines.
  const { granted } = await db
    .updateTable("accounts")
    .set(({ ref }) => ({ granted: ref("granted") }))
    .where("id", "=", id)
    .returning("granted")
    .executeTakeFirstOrThrow();
  return { isNew: inserted !== undefined, before: granted };
}

async function wasAdded(db: Kysely<Tables>, opId: string, amount: NanoUsd): Promise<boolean> {
  const entry = await db
    .selectFrom("ledger")
    .select("granted_delta")
    .where("op_id", "=", opId)
    .executeTakeFirst();
  if (entry === undefined) return false;
  if (entry.granted_delta === amount) return true;
  throw new GatewayError(
    "key_reused",
    "This operation was already done with another amount. Use another key.",
  );
}

function sumOf(before: NanoUsd | null, amount: NanoUsd): NanoUsd {
  if (before === null) throw refused("The quota is unlimited. Set a quota before you change it.");
  const sum = before + amount;
  if (sum < 0) throw refused("The quota would become negative. Subtract less.");
  if (!Number.isSafeInteger(sum)) throw refused("The quota would exceed its maximum. Add less.");
  return nanoUsd(sum);
}

function refused(message: string): GatewayError {
  return new GatewayError("invalid_request", message);
}

interface GrantRow {
  /** Idempotency key of the operation. */
  readonly opId: string;
  readonly id: AccountId;
  readonly before: NanoUsd | null;
  readonly granted: NanoUsd | null;
  readonly note: string;
  /** Unix ms. */
  readonly at: number;
}

export function newGrantId(at: number): string {
  return `grant:${ulid(at)}`;
}

export async function addGrant(
  db: Kysely<Tables>,
  { opId, id, before, granted, note, at }: GrantRow,
): Promise<void> {
  const nothing = nanoUsd(0);
  const { grantedDelta, boundDelta } = grantChange(before, granted);
  const { user, key, more } = toAccountColumns([id]);
  await db
    .insertInto("ledger")
    .values({
      op_id: opId,
      kind: "grant",
      user_account: user,
      key_account: key,
      more_accounts: more,
      held_delta: nothing,
      spent_delta: nothing,
      granted_delta: nanoUsd(grantedDelta),
      bound_delta: boundDelta,
      note,
      at,
    })
    .execute();
}
