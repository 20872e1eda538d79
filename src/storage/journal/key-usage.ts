import type { Kysely } from "kysely";
import { nanoUsd, type NanoUsd } from "#core/money.ts";
import type { Tables } from "../tables.ts";
import { USAGE_MARK } from "./usage-mark.ts";
import { readWatermark } from "./watermark.ts";

/** Calls after the last aggregated one that are added. */
const MAX_PENDING = 20_000;
const MAX_TRIES = 3;

/**
 * The cost of all calls with these keys, with or without a quota; 0 for other keys. Reads again if calls
 * move from the journal to the sums meanwhile.
 */
export async function spentByKeys(
  db: Kysely<Tables>,
  ids: readonly number[],
): Promise<(id: number) => NanoUsd> {
  if (ids.length === 0) return () => nanoUsd(0);
  const read = async () => {
    const mark = await readWatermark(db, USAGE_MARK);
    const pending = db
      .selectFrom("calls")
      .select(["key_id", "cost"])
      .where("seq", ">", mark)
      .orderBy("seq")
      .limit(MAX_PENDING);
    const rows = await db
      .selectFrom(pending.as("pending"))
      .select(({ fn }) => ["key_id", fn.sum<number>("cost").as("cost")])
      .where("key_id", "in", ids)
      .groupBy("key_id")
      .execute();
    const sums = await db
      .selectFrom("key_usage")
      .select(["key_id", "cost"])
      .where("key_id", "in", ids)
      .execute();
    const isStable = (await readWatermark(db, USAGE_MARK)) === mark;
    return { rows: [...rows, ...sums], isStable };
  };
  let found = await read();
  for (let tries = 1; !found.isStable && tries < MAX_TRIES; tries++) found = await read();
  const spent = new Map<number, number>();
  for (const { key_id: id, cost } of found.rows) spent.set(id, (spent.get(id) ?? 0) + Number(cost));
  return (id) => nanoUsd(Math.min(spent.get(id) ?? 0, Number.MAX_SAFE_INTEGER));
}
