import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { JournalEntry } from "#core/call.ts";
import { GatewayError } from "#core/error.ts";
import { EXPORT_COLUMNS, type JournalTarget } from "#core/journal-export.ts";
import type { ClickHouseConnection } from "./clickhouse-connection.ts";

/** ClickHouse works best with thousands of rows an insert; these take about 5 MB. */
const MAX_ROWS = 5_000;
const LIMITS = { maxAnswerBytes: 64 * 1024, timeoutMs: 60_000 } as const;

interface Statements {
  readonly insert: string;
  readonly createTable: string;
  readonly addColumns: string;
}

/**
 * Inserts calls over ClickHouse's HTTP interface. A repeated insert of a range
 * has the same token, so that the server drops it. Rows of one call, such as
 * that of a corrected record, are merged into the latest.
 */
export function openClickHouse(
  connection: ClickHouseConnection,
  statements: Statements,
): JournalTarget {
  /** Statements that let an insert succeed, by the code of its failure. */
  const remedies: Readonly<Record<string, string>> = {
    // `NO_SUCH_COLUMN_IN_TABLE`: an earlier version made the table.
    "16": statements.addColumns,
    // `UNKNOWN_TABLE`: the table was dropped, or this is the first insert.
    "60": statements.createTable,
  };
  return {
    name: "clickhouse",
    rule: { maxNumbers: MAX_ROWS, isByHour: false },
    async write(_range, entries) {
      const rows: Buffer[] = [];
      for await (const each of entries) rows.push(Buffer.from(linesOf(each)));
      if (rows.length === 0) return;
      const body = Buffer.concat(rows);
      const settings = {
        query: statements.insert,
        // Not of the numbers: a database that was restored gives them to other calls.
        insert_deduplication_token: createHash("sha256").update(body).digest("hex"),
        async_insert: "0",
      };
      const insert = async (): Promise<string | undefined> =>
        (await connection.run({ settings, body, ...LIMITS })).failure;
      let failure = await insert();
      const remedy = failure === undefined ? undefined : remedies[failure];
      if (remedy !== undefined)
        failure = (await connection.run({ body: remedy, ...LIMITS })).failure ?? (await insert());
      if (failure !== undefined) throw refusal(connection.host, failure);
    },
  };
}

function linesOf(entries: readonly JournalEntry[]): string {
  return entries.map((entry) => `${JSON.stringify(rowOf(entry))}\n`).join("");
}

function rowOf(entry: JournalEntry): Record<string, unknown> {
  return Object.fromEntries(
    EXPORT_COLUMNS.map(({ name, kind, read }) => {
      const value = read(entry);
      return [name, kind === "time" && typeof value === "number" ? textOf(value) : value];
    }),
  );
}

/** The form of times that ClickHouse reads without further settings. */
function textOf(ms: number): string {
  return new Date(ms).toISOString().replace("T", " ").replace("Z", "");
}

/** The message names the host only: the URL has a password, and an answer may quote rows. */
function refusal(host: string, code: string): GatewayError {
  return new GatewayError(
    "upstream_failed",
    `ClickHouse at ${host} refused the export: ${reasonOf(code, "INSERT, CREATE TABLE and ALTER ADD COLUMN")}.`,
  );
}

/** The reason for a code, and its remedy. `rights`: those that the statement needs. */
export function reasonOf(code: string, rights: string): string {
  const reasons: Readonly<Record<string, string>> = {
    "81": "the database does not exist. Create it, or name another one in the URL",
    "164": `the user may only read. Grant it ${rights}`,
    "497": `the user has no rights. Grant it ${rights}`,
    "516": "the user or the password is wrong",
  };
  return reasons[code] ?? `code ${code}; its log has the details`;
}
