import { sql, type Kysely, type Transaction } from "kysely";
import type { AccountId } from "#core/key.ts";
import { MAX_NANO_USD } from "#core/money.ts";
import { replaceCall } from "../journal/replace-call.ts";
import type { LabelOptions } from "../journal/usage-sums.ts";
import type { Tables } from "../tables.ts";
import { idsOf } from "../tables/accounts.ts";
import { namesOf } from "../tables/columns.ts";
import { callEntry, LEDGER_COLUMNS } from "../tables/ledger.ts";
import type { CorrectOperation } from "./operation.ts";

/**
 * Charges the difference between the cost of a call and the amount for which another instance
 * closed its hold, and replaces the call's record. The difference is negative if the usage is
 * lower than the count at the last checkpoint. A hold that the database has lost, such as in a
 * fail-over without synchronous replication, is charged as a whole. Repeating it changes nothing.
 */
export async function correctCharge(
  db: Kysely<Tables>,
  { callId, kind, columns, cost, at, record }: CorrectOperation,
  labels: LabelOptions,
): Promise<void> {
  const accounts = idsOf(columns);
  await db.transaction().execute(async (transaction) => {
    await lock(transaction, accounts);
    const charged = await findCharges(transaction, callId);
    if (charged.some((entry) => entry.kind === "correct")) return;
    const [closed] = charged;
    const difference = cost - (closed?.spent_delta ?? 0);
    const entryKind = closed === undefined ? kind : "correct";
    const entry = callEntry(callId, entryKind, columns, 0, difference, at);
    const names = namesOf(LEDGER_COLUMNS).map((name) => sql.ref(name));
    await sql`insert into ledger (${sql.join(names)}) values (${sql.join(entry)})`.execute(
      transaction,
    );
    await charge(transaction, accounts, difference);
    await replaceCall(transaction, record, labels);
  });
}

/** In the order of ids, which all gateways use, to avoid deadlocks. */
async function lock(transaction: Transaction<Tables>, ids: readonly AccountId[]): Promise<void> {
  await transaction
    .selectFrom("accounts")
    .select("id")
    .where("id", "in", ids)
    .orderBy("id")
    .forUpdate()
    .execute();
}

async function findCharges(transaction: Transaction<Tables>, callId: string) {
  const ids = ["settle", "void", "correct"].map((kind) => `${callId}:${kind}`);
  return await transaction
    .selectFrom("ledger")
    .select(["kind", "spent_delta"])
    .where("op_id", "in", ids)
    .execute();
}

async function charge(
  transaction: Transaction<Tables>,
  ids: readonly AccountId[],
  difference: number,
): Promise<void> {
  await sql`update accounts
    set spent = least(spent + cast(${difference} as bigint), ${sql.lit(MAX_NANO_USD)})
    where id in (${sql.join(ids)})`.execute(transaction);
}
