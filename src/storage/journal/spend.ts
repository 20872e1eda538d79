import { sql, type Kysely, type RawBuilder } from "kysely";
import { periodStart } from "#core/budget.ts";
import { MAX_NANO_USD, nanoUsd, type NanoUsd } from "#core/money.ts";
import type { Spend, SpendReports } from "#core/spend.ts";
import type { Tables } from "../tables.ts";
import { DAY_MS } from "../tables/usage-hours.ts";
import { FOLDED_MARK } from "./fold-usage.ts";
import { USAGE_MARK } from "./usage-mark.ts";

/**
 * One statement, so that a call that moves from the journal to the sums is
 * counted once.
 */
export function createSpendReports(db: Kysely<Tables>): SpendReports {
  return {
    async spend(by, ids, now) {
      if (ids.length === 0) return new Map();
      const month = periodStart("month", now);
      const day = periodStart("day", now);
      const { of, isOne } = OWNERS[by](ids);
      const { rows } = await sql<Row>`select id,
          cast(sum(case when day >= ${day} then cost else 0 end) as double precision) as day,
          cast(sum(cost) as double precision) as month
        from (
          ${ofSums(of, isOne, month)}
          union all
          select ${of} as id, at - at % ${sql.lit(DAY_MS)} as day, cost from calls
          where ${WAITING} and at >= ${month} and ${isOne}
        ) as used group by id`.execute(db);
      return new Map(rows.map((row): [number, Spend] => [Number(row.id), spendOf(row)]));
    },
  };
}

/** With the cost of all calls of a key, which are read once for the three sums. */
export async function spendOfKeys(
  db: Kysely<Tables>,
  ids: readonly number[],
  now: number,
): Promise<ReadonlyMap<number, Spend & { readonly total: NanoUsd }>> {
  if (ids.length === 0) return new Map();
  const month = periodStart("month", now);
  const day = periodStart("day", now);
  const { of, isOne } = OWNERS.key(ids);
  const { rows } = await sql<Row & { readonly total: number }>`select id,
      cast(sum(case when day >= ${day} then cost else 0 end) as double precision) as day,
      cast(sum(case when day >= ${month} then cost else 0 end) as double precision) as month,
      cast(sum(total) as double precision) as total
    from (
      select id, day, cost, 0 as total from (${ofSums(of, isOne, month)}) as summed
      union all
      select ${of} as id, at - at % ${sql.lit(DAY_MS)} as day, cost, cost as total from calls
      where ${WAITING} and ${isOne}
      union all
      select ${of} as id, 0 as day, 0 as cost, cost as total from key_usage where ${isOne}
    ) as used group by id`.execute(db);
  return new Map(
    rows.map((row) => [Number(row.id), { ...spendOf(row), total: amountOf(row.total) }]),
  );
}

/** Of the calls that are summed, since the begin of the month. */
function ofSums(of: RawBuilder<unknown>, isOne: RawBuilder<unknown>, month: number) {
  return sql`select ${of} as id, day, cost from usage_days where day >= ${month} and ${isOne}
    union all
    select ${of} as id, hour - hour % ${sql.lit(DAY_MS)} as day, cost from usage_hours
    where hour >= ${markOf(FOLDED_MARK)} and hour >= ${month} and ${isOne}`;
}

interface Row {
  readonly id: number;
  readonly day: number;
  readonly month: number;
}

function markOf(key: string): RawBuilder<number> {
  return sql`coalesce((select cast(value as bigint) from meta where key = ${sql.lit(key)}), 0)`;
}

/** Lists are read often: they add up the calls of the last seconds, not all if their job fails. */
const MAX_WAITING_CALLS = 20_000;
const WAITING = sql`seq > ${markOf(USAGE_MARK)}
  and seq <= ${markOf(USAGE_MARK)} + ${sql.lit(MAX_WAITING_CALLS)}`;

const TEAM_OF_USER = sql`(select team_id from users where users.id = user_id)`;

/** The owner of a row, and the condition that it is one of the ids. */
const OWNERS: Readonly<
  Record<
    Parameters<SpendReports["spend"]>[0],
    (ids: readonly number[]) => {
      readonly of: RawBuilder<unknown>;
      readonly isOne: RawBuilder<unknown>;
    }
  >
> = {
  key: (ids) => ({ of: sql`key_id`, isOne: sql`key_id in (${sql.join(ids)})` }),
  user: (ids) => ({ of: sql`user_id`, isOne: sql`user_id in (${sql.join(ids)})` }),
  // Of the users who are members now.
  team: (ids) => ({
    of: TEAM_OF_USER,
    isOne: sql`user_id in (select id from users where team_id in (${sql.join(ids)}))`,
  }),
};

function spendOf({ day, month }: Row): Spend {
  return { day: amountOf(day), month: amountOf(month) };
}

function amountOf(cost: number): NanoUsd {
  return nanoUsd(Math.min(Math.round(cost), MAX_NANO_USD));
}
