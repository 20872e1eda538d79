/** A row of an insert, as ClickHouse would read it. */
type Row = Readonly<Record<string, unknown>>;

interface ClickHouseServer extends AsyncDisposable {
  readonly url: string;
  /** All rows that were inserted and not dropped as repeated blocks. */
  readonly inserted: readonly Row[];
  /** `SELECT … FINAL`: the row with the largest version of each sorting key. */
  final(): readonly Row[];
  readonly statements: readonly string[];
  /** Inserts that were dropped because of their token. */
  readonly repeated: number;
  /** Answers in place of the next requests; a lost answer comes after the statement has run. */
  failure: "lost answer" | "unavailable" | undefined;
}

interface Table {
  readonly columns: ReadonlyMap<string, string>;
  readonly orderBy: readonly string[];
  readonly version: string;
}

/** An exception with its code and its HTTP status, as the documentation has them. */
class Refusal extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, what: string) {
    super(what);
    this.status = status;
    this.code = code;
  }
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
  let table: Table | undefined;
  let repeated = 0;

  const run = (query: string, body: string, settings: URLSearchParams): void => {
    // The query in the URL and the body are one text.
    const text = query === "" ? body : query;
    statements.push(text);
    if (/^create/i.test(text)) {
      table ??= readCreate(text);
      return;
    }
    const [, name = "", columns = ""] = INSERT.exec(text) ?? [];
    if (name === "") throw new Refusal(400, 62, "Syntax error");
    if (table === undefined) throw new Refusal(404, 60, `Table default.${name} does not exist`);
    const { columns: known } = table;
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
          if (!SETTINGS.has(name)) throw new Refusal(404, 115, `Unknown setting ${name}`);
        if (request.method !== "POST")
          throw new Refusal(500, 164, "Cannot execute in readonly mode");
        run(searchParams.get("query") ?? "", body, searchParams);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const { status, code, message } = error;
        return new Response(`Code: ${code}. DB::Exception: ${message}. (version 26.10.1.1)\n`, {
          status,
          headers: { "x-clickhouse-exception-code": String(code) },
        });
      }
      return self.failure === "lost answer" ? new Response("", { status: 502 }) : new Response("");
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
    failure: undefined,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
  return self;
}

const SETTINGS = new Set([
  "query",
  "database",
  "wait_end_of_query",
  "insert_deduplication_token",
  "async_insert",
]);
/** `INSERT INTO [TABLE] [db.]table [(c1, c2, c3)] [SETTINGS ...] FORMAT format_name data_set` */
const INSERT = /^INSERT INTO (?:TABLE )?(?:\w+\.)?(\w+) \(([\w, ]+)\) FORMAT JSONEachRow$/;
/**
 * `CREATE TABLE [IF NOT EXISTS] [db.]table_name (name type, ...) ENGINE = ReplacingMergeTree([ver])
 * [PARTITION BY expr] [ORDER BY expr] [SETTINGS name = value, ...]`
 */
const CREATE =
  /^CREATE TABLE IF NOT EXISTS (?:\w+\.)?\w+\s*\(\s*([^]*?)\s*\)\s*ENGINE = ReplacingMergeTree\((\w+)\)\s*PARTITION BY toYYYYMM\((\w+)\)\s*ORDER BY \(([\w, ]+)\)\s*SETTINGS (\w+) = (\d+)$/;

function readCreate(text: string): Table {
  const parts = CREATE.exec(text);
  if (parts === null) throw new Refusal(400, 62, "Syntax error");
  const [, body = "", version = "", month = "", order = "", setting = ""] = parts;
  if (setting !== "non_replicated_deduplication_window")
    throw new Refusal(404, 115, `Unknown setting ${setting}`);
  const columns = new Map(
    body.split(/,\n/).map((line) => {
      const [, name = "", type = ""] = /^\s*(\w+) (.+)$/.exec(line) ?? [];
      if (!isType(type)) throw new Refusal(400, 50, `Unknown data type ${type}`);
      return [name, type];
    }),
  );
  const orderBy = order.split(", ");
  // A version and the expressions of keys: of columns that exist and are never null.
  if (columns.get(version) !== "UInt64") throw new Refusal(400, 169, "Bad version column");
  for (const name of [month, ...orderBy])
    if (columns.get(name)?.includes("Nullable") !== false)
      throw new Refusal(400, 44, `Bad key column ${name}`);
  return { columns, orderBy, version };
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
