import type { Kysely, Transaction } from "kysely";
import type { Tables } from "../tables.ts";

/** The number of the last call that a job has read; `mark` is its key in `meta`. */
export async function readWatermark(db: Kysely<Tables>, mark: string): Promise<number> {
  const row = await db
    .selectFrom("meta")
    .select("value")
    .where("key", "=", mark)
    .executeTakeFirst();
  return Number(row?.value ?? 0);
}

/** Written even if unchanged: the write locks the row until the transaction ends. */
export async function takeWatermark(
  transaction: Transaction<Tables>,
  mark: string,
): Promise<number> {
  const { value } = await transaction
    .insertInto("meta")
    .values({ key: mark, value: "0" })
    .onConflict((conflict) =>
      conflict.column("key").doUpdateSet((row) => ({ value: row.ref("meta.value") })),
    )
    .returning("value")
    .executeTakeFirstOrThrow();
  return Number(value);
}

export async function setWatermark(
  transaction: Transaction<Tables>,
  mark: string,
  last: number,
): Promise<void> {
  await transaction
    .updateTable("meta")
    .set({ value: String(last) })
    .where("key", "=", mark)
    .execute();
}
