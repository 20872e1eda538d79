import { faultsOf, OK_STATUS } from "#core/call-filter.ts";
import type { ArchiveSearch } from "#core/call-archive.ts";
import type { CallFilter, CallScope } from "#core/call.ts";
import { EXPORT_COLUMNS } from "#core/journal-export.ts";
import { END, TABLE } from "./clickhouse-statements.ts";

type Value = string | number | readonly string[] | readonly number[];

/** A statement with placeholders, and their values. */
export interface ArchiveStatement {
  readonly text: string;
  readonly values: Readonly<Record<string, Value>>;
}

/** The key of a call's rows in the table. */
export interface ArchiveKey {
  readonly id: string;
  readonly userId: number;
  readonly at: number;
}

/**
 * Numbers and keys of one page. It reads few columns: texts are read of the found calls alone,
 * since ClickHouse may read every selected column before it sorts.
 */
export function pageStatement(search: ArchiveSearch): ArchiveStatement {
  const { filter, after, last, isAscending, limit } = search;
  const { conditions, values } = new Conditions()
    .add("seq > {after:UInt64}", { after })
    .add("seq <= {last:UInt64}", { last })
    .addFilter(filter);
  return {
    text: `SELECT id, seq, user_id, toUnixTimestamp64Milli(at) AS at_ms
FROM ${TABLE}
WHERE ${conditions.join(" AND ")}
ORDER BY seq ${isAscending ? "ASC" : "DESC"}
LIMIT {limit:UInt32}
FORMAT JSONEachRow`,
    values: { ...values, limit },
  };
}

/** All rows of these calls: a corrected call may have several. */
export function rowsStatement(keys: readonly ArchiveKey[]): ArchiveStatement {
  const users = [...new Set(keys.map(({ userId }) => userId))];
  const times = keys.map(({ at }) => at);
  return selectRows(
    new Conditions()
      .add("user_id IN {users:Array(Int64)}", { users })
      .addTimes(Math.min(...times), Math.max(...times))
      .add("id IN {ids:Array(String)}", { ids: keys.map(({ id }) => id) }),
  );
}

/** Rows of one call. */
export function callStatement(id: string, scope: CallScope): ArchiveStatement {
  return selectRows(new Conditions().add("id = {id:String}", { id }).addFilter(scope));
}

const ROW_COLUMNS = EXPORT_COLUMNS.map(({ name, kind }) =>
  // Another name: an alias that is also a column would stand for the expression everywhere.
  kind === "time" ? `toUnixTimestamp64Milli(${name}) AS ${name}_ms` : name,
).join(", ");

function selectRows({ conditions, values }: Conditions): ArchiveStatement {
  return {
    text: `SELECT ${ROW_COLUMNS}
FROM ${TABLE}
WHERE ${conditions.join(" AND ")}
ORDER BY seq ASC
FORMAT JSONEachRow`,
    values,
  };
}

/** Conditions of constant text; every value is a parameter. */
class Conditions {
  readonly conditions: string[] = [];
  readonly values: Record<string, Value> = {};

  add(condition: string, values: Readonly<Record<string, Value>>): this {
    this.conditions.push(condition);
    Object.assign(this.values, values);
    return this;
  }

  addTimes(first: number, last: number): this {
    return this.add(`at >= ${timeOf("first_at")} AND at <= ${timeOf("last_at")}`, {
      first_at: first,
      last_at: last,
    });
  }

  addFilter(filter: CallFilter): this {
    for (const [name, condition] of FILTER_CONDITIONS) {
      const value = filter[name];
      if (value !== undefined) this.add(condition, { [name]: value });
    }
    const { status, to } = filter;
    if (status === OK_STATUS) this.add("fault IS NULL", {});
    else if (status !== undefined)
      this.add("fault IN {faults:Array(String)}", { faults: faultsOf(status) });
    if (to !== undefined) {
      // The second one is implied by the first, and uses the key of the table.
      this.add(`${END} < {to:Int64} AND at < ${timeOf("to")}`, { to });
    }
    return this;
  }
}

function timeOf(name: string): string {
  return `fromUnixTimestamp64Milli({${name}:Int64}, 'UTC')`;
}

type PlainFilter = Exclude<keyof CallFilter, "status" | "to">;

const FILTER_CONDITIONS: readonly (readonly [PlainFilter, string])[] = Object.entries({
  userId: "user_id = {userId:Int64}",
  teamId: "team_id = {teamId:Int64}",
  keyId: "key_id = {keyId:Int64}",
  groupId: "group_id = {groupId:Int64}",
  outcome: "outcome = {outcome:String}",
  fault: "fault = {fault:String}",
  channel: `(channel = {channel:String} OR ${listed("failed_channels", "channel")})`,
  failedChannel: listed("failed_channels", "failedChannel"),
  model: "model = {model:String}",
  upstreamModel: "upstream_model = {upstreamModel:String}",
  style: "style = {style:String}",
  endpoint: "endpoint = {endpoint:String}",
  session: "session_id = {session:String}",
  tag: listed("tags", "tag"),
  from: `${END} >= {from:Int64}`,
  minCost: "cost_nano_usd >= {minCost:Int64}",
  minDurationMs: "duration_ms >= {minDurationMs:Int64}",
} satisfies Record<PlainFilter, string>) as [PlainFilter, string][];

function listed(column: "tags" | "failed_channels", name: string): string {
  return `has(JSONExtract(${column}, 'Array(String)'), {${name}:String})`;
}
