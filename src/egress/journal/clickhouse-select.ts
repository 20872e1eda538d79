import { GatewayError } from "#core/error.ts";
import { isObject, parseJson, type JsonObject } from "#lib/json.ts";
import { reasonOf } from "./clickhouse.ts";
import type { ClickHouseConnection } from "./clickhouse-connection.ts";

const TIMEOUT_MS = 20_000;
/** A page of calls with many failed attempts takes a few MB. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const SETTINGS = {
  // The server stops a statement after the gateway has given up.
  max_execution_time: String(TIMEOUT_MS / 1_000),
  output_format_json_quote_64bit_integers: "1",
} as const;

/** `UNKNOWN_TABLE`: nothing was exported yet. */
const NO_TABLE = "60";
/** `TIMEOUT_EXCEEDED`, `TOO_SLOW`. */
const SLOW: ReadonlySet<string> = new Set(["159", "160"]);

/** A value of a statement; texts and lists of texts are escaped here. */
export type SelectValue = string | number | readonly string[] | readonly number[];

/** Rows of a statement that ends with `FORMAT JSONEachRow`. */
export type Select = (
  statement: string,
  values: Readonly<Record<string, SelectValue>>,
) => Promise<readonly JsonObject[]>;

/** Reads from ClickHouse; every failure is a 503 with the reason. */
export function openClickHouseSelect(connection: ClickHouseConnection): Select {
  return async (statement, values) => {
    const params = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, paramOf(value)]),
    );
    const result = await connection
      .run({
        settings: SETTINGS,
        params,
        body: statement,
        maxAnswerBytes: MAX_ANSWER_BYTES,
        timeoutMs: TIMEOUT_MS + 1_000,
      })
      .catch((cause: unknown) => {
        const { message } = GatewayError.from(cause);
        throw unavailable(`it cannot be reached (${message})`, cause);
      });
    if (result.failure === undefined) return rowsOf(result.text);
    if (result.failure === NO_TABLE) return [];
    throw unavailable(
      SLOW.has(result.failure)
        ? "the search takes too long. Narrow it by a time, a user or a model"
        : reasonOf(result.failure, "SELECT"),
    );
  };
}

function unavailable(reason: string, cause?: unknown): GatewayError {
  return new GatewayError(
    "unavailable",
    `Calls that the database no longer holds are in ClickHouse: ${reason.replace(/\.+$/, "")}.`,
    { cause },
  );
}

function rowsOf(text: string): readonly JsonObject[] {
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => {
    const row = parseJson(line);
    if (isObject(row)) return row;
    throw unavailable("its answer is not in the form JSONEachRow");
  });
}

/** ClickHouse reads parameters as fields of tab-separated values. */
function paramOf(value: SelectValue): string {
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return escaped(value);
  const items = value.map((each) => (typeof each === "number" ? each : quoted(each)));
  return `[${items.join(",")}]`;
}

function quoted(text: string): string {
  return `'${escaped(text).replaceAll("'", String.raw`\'`)}'`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "\\": String.raw`\\`,
  "\t": String.raw`\t`,
  "\n": String.raw`\n`,
  "\r": String.raw`\r`,
  "\0": String.raw`\0`,
};

function escaped(text: string): string {
  return text.replaceAll(/[\\\t\n\r\0]/g, (each) => ESCAPES[each] ?? each);
}
