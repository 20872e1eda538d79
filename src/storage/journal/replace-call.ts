import { sql, type Transaction } from "kysely";
import type { CallRecord } from "#core/call.ts";
import type { Tables } from "../tables.ts";
import { CALL_COLUMNS, callValues } from "../tables/calls.ts";
import { namesOf } from "../tables/columns.ts";
import { USAGE_MARK } from "./usage-mark.ts";
import { subtractCall, type LabelOptions } from "./usage-sums.ts";
import { takeWatermark } from "./watermark.ts";

/**
 * Writes a record in place of an earlier one of the same call. It gets a new number, because the
 * call ended later: jobs that follow the journal find it.
 */
export async function replaceCall(
  transaction: Transaction<Tables>,
  record: CallRecord,
  labels: LabelOptions,
): Promise<void> {
  // Keeps the job that sums calls waiting until this transaction has ended.
  const summedTo = await takeWatermark(transaction, USAGE_MARK);
  const earlier = await transaction
    .selectFrom("calls")
    .select(["seq", "at"])
    .where("id", "=", record.id)
    .executeTakeFirst();
  if (earlier !== undefined && earlier.seq <= summedTo) {
    await subtractCall(transaction, earlier, labels);
  }
  await transaction.deleteFrom("calls").where("id", "=", record.id).execute();
  const names = namesOf(CALL_COLUMNS).map((name) => sql.ref(name));
  await sql`insert into calls (${sql.join(names)})
    values (${sql.join(callValues(record))})`.execute(transaction);
}
