/** An exception with its code and its HTTP status, as the documentation has them. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, what: string) {
    super(what);
    this.status = status;
    this.code = code;
  }
}

type Bound = string | number;

/** A statement of SQLite with the same result. */
interface Translated {
  readonly sql: string;
  readonly values: readonly Bound[];
  /** The types of the result's columns. */
  readonly columns: ReadonlyMap<string, string>;
}

interface Term {
  readonly sql: string;
  readonly type: string;
}

/**
 * The part of ClickHouse's SELECT that the log of calls needs, in SQLite's words. Written from
 * https://clickhouse.com/docs/sql-reference/statements/select and its pages of functions. Times
 * are milliseconds there, and arrays texts of JSON. Whatever it does not know is a syntax error.
 */
export function translateSelect(
  text: string,
  columns: ReadonlyMap<string, string>,
  parameters: URLSearchParams,
): Translated {
  return new SelectReader(text, columns, parameters).read();
}

const TOKEN =
  /\s*(?:([A-Za-z_][A-Za-z0-9_]*)|'((?:[^'\\]|\\.)*)'|(\{\w+:[\w()]+\})|(>=|<=|[(),=<>+]))/y;

class SelectReader {
  readonly #tokens: readonly string[];
  readonly #columns: ReadonlyMap<string, string>;
  readonly #parameters: URLSearchParams;
  readonly #values: Bound[] = [];
  #at = 0;

  constructor(text: string, columns: ReadonlyMap<string, string>, parameters: URLSearchParams) {
    this.#tokens = tokensOf(text);
    this.#columns = columns;
    this.#parameters = parameters;
  }

  read(): Translated {
    this.#take("SELECT");
    const items = this.#listOf(() => this.#item());
    this.#take("FROM");
    const table = this.#next();
    this.#take("WHERE");
    const condition = this.#all();
    this.#take("ORDER");
    this.#take("BY");
    const order = this.#column().sql;
    const direction = this.#next();
    if (direction !== "ASC" && direction !== "DESC") throw syntaxError(direction);
    const limit = this.#takeIf("LIMIT") ? ` limit ${this.#limit()}` : "";
    this.#take("FORMAT");
    this.#take("JSONEachRow");
    if (this.#at !== this.#tokens.length) throw syntaxError(this.#next());
    const selected = items.map(({ name, sql }) => `${sql} as "${name}"`).join(", ");
    return {
      sql: `select ${selected} from ${table} where ${condition} order by ${order} ${direction}${limit}`,
      values: this.#values,
      columns: new Map(items.map(({ name, type }) => [name, type])),
    };
  }

  #item(): Term & { readonly name: string } {
    const start = this.#at;
    const term = this.#primary();
    if (!this.#takeIf("AS")) return { ...term, name: this.#tokens[start] ?? "" };
    const name = this.#next();
    // The alias would stand for the expression in the whole statement.
    if (this.#columns.has(name)) throw new Refusal(400, 179, `Alias ${name} is a column`);
    return { ...term, name };
  }

  #limit(): string {
    const { sql, type } = this.#primary();
    if (!type.startsWith("UInt")) throw new Refusal(400, 440, "LIMIT must be an unsigned number");
    return sql;
  }

  #all(): string {
    const conditions = [this.#any()];
    while (this.#takeIf("AND")) conditions.push(this.#any());
    return conditions.join(" and ");
  }

  #any(): string {
    if (!this.#takeIf("(")) return this.#comparison();
    const conditions = [this.#comparison()];
    while (this.#takeIf("OR")) conditions.push(this.#comparison());
    this.#take(")");
    return `(${conditions.join(" or ")})`;
  }

  #comparison(): string {
    const left = this.#sum();
    if (left.type === "Bool") return left.sql;
    const operator = this.#next();
    if (operator === "IS") {
      this.#take("NULL");
      return `${left.sql} is null`;
    }
    const right = this.#sum();
    if (operator === "IN") {
      assertAlike(`Array(${left.type})`, right.type);
      return `${left.sql} in (select value from json_each(${right.sql}))`;
    }
    if (!/^(?:=|[<>]=?)$/.test(operator)) throw syntaxError(operator);
    assertAlike(left.type, right.type);
    return `${left.sql} ${operator} ${right.sql}`;
  }

  #sum(): Term {
    const first = this.#primary();
    if (!this.#takeIf("+")) return first;
    const second = this.#primary();
    assertAlike(first.type, "Int64");
    assertAlike(second.type, "Int64");
    return { sql: `${first.sql} + ${second.sql}`, type: "Int64" };
  }

  #primary(): Term {
    const token = this.#tokens[this.#at] ?? "";
    if (token.startsWith("{")) return this.#parameter();
    return this.#tokens[this.#at + 1] === "(" ? this.#call() : this.#column();
  }

  #call(): Term {
    const name = this.#next();
    this.#take("(");
    const [first, second] = this.#listOf(() => this.#argument());
    this.#take(")");
    if (first === undefined) throw syntaxError(name);
    const made = FUNCTIONS[name]?.(first, second);
    if (made === undefined) throw new Refusal(404, 46, `Function ${name} does not exist`);
    return made;
  }

  #argument(): Term {
    const token = this.#tokens[this.#at] ?? "";
    if (!token.startsWith("'")) return this.#primary();
    this.#at++;
    return { sql: token.slice(1), type: "literal" };
  }

  #column(): Term {
    const name = this.#next();
    const type = this.#columns.get(name);
    if (type === undefined) throw new Refusal(404, 47, `Unknown identifier ${name}`);
    return { sql: name, type: plainType(type) };
  }

  #parameter(): Term {
    const [, name = "", type = ""] = /^\{(\w+):(.+)\}$/.exec(this.#next()) ?? [];
    const written = this.#parameters.get(`param_${name}`);
    if (written === null) throw new Refusal(400, 456, `Parameter ${name} is not set`);
    this.#values.push(readParameter(written, type));
    return { sql: "?", type };
  }

  #listOf<T>(read: () => T): readonly T[] {
    const found = [read()];
    while (this.#takeIf(",")) found.push(read());
    return found;
  }

  #next(): string {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw syntaxError("the end");
    return token;
  }

  #take(expected: string): void {
    const token = this.#next();
    if (token !== expected) throw syntaxError(token);
  }

  #takeIf(expected: string): boolean {
    if (this.#tokens[this.#at] !== expected) return false;
    this.#at++;
    return true;
  }
}

const FUNCTIONS: Readonly<Record<string, (first: Term, second?: Term) => Term>> = {
  toUnixTimestamp64Milli({ sql, type }) {
    assertAlike(type, "DateTime64");
    return { sql, type: "Int64" };
  },
  fromUnixTimestamp64Milli({ sql, type }, zone) {
    assertAlike(type, "Int64");
    if (zone?.sql !== "UTC") throw new Refusal(400, 36, "Unknown time zone");
    return { sql, type: "DateTime64" };
  },
  JSONExtract({ sql, type }, as) {
    assertAlike(type, "String");
    if (as?.sql !== "Array(String)") throw new Refusal(400, 50, "Unknown type");
    return { sql, type: "Array(String)" };
  },
  has(list, item) {
    assertAlike(list.type, "Array(String)");
    assertAlike(item?.type ?? "", "String");
    const sql = `exists (select 1 from json_each(${list.sql}) where value = ${item?.sql})`;
    return { sql, type: "Bool" };
  },
};

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  const pattern = new RegExp(TOKEN);
  while (pattern.lastIndex < text.trimEnd().length) {
    const from = pattern.lastIndex;
    const parts = pattern.exec(text);
    if (parts === null) throw syntaxError(text.slice(from, from + 20));
    const [, word, literal, parameter, sign] = parts;
    tokens.push(literal === undefined ? (word ?? parameter ?? sign ?? "") : `'${literal}`);
  }
  return tokens;
}

function syntaxError(at: string): Refusal {
  return new Refusal(400, 62, `Syntax error: failed at ${at}`);
}

export function plainType(type: string): string {
  const inner = type.replaceAll(/(?:LowCardinality|Nullable)\(((?:[^()]|\([^()]*\))*)\)/g, "$1");
  return inner === type ? type.replace(/\(.*\)$/, "") : plainType(inner);
}

/** ClickHouse converts numbers; a text beside a number is an error. */
function assertAlike(one: string, other: string): void {
  const kind = (type: string): string => type.replaceAll(/U?Int\d+/g, "number");
  if (kind(one) !== kind(other)) throw new Refusal(400, 386, `No common type: ${one}, ${other}`);
}

/** Parameters have the form of fields of tab-separated values. */
function readParameter(written: string, type: string): Bound {
  if (type === "String") {
    if (/[\t\n]/.test(written)) throw new Refusal(400, 457, "A value is not parsed completely");
    return unescaped(written);
  }
  const [, inner] = /^Array\((.+)\)$/.exec(type) ?? [];
  if (inner !== undefined) return JSON.stringify(readArray(written, inner));
  return readNumber(written, type);
}

function readNumber(written: string, type: string): number {
  const isUnsigned = type.startsWith("U");
  if (!/^U?Int(?:32|64)$/.test(type)) throw new Refusal(400, 50, `Unknown data type ${type}`);
  if (!(isUnsigned ? /^\d{1,16}$/ : /^-?\d{1,16}$/).test(written))
    throw new Refusal(400, 457, `${written} cannot be parsed as ${type}`);
  return Number(written);
}

function readArray(written: string, type: string): readonly Bound[] {
  if (!/^\[.*\]$/s.test(written)) throw new Refusal(400, 457, "An array has brackets");
  const body = written.slice(1, -1);
  if (type !== "String")
    return body === "" ? [] : body.split(",").map((each) => readNumber(each, type));
  const items = body.match(/'(?:[^'\\]|\\.)*'/gs) ?? [];
  if (items.join(",") !== body) throw new Refusal(400, 457, "Texts of an array have quotes");
  return items.map((each) => unescaped(each.slice(1, -1)));
}

const ESCAPED: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r", "0": "\0" };

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/gs, (_, each: string) => ESCAPED[each] ?? each);
}
