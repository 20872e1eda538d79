import { sql, type Kysely } from "kysely";
import { MAX_NANO_USD } from "#core/money.ts";
import type { Tables } from "../tables.ts";
import { CALL_COLUMNS, USUAL_CALL_COLUMNS } from "../tables/calls.ts";
import { namesOf, type Columns } from "../tables/columns.ts";
import { HOLD_COLUMNS } from "../tables/holds.ts";
import { LEDGER_COLUMNS } from "../tables/ledger.ts";

/** The statements of a batch, in their execution order. */
export type StatementName =
  | "opening"
  | "hold"
  | "opened"
  | "entry"
  | "extension"
  | "checkpoint"
  | "release"
  | "record"
  | "balance"
  | "probe";

/** The statements of each name differ in their number of values. */
type Statements = Readonly<Record<StatementName, readonly string[]>>;

let compiled: Statements | undefined;

/** Compiled once, prepared once for a database, run for every row. */
export function compileStatements(db: Kysely<Tables>): Statements {
  compiled ??= compile(db);
  return compiled;
}

function compile(db: Kysely<Tables>): Statements {
  const extension = sql`update holds set amount = amount + ${0}, extensions = ${0}
    where call_id = ${0}`;
  const balance = sql`update accounts
    set held = held + ${0}, spent = min(spent + ${0}, ${sql.lit(MAX_NANO_USD)}) where id = ${0}`;
  const probe = sql`insert into meta (key, value) values ('probe', ${0})
    on conflict (key) do update set value = excluded.value`;

  // A change of the limit may already have opened the account, with the same entry id.
  const opening = sql`insert into accounts (id, granted, spent, held, raises)
    values (${0}, ${0}, 0, 0, ${0})
    on conflict do nothing`;

  const text = (query: typeof probe): string => query.compile(db).sql;
  return {
    opening: [text(opening)],
    hold: [text(insertInto("holds", HOLD_COLUMNS))],
    opened: [text(sql`${insertInto("ledger", LEDGER_COLUMNS)} on conflict do nothing`)],
    entry: [
      text(insertInto("ledger", LEDGER_COLUMNS)),
      `insert into ledger (${namesOf(LEDGER_COLUMNS).join(", ")}) values (${CLOSING})`,
    ],
    extension: [text(extension)],
    checkpoint: [
      text(sql`update holds set checkpoint = ${0}, context = coalesce(${0}, context)
        where call_id = ${0}`),
    ],
    release: [text(sql`delete from holds where call_id = ${0}`)],
    // A record is written once: a call that failed early and was settled keeps the first record.
    record: [
      text(sql`${insertInto("calls", CALL_COLUMNS)} on conflict do nothing`),
      text(sql`${insertInto("calls", USUAL_CALL_COLUMNS)} on conflict do nothing`),
    ],
    balance: [text(balance)],
    probe: [text(probe)],
  };
}

/** The row of a `closingEntry`. */
const CLOSING = "?1 || ':' || ?2, ?1, ?2, ?3, ?4, ?5, ?6, 0, 0, null, ?7, ?8";

function insertInto<Table>(table: keyof Tables, columns: Columns<Table>) {
  const names = namesOf(columns);
  return sql`insert into ${sql.table(table)} (${sql.join(names.map((name) => sql.ref(name)))})
    values (${sql.join(names.map(() => sql.value(0)))})`;
}
