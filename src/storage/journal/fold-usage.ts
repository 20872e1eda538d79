import { sql, type Kysely, type RawBuilder, type Transaction } from "kysely";
import type { Tables } from "../tables.ts";
import {
  DAY_MS,
  DIMENSIONS,
  HOUR_MS,
  OWNER_DIMENSIONS,
  TOTAL_DIMENSIONS,
  totalColumn,
} from "../tables/usage-hours.ts";
import { addSums, namedAs } from "./add-sums.ts";
import { USAGE_MARK } from "./usage-mark.ts";
import { readWatermark, setWatermark, takeWatermark } from "./watermark.ts";

/** Key in `meta`: the hours before this one (Unix ms) are in the sums of days, and in totals. */
export const FOLDED_MARK = "usage_folded";
/** Most calls of an hour end within this time after it; later ones are added by themselves. */
const WAIT_MS = 300_000;

/**
 * Adds the next hour to the sums of days and to the totals, if it has ended; false if none has.
 * Adding hours instead of calls takes a fraction of the work.
 */
export async function foldHour(db: Kysely<Tables>, now: number): Promise<boolean> {
  const ended = now - WAIT_MS - HOUR_MS;
  if ((await nextHour(db, await readWatermark(db, FOLDED_MARK), ended)) === undefined) return false;
  return await db.transaction().execute(async (transaction) => {
    // The same lock as that of sums, which add late calls up to the mark.
    await takeWatermark(transaction, USAGE_MARK);
    const folded = await takeWatermark(transaction, FOLDED_MARK);
    const hour = await nextHour(transaction, folded, ended);
    if (hour === undefined) return false;
    const of = (table: "usage_hours" | "usage_labels") =>
      sql`select * from ${sql.table(table)} where hour = ${hour}`;
    await addToRollups(transaction, of("usage_hours"));
    await addToLabelDays(transaction, of("usage_labels"));
    await setWatermark(transaction, FOLDED_MARK, hour + HOUR_MS);
    return true;
  });
}

/**
 * Adds the calls of hours that are in the sums of days already. `firstAt`: Unix ms of the earliest
 * call.
 */
export async function addLate(
  transaction: Transaction<Tables>,
  firstAt: number,
  calls: RawBuilder<unknown>,
  labelled: RawBuilder<unknown> | undefined,
): Promise<void> {
  const folded = await readWatermark(transaction, FOLDED_MARK);
  if (firstAt - (firstAt % HOUR_MS) >= folded) return;
  const late = (source: RawBuilder<unknown>) =>
    sql`select * from (${source}) as summed where hour < ${folded}`;
  await addToRollups(transaction, late(calls));
  if (labelled !== undefined) await addToLabelDays(transaction, late(labelled));
}

async function nextHour(
  db: Kysely<Tables>,
  from: number,
  until: number,
): Promise<number | undefined> {
  const next = db.selectFrom("usage_hours").select("hour").where("hour", ">=", from);
  const row = await next.where("hour", "<=", until).orderBy("hour").limit(1).executeTakeFirst();
  return row?.hour;
}

const DAY = sql`hour - hour % ${sql.lit(DAY_MS)}`;
const OTHERS = namedAs(DIMENSIONS.slice(1));
const OWNERS = namedAs(OWNER_DIMENSIONS);

async function addToRollups(
  transaction: Transaction<Tables>,
  source: RawBuilder<unknown>,
): Promise<void> {
  await addSums(transaction, "usage_days", { day: DAY, ...OTHERS }, source);
  for (const dimension of TOTAL_DIMENSIONS) {
    const isId = totalColumn(dimension) === "id";
    const key = {
      dimension: sql.lit(dimension),
      hour: sql.ref("hour"),
      id: isId ? sql.ref(dimension) : sql.lit(0),
      name: isId ? sql.lit("") : sql.ref(dimension),
    };
    await addSums(transaction, "usage_totals", key, source);
  }
}

async function addToLabelDays(
  transaction: Transaction<Tables>,
  source: RawBuilder<unknown>,
): Promise<void> {
  const key = { day: DAY, label: sql.ref("label") };
  await addSums(transaction, "usage_label_days", { ...key, ...OTHERS }, source);
  await addSums(transaction, "usage_label_owners", { ...key, ...OWNERS }, source);
}
