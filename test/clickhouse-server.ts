import { Database } from "bun:sqlite";
import { plainType, Refusal, translateSelect } from "./clickhouse-select.ts";

/** A row of an insert, as ClickHouse would read it. */
type Row = Readonly<Record<string, unknown>>;

interface ClickHouseServer extends AsyncDisposable {
  readonly url: string;
  /** All rows that were inserted and not dropped as repeated blocks. */
  readonly inserted: readonly Row[];
  /** `SELECT … FINAL`: the row with the largest version of each sorting key. */
  final(): readonly Row[];
  /** Drops the rows that a background merge would drop. */
  merge(): void;
  readonly statements: readonly string[];
  /** Inserts that were dropped because of their token. */
  readonly repeated: number;
  /** Answers in place of the next requests; a lost answer comes after the statement has run. */
  failure: "lost answer" | "unavailable" | undefined;
}

interface Table {
  readonly name: string;
  readonly columns: Map<string, string>;
  readonly orderBy: readonly string[];
  readonly version: string;
}

/**
 * The part of ClickHouse's HTTP interface that the journal needs, written from its documentation:
 * https://clickhouse.com/docs/interfaces/http, /sql-reference/statements/create/table,
 * /sql-reference/statements/insert-into and /engines/table-engines/mergetree-family/replacingmergetree.
 */
export function openClickHouseServer(password: string): ClickHouseServer {
  const inserted: Row[] = [];
  const statements: string[] = [];
  const tokens = new Set<string>();
  const stored = new Database(":memory:");
  let table: Table | undefined;
  let repeated = 0;

  const requireTable = (): Table => {
    if (table === undefined) throw new Refusal(404, 60, "Table logs.sluice_calls does not exist");
    return table;
  };

  const create = (text: string): void => {
    if (table !== undefined) return;
    table = readCreate(text);
    stored.run(`create table ${table.name} (${[...table.columns.keys()].join(", ")})`);
  };

  const addColumns = (text: string): void => {
    const { name, columns } = requireTable();
    for (const [column, type] of readAlter(text)) {
      if (columns.has(column)) continue;
      columns.set(column, type);
      const empty = type.includes("Nullable") ? "null" : type === "String" ? "''" : "0";
      stored.run(`alter table ${name} add column ${column} default ${empty}`);
    }
  };

  const insert = (text: string, body: string, settings: URLSearchParams): void => {
    const [, , columns = ""] = INSERT.exec(text) ?? [];
    const { name, columns: known } = requireTable();
    const named = columns.split(",").map((each) => each.trim());
    for (const each of named) if (!known.has(each)) throw new Refusal(404, 16, `No column ${each}`);
    const rows = body
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => readRow(JSON.parse(line) as Row, known));
    const token = settings.get("insert_deduplication_token") ?? "";
    if (token !== "" && tokens.has(token)) {
      repeated++;
      return;
    }
    tokens.add(token);
    inserted.push(...rows);
    const into = stored.prepare(
      `insert into ${name} (${named.join(", ")}) values (${named.map(() => "?").join(", ")})`,
    );
    stored.transaction(() => {
      for (const row of rows)
        into.run(...named.map((each) => storedValue(row[each], known.get(each))));
    })();
  };

  const select = (text: string, settings: URLSearchParams): string => {
    if (settings.get("output_format_json_quote_64bit_integers") !== "1")
      throw new Refusal(400, 36, "Numbers of 64 bits would lose digits");
    const { sql, values, columns } = translateSelect(text, requireTable().columns, settings);
    const rows = stored.query<Row, (string | number)[]>(sql).all(...values);
    return rows.map((row) => `${JSON.stringify(shownRow(row, columns))}\n`).join("");
  };

  const run = (query: string, body: string, settings: URLSearchParams): string => {
    // The query in the URL and the body are one text.
    const text = query === "" ? body : query;
    statements.push(text);
    if (text.startsWith("SELECT")) return select(text, settings);
    if (text.startsWith("CREATE")) create(text);
    else if (text.startsWith("ALTER")) addColumns(text);
    else if (INSERT.test(text)) insert(text, body, settings);
    else throw new Refusal(400, 62, "Syntax error");
    return "";
  };

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { searchParams } = new URL(request.url);
      const body = await request.text();
      try {
        if (self.failure === "unavailable") return new Response("", { status: 503 });
        const { headers } = request;
        if (
          headers.get("x-clickhouse-user") !== "sluice" ||
          headers.get("x-clickhouse-key") !== password
        )
          throw new Refusal(403, 516, "sluice: Authentication failed");
        if (searchParams.get("database") !== "logs")
          throw new Refusal(404, 81, "Database does not exist");
        for (const name of searchParams.keys())
          if (!SETTINGS.has(name) && !name.startsWith("param_"))
            throw new Refusal(404, 115, `Unknown setting ${name}`);
        if (request.method !== "POST")
          throw new Refusal(500, 164, "Cannot execute in readonly mode");
        const answer = run(searchParams.get("query") ?? "", body, searchParams);
        return self.failure === "lost answer"
          ? new Response("", { status: 502 })
          : new Response(answer);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const { status, code, message } = error;
        return new Response(`Code: ${code}. DB::Exception: ${message}. (version 26.10.1.1)\n`, {
          status,
          headers: { "x-clickhouse-exception-code": String(code) },
        });
      }
    },
  });

  const self: ClickHouseServer = {
    url: `clickhouse://sluice:${encodeURIComponent(password)}@127.0.0.1:${server.port}/logs`,
    inserted,
    statements,
    get repeated() {
      return repeated;
    },
    final() {
      const latest = new Map<string, Row>();
      for (const row of inserted) {
        const key = JSON.stringify(table?.orderBy.map((name) => row[name]));
        const known = latest.get(key);
        const version = table?.version ?? "";
        if (known === undefined || Number(known[version]) <= Number(row[version]))
          latest.set(key, row);
      }
      return [...latest.values()];
    },
    merge() {
      const latest = new Set(self.final().map((row) => Number(row["seq"])));
      stored.run(`delete from ${table?.name} where seq not in (${[...latest].join(", ")})`);
    },
    failure: undefined,
    async [Symbol.asyncDispose]() {
      await server.stop(true);
      stored.close();
    },
  };
  return self;
}

const SETTINGS = new Set([
  "query",
  "database",
  "wait_end_of_query",
  "insert_deduplication_token",
  "async_insert",
  "max_execution_time",
  "output_format_json_quote_64bit_integers",
]);
/** `INSERT INTO [TABLE] [db.]table [(c1, c2, c3)] [SETTINGS ...] FORMAT format_name data_set` */
const INSERT = /^INSERT INTO (?:TABLE )?(?:\w+\.)?(\w+) \(([\w, ]+)\) FORMAT JSONEachRow$/;
/**
 * `CREATE TABLE [IF NOT EXISTS] [db.]table_name (name type, ..., INDEX name expr TYPE type
 * [GRANULARITY n], ...) ENGINE = ReplacingMergeTree([ver]) [PARTITION BY expr] [ORDER BY expr]
 * [SETTINGS name = value, ...]`
 */
const CREATE =
  /^CREATE TABLE IF NOT EXISTS (?:\w+\.)?(\w+)\s*\(\s*([^]*?)\s*\)\s*ENGINE = ReplacingMergeTree\((\w+)\)\s*PARTITION BY toYYYYMM\((\w+)\)\s*ORDER BY \(([\w, ]+)\)\s*SETTINGS (\w+) = (\d+)$/;
const INDEX =
  /^INDEX \w+ (?:\w+|toUnixTimestamp64Milli\(\w+\) \+ \w+) TYPE (?:minmax|bloom_filter\(0\.\d+\)) GRANULARITY \d+$/;
/** `ALTER TABLE [db.]name ADD COLUMN [IF NOT EXISTS] name type, ...` */
const ALTER = /^ALTER TABLE (?:\w+\.)?\w+\s+([^]*)$/;

function readCreate(text: string): Table {
  const parts = CREATE.exec(text);
  if (parts === null) throw new Refusal(400, 62, "Syntax error");
  const [, name = "", body = "", version = "", month = "", order = "", setting = ""] = parts;
  if (setting !== "non_replicated_deduplication_window")
    throw new Refusal(404, 115, `Unknown setting ${setting}`);
  const lines = body.split(/,\n/).map((line) => line.trim());
  const columns = new Map(lines.filter((line) => !INDEX.test(line)).map(readColumn));
  const orderBy = order.split(", ");
  // A version and the expressions of keys: of columns that exist and are never null.
  if (columns.get(version) !== "UInt64") throw new Refusal(400, 169, "Bad version column");
  for (const each of [month, ...orderBy])
    if (columns.get(each)?.includes("Nullable") !== false)
      throw new Refusal(400, 44, `Bad key column ${each}`);
  return { name, columns, orderBy, version };
}

function readAlter(text: string): readonly (readonly [string, string])[] {
  const [, body = ""] = ALTER.exec(text) ?? [];
  return body.split(/,\n/).map((line) => {
    const [, column] = /^\s*ADD COLUMN IF NOT EXISTS (.+)$/.exec(line) ?? [];
    if (column === undefined) throw new Refusal(400, 62, "Syntax error");
    return readColumn(column);
  });
}

function readColumn(line: string): readonly [string, string] {
  const [, name = "", type = ""] = /^(\w+) (.+)$/.exec(line) ?? [];
  if (!isType(type)) throw new Refusal(400, 50, `Unknown data type ${type}`);
  return [name, type];
}

function isType(text: string): boolean {
  const [, wrapper, inner = ""] = /^(LowCardinality|Nullable)\((.+)\)$/.exec(text) ?? [];
  if (wrapper === "LowCardinality") return inner === "String" || inner === "Nullable(String)";
  return /^(?:String|Bool|U?Int64|DateTime64\(3, 'UTC'\))$/.test(
    wrapper === undefined ? text : inner,
  );
}

function readRow(row: Row, columns: ReadonlyMap<string, string>): Row {
  for (const [name, value] of Object.entries(row)) {
    const type = columns.get(name);
    if (type === undefined) throw new Refusal(404, 117, `Unknown field ${name}`);
    if (!fits(value, type)) throw new Refusal(400, 27, `Cannot parse ${name}`);
  }
  return row;
}

function fits(value: unknown, type: string): boolean {
  if (value === null) return type.includes("Nullable(");
  if (type.includes("String")) return typeof value === "string";
  if (type.includes("Bool")) return typeof value === "boolean";
  if (type.includes("Int64"))
    return Number.isSafeInteger(value) && (!type.includes("UInt64") || Number(value) >= 0);
  return typeof value === "string" && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/.test(value);
}

function storedValue(value: unknown, type = ""): string | number | null {
  if (typeof value === "boolean") return Number(value);
  if (typeof value === "number") return value;
  if (typeof value !== "string") return null;
  return plainType(type) === "DateTime64" ? Date.parse(`${value.replace(" ", "T")}Z`) : value;
}

/** In the form `JSONEachRow`, with numbers of 64 bits as texts. */
function shownRow(row: Row, columns: ReadonlyMap<string, string>): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const type = columns.get(name) ?? "";
      if (value === null) return [name, null];
      if (type === "Bool") return [name, value === 1];
      return [name, type.includes("Int64") && typeof value === "number" ? `${value}` : value];
    }),
  );
}
