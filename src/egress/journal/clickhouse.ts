import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { JournalEntry } from "#core/call.ts";
import { GatewayError } from "#core/error.ts";
import { EXPORT_COLUMNS, type JournalTarget } from "#core/journal-export.ts";
import { hostOf, portOf } from "../guard.ts";
import { guardedFetch, type GuardedRequest } from "../guarded-fetch.ts";
import { CLOSED } from "../reach.ts";
import { resolveAsSystem } from "../resolve-host.ts";

/** ClickHouse works best with thousands of rows an insert; these take about 5 MB. */
const MAX_ROWS = 5_000;
const MAX_ANSWER_BYTES = 64 * 1024;
const TIMEOUT_MS = 60_000;
const PORTS = { plain: 8_123, secure: 8_443 };
/** `UNKNOWN_TABLE`: the table was dropped, or this is the first insert. */
const NO_TABLE = "60";

interface Place {
  readonly address: URL;
  readonly database: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Statements {
  readonly insert: string;
  readonly createTable: string;
}

/**
 * Inserts calls over ClickHouse's HTTP interface. A repeated insert of a range
 * has the same token, so that the server drops it. Rows of one call, such as
 * that of a corrected record, are merged into the latest.
 */
export function openClickHouse(url: string, statements: Statements): JournalTarget {
  const place = readPlace(url);
  const rules: GuardedRequest = {
    // The operator configured the server, usually in a private network.
    allow: ["0.0.0.0/0", "::/0"],
    deny: CLOSED,
    own: [],
    names: [hostOf(place.address)],
    ports: [portOf(place.address)],
    allowHttp: place.address.protocol === "http:",
    resolve: resolveAsSystem,
    maxBytes: MAX_ANSWER_BYTES,
    totalTimeoutMs: TIMEOUT_MS,
    firstByteTimeoutMs: TIMEOUT_MS,
  };

  /** Undefined if it succeeded, else the code of the exception. */
  const run = async (
    settings: Readonly<Record<string, string>>,
    body: string | Uint8Array,
  ): Promise<string | undefined> => {
    const target = new URL(place.address);
    // The answer starts after the statement has ended, so that its status is the result.
    const query = { database: place.database, wait_end_of_query: "1", ...settings };
    for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value);
    const request = { method: "POST", headers: place.headers, body } as const;
    await using answer = await guardedFetch(target.href, { ...rules, ...request });
    const text = Buffer.concat(await Array.fromAsync(answer.body)).toString();
    if (answer.status === 200 && !answer.headers.has("x-clickhouse-exception-code"))
      return undefined;
    const [, code] = /^Code: (\d+)/.exec(text) ?? [];
    return answer.headers.get("x-clickhouse-exception-code") ?? code ?? `HTTP ${answer.status}`;
  };

  return {
    name: "clickhouse",
    rule: { maxNumbers: MAX_ROWS, isByHour: false },
    async write(_range, entries) {
      const rows: Buffer[] = [];
      for await (const each of entries) rows.push(Buffer.from(linesOf(each)));
      if (rows.length === 0) return;
      const body = Buffer.concat(rows);
      const insert = {
        query: statements.insert,
        // Not of the numbers: a database that was restored gives them to other calls.
        insert_deduplication_token: createHash("sha256").update(body).digest("hex"),
        async_insert: "0",
      };
      let failure = await run(insert, body);
      if (failure === NO_TABLE)
        failure = (await run({}, statements.createTable)) ?? (await run(insert, body));
      if (failure !== undefined) throw refusal(place, failure);
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
function refusal({ address }: Place, code: string): GatewayError {
  const reason = REASONS[code];
  return new GatewayError(
    "upstream_failed",
    `ClickHouse at ${address.host} refused the export: ${
      reason ?? `code ${code}; its log has the details`
    }.`,
  );
}

const REASONS: Readonly<Record<string, string>> = {
  "81": "the database does not exist. Create it, or name another one in the URL",
  "164": "the user may only read. Grant it INSERT and CREATE TABLE",
  "497": "the user has no rights. Grant it INSERT and CREATE TABLE",
  "516": "the user or the password is wrong",
};

function readPlace(text: string): Place {
  const { hostname, port, username, password, pathname, searchParams } = new URL(text);
  const isSecure = searchParams.get("secure") === "true";
  const number = port === "" ? (isSecure ? PORTS.secure : PORTS.plain) : port;
  const user = decodeURIComponent(username);
  return {
    address: new URL(`${isSecure ? "https" : "http"}://${hostname}:${number}/`),
    database: decodeURIComponent(pathname.slice(1)) || "default",
    headers: {
      "content-type": "text/plain; charset=UTF-8",
      "user-agent": "sluice",
      "x-clickhouse-user": user === "" ? "default" : user,
      "x-clickhouse-key": decodeURIComponent(password),
    },
  };
}
