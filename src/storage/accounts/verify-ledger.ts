import { sql, type Kysely, type RawBuilder } from "kysely";
import { MAX_NANO_USD } from "#core/money.ts";
import type { Tables } from "../tables.ts";

export interface Violation {
  /** The violated rule as a sentence. */
  readonly rule: string;
  /** The account or the call that violates it. */
  readonly subject: string;
}

const MAX_REPORTED = 1_000;
const ID_CHARS = "abcdefghijklmnopqrstuvwxyz0123456789:@-";

/**
 * Splits `more_accounts` into its account ids, one after the other. Both
 * engines support no other notation for splitting a text.
 */
const more = sql`
  with recursive parts as (
    select substr(more_accounts, 1, 0) as account, more_accounts as rest,
      held_delta, spent_delta, granted_delta, bound_delta
    from ledger where more_accounts is not null
    union all
    select substr(rest, 1, length(rest) - length(ltrim(rest, ${sql.lit(ID_CHARS)}))),
      ltrim(ltrim(rest, ${sql.lit(ID_CHARS)}), ' '),
      held_delta, spent_delta, granted_delta, bound_delta
    from parts where rest <> ''
  )
  select account, held_delta, spent_delta, granted_delta, bound_delta
    from parts where account <> ''`;

/** Every entry, once for each account it changes. */
const moves = sql`
  select user_account as account, held_delta, spent_delta, granted_delta, bound_delta
    from ledger where user_account is not null
  union all
  select key_account as account, held_delta, spent_delta, granted_delta, bound_delta
    from ledger where key_account is not null
  union all
  select * from (${more}) as others`;

/** Each rule with the query that finds its violations. */
const RULES: Readonly<Record<string, RawBuilder<{ subject: string }>>> = {
  "An account's columns are the sums of its ledger entries.": sql`
    select accounts.id as subject
    from accounts left join (
      select account, sum(held_delta) as held, sum(spent_delta) as spent,
        sum(granted_delta) as granted, sum(bound_delta) as bound
      from (${moves}) as moves group by account
    ) as sums on sums.account = accounts.id
    where accounts.held <> coalesce(sums.held, 0)
      or accounts.spent <> case when sums.spent > ${sql.lit(MAX_NANO_USD)} then ${sql.lit(MAX_NANO_USD)}
        else coalesce(sums.spent, 0) end
      or coalesce(accounts.granted, 0) <> coalesce(sums.granted, 0)
      or (case when accounts.granted is null then 0 else 1 end) <> coalesce(sums.bound, 0)`,

  "Every entry belongs to an account that exists.": sql`
    select distinct moves.account as subject
    from (${moves}) as moves left join accounts on accounts.id = moves.account
    where accounts.id is null`,

  "A hold is closed at most once.": sql`
    select call_id as subject from ledger
    where kind in ('settle', 'void') group by call_id having count(*) > 1`,

  "A closed hold reserves nothing, and it was opened once if it was written.": sql`
    select call_id as subject from ledger where call_id is not null group by call_id
    having sum(case when kind in ('settle', 'void') then 1 else 0 end) > 0
      and (sum(held_delta) <> 0 or sum(case when kind = 'hold' then 1 else 0 end) > 1)`,

  "An open hold is in the ledger with its amount, and is not closed there.": sql`
    select holds.call_id as subject
    from holds left join ledger on ledger.call_id = holds.call_id
    group by holds.call_id, holds.amount
    having coalesce(sum(ledger.held_delta), -1) <> holds.amount
      or sum(case when ledger.kind in ('settle', 'void') then 1 else 0 end) > 0`,

  "A hold that the ledger never closed is still open.": sql`
    select ledger.call_id as subject
    from ledger left join holds on holds.call_id = ledger.call_id
    where ledger.call_id is not null and holds.call_id is null
    group by ledger.call_id
    having sum(case when ledger.kind in ('settle', 'void') then 1 else 0 end) = 0`,

  "A call's record has the cost that the ledger charged for it.": sql`
    select calls.id as subject
    from calls join ledger on ledger.call_id = calls.id
    where ledger.kind in ('settle', 'correct')
    group by calls.id, calls.cost having calls.cost <> sum(ledger.spent_delta)`,
};

/** All inconsistencies in the database; empty for a correct one. */
export async function verifyLedger(db: Kysely<Tables>): Promise<readonly Violation[]> {
  const violations: Violation[] = [];
  for (const [rule, query] of Object.entries(RULES)) {
    const { rows } = await sql<{ subject: string }>`
      select subject from (${query}) as broken order by subject limit ${sql.lit(MAX_REPORTED)}
    `.execute(db);
    violations.push(...rows.map(({ subject }) => ({ rule, subject })));
  }
  return violations;
}
