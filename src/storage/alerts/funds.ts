import { sql, type Kysely } from "kysely";
import type { FundsReader, UsedFunds } from "#core/alert.ts";
import { budgetsIn, periodAccounts } from "#core/budget.ts";
import { GATEWAY_OWNER, type Budget, type OwnerId } from "#core/key.ts";
import type { Clock } from "#lib/clock.ts";
import type { Tables } from "../tables.ts";
import { readTerms } from "../tables/budgets.ts";

interface Used {
  readonly owner: OwnerId;
  readonly spent: number;
  readonly limit: number;
}

export function createFundsReader(db: Kysely<Tables>, clock: Clock): FundsReader {
  return {
    async budgets(share, limit) {
      const used = await usedBudgets(db, clock.now(), share);
      const names = await namesOf(db, used);
      const found = used.map(({ owner, ...rest }): UsedFunds => ({
        ...rest,
        owner: names.get(owner) ?? owner,
      }));
      return fullestFirst(found).slice(0, limit);
    },

    async quotas(share, limit) {
      const used: Used[] = [];
      for (const kind of ["user", "key", "team"] as const) {
        used.push(...(await usedQuotas(db, kind, share, limit)));
      }
      const names = await namesOf(db, used);
      const found = used.map(({ owner, spent, limit: most }): UsedFunds => ({
        account: owner,
        owner: names.get(owner) ?? owner,
        period: "quota",
        spent,
        limit: most,
      }));
      return fullestFirst(found).slice(0, limit);
    },
  };
}

function fullestFirst(all: readonly UsedFunds[]): readonly UsedFunds[] {
  const shareOf = ({ spent, limit }: UsedFunds): number => (limit === 0 ? 1 : spent / limit);
  return all.toSorted((one, other) => shareOf(other) - shareOf(one));
}

const BATCH = 500;
const MAX_BUDGETS = 50_000;

/** Each period has an account of its own; the id names its begin. */
async function usedBudgets(
  db: Kysely<Tables>,
  now: number,
  share: number,
): Promise<readonly (Used & Pick<UsedFunds, "account" | "period">)[]> {
  const rows = await db
    .selectFrom("budgets")
    .selectAll()
    .where("terms", "!=", "{}")
    .limit(MAX_BUDGETS)
    .execute();
  const budgets = rows.flatMap(({ owner, terms }) => budgetsIn(owner, readTerms(terms)));
  const accounts = periodAccounts(budgets, now);
  const found: (Used & Pick<UsedFunds, "account" | "period">)[] = [];
  for (let at = 0; at < accounts.length; at += BATCH) {
    const batch = new Map(accounts.slice(at, at + BATCH).map(({ id, budget }) => [id, budget]));
    const spent = await db
      .selectFrom("accounts")
      .select(["id", "spent"])
      .where("id", "in", [...batch.keys()])
      .execute();
    for (const row of spent) {
      const budget = batch.get(row.id);
      const limit = budget === undefined ? undefined : boundOf(budget, now);
      if (budget === undefined || limit === undefined || row.spent < limit * share) continue;
      const { owner, period } = budget;
      found.push({ account: row.id, owner, period, spent: Number(row.spent), limit });
    }
  }
  return found;
}

/** With its raises; a budget that only warns has its warning as bound. */
function boundOf({ amount, warn, raises = [] }: Budget, now: number): number | undefined {
  if (amount === null) return warn;
  const raised = raises.filter(({ until }) => until > now);
  return raised.reduce((sum, each) => sum + each.amount, Number(amount));
}

const OWNERS = { user: "users", key: "keys", team: "teams" } as const;

/** A whole number: the engines treat fractions as parameters differently. */
function percentOf(share: number) {
  return sql.lit(Math.round(share * 100));
}

async function usedQuotas(
  db: Kysely<Tables>,
  kind: keyof typeof OWNERS,
  share: number,
  limit: number,
): Promise<readonly Used[]> {
  const owners = OWNERS[kind];
  const isDeleted = kind === "team" ? sql`1 = 0` : sql`owners.deleted_at is not null`;
  const { rows } = await sql<{ id: number; spent: number; granted: number }>`
    select owners.id, accounts.spent, accounts.granted
    from ${sql.table(owners)} as owners
    join accounts on accounts.id = ${sql.lit(`${kind}:`)} || owners.id
    where accounts.granted is not null and accounts.spent * 100 >= accounts.granted * ${percentOf(share)}
      and not (${isDeleted})
    limit ${limit}`.execute(db);
  return rows.map(({ id, spent, granted }) => ({
    owner: `${kind}:${Number(id)}` as const,
    spent: Number(spent),
    limit: Number(granted),
  }));
}

async function namesOf(
  db: Kysely<Tables>,
  used: readonly Used[],
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>([[GATEWAY_OWNER, "the gateway"]]);
  const ids = (kind: string): readonly number[] => [
    0,
    ...used.flatMap(({ owner }) => {
      const [of, id] = owner.split(":");
      return of === kind ? [Number(id)] : [];
    }),
  ];
  const teams = db.selectFrom("teams").select(["id", "name"]).where("id", "in", ids("team"));
  for (const { id, name } of await teams.execute()) names.set(`team:${id}`, `team ${name}`);
  const users = db.selectFrom("users").select(["id", "name"]).where("id", "in", ids("user"));
  for (const { id, name } of await users.execute()) names.set(`user:${id}`, `user ${name}`);
  const keys = db
    .selectFrom("keys")
    .innerJoin("users", "users.id", "keys.user_id")
    .select(["keys.id", "keys.name", "users.name as user"])
    .where("keys.id", "in", ids("key"));
  for (const { id, name, user } of await keys.execute()) {
    names.set(`key:${id}`, `key ${name} of user ${user}`);
  }
  return names;
}
