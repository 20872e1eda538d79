import { query } from "#test/scratch-database.ts";

/** What the books of a PostgreSQL database violate; empty if they balance. */
export async function verifyShared(url: string): Promise<readonly string[]> {
  const [accounts, closes, records] = await Promise.all([
    // An entry counts for its user, its key, and further accounts such as teams.
    query<{ id: string }>(
      url,
      `with entries as (
         select unnest(array_remove(array[user_account, key_account]
           || string_to_array(coalesce(more_accounts, ''), ' '), null)) as account,
           held_delta, spent_delta from ledger),
       sums as (
         select account, sum(held_delta) as held, sum(spent_delta) as spent
         from entries where account <> '' group by account)
       select accounts.id from accounts left join sums on sums.account = accounts.id
       where accounts.held <> coalesce(sums.held, 0) or accounts.spent <> coalesce(sums.spent, 0)`,
    ),
    query<{ call_id: string }>(
      url,
      `select call_id from ledger where call_id is not null group by call_id
       having count(*) filter (where kind = 'hold') > 1
         or count(*) filter (where kind in ('settle', 'void')) <> 1
         or sum(held_delta) <> 0`,
    ),
    query<{ id: string }>(
      url,
      `select calls.id from calls join ledger on ledger.call_id = calls.id
       where ledger.kind in ('settle', 'correct')
       group by calls.id, calls.cost having calls.cost <> sum(ledger.spent_delta)`,
    ),
  ]);
  return [
    ...accounts.map(({ id }) => `account ${id} is not the sum of its entries`),
    ...closes.map(({ call_id: id }) => `call ${id} is not held at most once and closed once`),
    ...records.map(({ id }) => `call ${id} says another cost than the ledger`),
  ];
}
