import { MAX_NANO_USD } from "#core/money.ts";
import { CALL_COLUMNS } from "../tables/calls.ts";
import { namesOf } from "../tables/columns.ts";

/** The kinds of rows in a batch; each combination is a prepared statement. */
interface BatchParts {
  readonly hasHolds: boolean;
  readonly hasCloses: boolean;
  readonly hasCalls: boolean;
  readonly hasCheckpoints: boolean;
}

export interface BatchStatement {
  readonly name: string;
  readonly text: string;
}

type Types = Readonly<Record<string, "text" | "bigint">>;

const MOVES: Types = { id: "text", need: "bigint", held: "bigint", spent: "bigint" };
const OWNERS: Types = { user_account: "text", key_account: "text", more_accounts: "text" };
const HOLDS: Types = {
  call_id: "text",
  ...OWNERS,
  amount: "bigint",
  context: "text",
  instance: "text",
  opened_at: "bigint",
};
const CLOSES: Types = {
  call_id: "text",
  ...OWNERS,
  amount: "bigint",
  kind: "text",
  cost: "bigint",
  at: "bigint",
};
const CHECKPOINTS: Types = { call_id: "text", checkpoint: "bigint", context: "text" };

/** Numbers of the columns, in the order of the parameters. */
export const WIDTHS = {
  moves: Object.keys(MOVES).length,
  holds: Object.keys(HOLDS).length,
  closes: Object.keys(CLOSES).length,
  calls: namesOf(CALL_COLUMNS).length,
  checkpoints: Object.keys(CHECKPOINTS).length,
};

const statements = new Map<string, BatchStatement>();

/** The batches of nearly all calls, which a connection plans before its first call. */
const USUAL: readonly BatchParts[] = [
  { hasHolds: true, hasCloses: false, hasCalls: false, hasCheckpoints: false },
  { hasHolds: false, hasCloses: true, hasCalls: true, hasCheckpoints: false },
  { hasHolds: true, hasCloses: true, hasCalls: true, hasCheckpoints: false },
];

/** The usual statements, each with the parameters of an empty batch, which changes nothing. */
export function emptyBatches(): readonly (BatchStatement & { readonly values: string[] })[] {
  return USUAL.map((parts) => {
    const { holds, closes, calls, moves } = WIDTHS;
    const held = parts.hasHolds ? holds : 0;
    const closed = parts.hasCloses ? closes + calls : 0;
    const values = Array.from({ length: moves + held + closed }, () => "{}");
    return { ...batchStatement(parts), values };
  });
}

/**
 * The statement that books a whole batch, and commits it without a transaction
 * around it. It has one row, `applied`. That is false, and nothing was written,
 * if an account lacks funds for the sum of its holds or does not exist. The
 * statement fails with a division by zero if a hold is not as this process
 * knows it.
 */
export function batchStatement(parts: BatchParts): BatchStatement {
  const { hasHolds, hasCloses, hasCalls, hasCheckpoints } = parts;
  const name = `batch_${[hasHolds, hasCloses, hasCalls, hasCheckpoints].map(Number).join("")}`;
  let statement = statements.get(name);
  if (statement === undefined) {
    statement = { name, text: write(parts) };
    statements.set(name, statement);
  }
  return statement;
}

function write({ hasHolds, hasCloses, hasCalls, hasCheckpoints }: BatchParts): string {
  const parameters = new Parameters();
  const movesMoney = hasHolds || hasCloses;
  const common: string[] = [];
  let closedIds = "";

  if (movesMoney) common.push(...moveMoney(parameters));
  if (hasHolds) common.push(`opening as materialized (${parameters.rows(HOLDS)} ${IF_FIT})`, OPEN);
  if (hasCloses) {
    closedIds = `$${parameters.next}::text[]`;
    common.push(`closing as materialized (${parameters.rows(CLOSES)} ${IF_FIT})`, close(closedIds));
  }
  if (movesMoney) common.push(addEntries(hasHolds, hasCloses));
  if (hasCalls) common.push(addCalls(parameters, movesMoney));
  if (hasCheckpoints) common.push(checkpointHolds(parameters, movesMoney));
  const steps = common.length === 0 ? "" : `with ${common.join(",\n")}\n`;
  return steps + result(movesMoney, closedIds);
}

const IF_FIT = "where (select yes from fit)";

/**
 * Accounts are locked in the order of ids, which all gateways use, to avoid
 * deadlocks. The locked rows are newer than the statement's snapshot, so the
 * sums are made of them.
 */
function moveMoney(parameters: Parameters): string[] {
  const ids = `$${parameters.next}::text[]`;
  return [
    `moves as materialized (${parameters.rows(MOVES)})`,
    `locked as materialized (
      select id, granted, spent, held from accounts where id = any(${ids}) order by id for update
    )`,
    `fit as materialized (
      select count(*) = cardinality(${ids}) and coalesce(bool_and(
        moves.need is null
        or coalesce(locked.granted, ${MAX_NANO_USD}) - locked.spent - locked.held >= moves.need
      ), true) as yes
      from locked join moves on moves.id = locked.id
    )`,
    `balances as materialized (
      select locked.id, locked.held + moves.held as held,
        least(locked.spent + moves.spent, ${MAX_NANO_USD}) as spent
      from locked join moves on moves.id = locked.id ${IF_FIT}
    )`,
    `moved as (
      update accounts set held = balances.held, spent = balances.spent
      from balances where accounts.id = any(${ids}) and accounts.id = balances.id
    )`,
  ];
}

const OPEN = `opened as (
  insert into holds (call_id, user_account, key_account, more_accounts, amount, extensions,
    context, instance, opened_at)
  select call_id, user_account, key_account, more_accounts, amount, 0, context, instance, opened_at
  from opening
)`;

/** By a list of ids, because a join would be planned for the table's size of that time. */
function close(ids: string): string {
  return `closed as (
    delete from holds where call_id = any(${ids}) and (select yes from fit)
    returning call_id, amount
  )`;
}

/** The rows that `callEntry` makes. */
function addEntries(hasHolds: boolean, hasCloses: boolean): string {
  const common = "user_account, key_account, more_accounts, 0, 0, null";
  const entries = [
    ...(hasHolds
      ? [`select call_id || ':hold', call_id, 'hold', amount, 0, opened_at, ${common} from opening`]
      : []),
    ...(hasCloses
      ? [
          `select call_id || ':' || kind, call_id, kind, -amount, cost, at, ${common}
          from closing`,
        ]
      : []),
  ];
  return `entries as (
    insert into ledger (op_id, call_id, kind, held_delta, spent_delta, at,
      user_account, key_account, more_accounts, granted_delta, bound_delta, note)
    ${entries.join(" union all ")}
  )`;
}

function addCalls(parameters: Parameters, movesMoney: boolean): string {
  return `recorded as (
    insert into calls (${namesOf(CALL_COLUMNS).join(", ")})
    ${parameters.rows(CALL_COLUMNS)} ${movesMoney ? IF_FIT : ""}
    on conflict do nothing
  )`;
}

function checkpointHolds(parameters: Parameters, movesMoney: boolean): string {
  const ids = `$${parameters.next}::text[]`;
  return `checkpointed as (
    update holds set checkpoint = noted.checkpoint,
      context = coalesce(noted.context, holds.context)
    from (${parameters.rows(CHECKPOINTS)}) as noted
    where holds.call_id = any(${ids}) and holds.call_id = noted.call_id
      ${movesMoney ? "and (select yes from fit)" : ""}
  )`;
}

function result(movesMoney: boolean, closedIds: string): string {
  if (!movesMoney) return "select true as applied";
  if (closedIds === "") return "select yes as applied from fit";
  return `select yes as applied, 1 / (not yes or cardinality(${closedIds}) = (
      select count(*) from closed
      join closing on closing.call_id = closed.call_id and closing.amount = closed.amount
    ))::int as checked
    from fit`;
}

class Parameters {
  /** The number of the next parameter. */
  next = 1;

  /** Parameters as rows, one parameter for each column. */
  rows(types: Types): string {
    const names = Object.keys(types);
    const arrays = names.map((name) => `$${this.next++}::${types[name]}[]`);
    return `select * from unnest(${arrays.join(", ")}) as given(${names.join(", ")})`;
  }
}
