import { sql, type Kysely, type RawBuilder } from "kysely";
import type { QueryResultRow } from "pg";
import type { PeriodAccount } from "#core/budget.ts";
import type { AccountId } from "#core/key.ts";
import type { NanoUsd } from "#core/money.ts";
import type { Tables } from "../tables.ts";
import { CALL_COLUMNS } from "../tables/calls.ts";
import { namesOf, type Columns, type Value, type Values } from "../tables/columns.ts";
import { HOLD_COLUMNS } from "../tables/holds.ts";
import { LEDGER_COLUMNS } from "../tables/ledger.ts";

/** A connection within a transaction. */
export interface Connection {
  query<Row extends QueryResultRow>(text: string, values: unknown[]): Promise<{ rows: Row[] }>;
}

export interface StoredHold {
  readonly call_id: string;
  readonly user_account: AccountId | null;
  readonly key_account: AccountId | null;
  readonly more_accounts: string | null;
  readonly amount: number;
  readonly extensions: number;
  readonly instance: string;
}

export interface OpenedAccount {
  readonly id: AccountId;
  readonly granted: NanoUsd | null;
}

export interface StoredEntry {
  readonly op_id: string;
  readonly spent_delta: number;
  readonly at: number;
}

/**
 * The statements of a batch. Each takes one array per column, so that it is
 * compiled once for any number of rows.
 */
export type Statements = ReturnType<typeof compileStatements>;

export function compileStatements(db: Kysely<Tables>) {
  const compile = (query: RawBuilder<unknown>): string => query.compile(db).sql;
  const ids = sql`${[]}::text[]`;

  const findHolds = compile(
    sql`select call_id, user_account, key_account, more_accounts, amount, extensions, instance
      from holds where call_id = any(${ids})`,
  );
  const findEntries = compile(
    sql`select op_id, spent_delta, at from ledger where op_id = any(${ids})`,
  );
  // The budget in the database is newer than the copy in the key.
  const openAccounts = compile(
    sql`insert into accounts (id, granted, spent, held, raises)
      select distinct on (new.id) new.id,
        case when budgets.terms::jsonb -> new.period is null then new.amount
          else (budgets.terms::jsonb -> new.period ->> 'amount')::bigint end,
        0, 0, budgets.terms::jsonb -> new.period ->> 'raises'
      from ${unnest(["text", "text", "text", "bigint"])} as new(id, owner, period, amount)
      left join budgets on budgets.owner = new.owner
      order by new.id
      on conflict do nothing returning id, granted`,
  );
  // Locked in the order of ids, which all gateways use, to avoid deadlocks.
  const lockAccounts = compile(
    sql`select id, granted, spent, held, raises from accounts where id = any(${ids})
      order by id for update`,
  );
  const updateAccounts = compile(
    sql`update accounts set granted = new.granted, spent = new.spent, held = new.held
      from ${unnest(["text", "bigint", "bigint", "bigint"])} as new(id, granted, spent, held)
      where accounts.id = new.id`,
  );
  const addEntries = compile(insertInto("ledger", LEDGER_COLUMNS));
  const addHolds = compile(insertInto("holds", HOLD_COLUMNS));
  const extendHolds = compile(
    sql`update holds set amount = new.amount, extensions = new.extensions
      from ${unnest(["text", "bigint", "bigint"])} as new(call_id, amount, extensions)
      where holds.call_id = new.call_id`,
  );
  const checkpointHolds = compile(
    sql`update holds set checkpoint = new.checkpoint,
        context = coalesce(new.context, holds.context)
      from ${unnest(["text", "bigint", "text"])} as new(call_id, checkpoint, context)
      where holds.call_id = new.call_id`,
  );
  const deleteHolds = compile(sql`delete from holds where call_id = any(${ids})`);
  const addCalls = compile(sql`${insertInto("calls", CALL_COLUMNS)} on conflict do nothing`);
  const probe = compile(
    sql`insert into meta (key, value) values ('probe', ${""})
      on conflict (key) do update set value = excluded.value`,
  );

  return {
    findHolds: async (on: Connection, callIds: string[]) =>
      (await on.query<StoredHold>(findHolds, [callIds])).rows,
    findEntries: async (on: Connection, opIds: string[]) =>
      (await on.query<StoredEntry>(findEntries, [opIds])).rows,
    openAccounts: async (on: Connection, periods: readonly PeriodAccount[]) => {
      const rows = periods.map(({ id, budget: { owner, period, amount } }): Values => {
        return [id, owner, period, amount];
      });
      return (await on.query<OpenedAccount>(openAccounts, columnsOf(rows, 4))).rows;
    },
    lockAccounts: async (on: Connection, accountIds: AccountId[]) =>
      (await on.query<Tables["accounts"]>(lockAccounts, [accountIds])).rows,
    updateAccounts: (on: Connection, rows: readonly Values[]) =>
      on.query(updateAccounts, columnsOf(rows, 4)),
    addEntries: (on: Connection, rows: readonly Values[]) =>
      on.query(addEntries, columnsOf(rows, namesOf(LEDGER_COLUMNS).length)),
    addHolds: (on: Connection, rows: readonly Values[]) =>
      on.query(addHolds, columnsOf(rows, namesOf(HOLD_COLUMNS).length)),
    extendHolds: (on: Connection, rows: readonly Values[]) =>
      on.query(extendHolds, columnsOf(rows, 3)),
    checkpointHolds: (on: Connection, rows: readonly Values[]) =>
      on.query(checkpointHolds, columnsOf(rows, 3)),
    deleteHolds: (on: Connection, callIds: string[]) => on.query(deleteHolds, [callIds]),
    addCalls: (on: Connection, rows: readonly Values[]) =>
      on.query(addCalls, columnsOf(rows, namesOf(CALL_COLUMNS).length)),
    probe: (on: Connection, value: string) => on.query(probe, [value]),
  };
}

function insertInto<Table>(table: keyof Tables, columns: Columns<Table>): RawBuilder<unknown> {
  const names = namesOf(columns);
  return sql`insert into ${sql.table(table)} (${sql.join(names.map((name) => sql.ref(name)))})
    select * from ${unnest(names.map((name) => columns[name]))}`;
}

function unnest(types: readonly string[]): RawBuilder<unknown> {
  return sql`unnest(${sql.join(types.map((type) => sql`${[]}::${sql.raw(type)}[]`))})`;
}

function columnsOf(rows: readonly Values[], count: number): Value[][] {
  return Array.from({ length: count }, (_, column) => rows.map((row) => row[column] ?? null));
}
