interface Place {
  readonly kind: "postgres" | "mysql" | "sqlite";
  /** A URL, or a path of SQLite. */
  readonly at: string;
}

/** The form of the MySQL driver of Go: `user:password@tcp(host:port)/database?options`. */
const GO_MYSQL = /^(?:([^:@/]*)(?::(.*))?@)?(?:tcp)?\(([^()]*)\)\/([^?/]*)(?:\?.*)?$/;
const KEYWORD = /(\w+)\s*=\s*('(?:[^'\\]|\\.)*'|\S*)/g;
const DEFAULT_PORT = "3306";

/**
 * A `postgres://`, `mysql://` or `file:` URL, the DSN of Go's MySQL driver, PostgreSQL's list of
 * keywords (`host=... dbname=...`), or a path of an SQLite file, also with options behind `?`.
 */
export function readPlace(place: string): Place {
  if (/^postgres(?:ql)?:\/\//.test(place)) return { kind: "postgres", at: place };
  if (/^(?:mysql2?|mariadb):\/\//.test(place)) {
    return { kind: "mysql", at: place.replace(/^[a-z0-9]+:/, "mysql:") };
  }
  const dsn = GO_MYSQL.exec(place);
  if (dsn !== null) return { kind: "mysql", at: fromDsn(dsn) };
  if (/(?:^|\s)host\s*=/.test(place) && place.includes("dbname")) {
    return { kind: "postgres", at: fromKeywords(place) };
  }
  const path = place.replace(/^(?:sqlite|file):(?:\/\/)?/, "").replace(/\?.*$/s, "");
  return { kind: "sqlite", at: path };
}

function fromDsn([
  ,
  user = "",
  password = "",
  address = "",
  database = "",
]: RegExpExecArray): string {
  const url = new URL("mysql://localhost");
  const [host = "", port = DEFAULT_PORT] = address.split(":");
  url.hostname = host === "" ? "127.0.0.1" : host;
  url.port = port;
  url.username = encodeURIComponent(user);
  url.password = encodeURIComponent(password);
  url.pathname = `/${encodeURIComponent(database)}`;
  return url.href;
}

function fromKeywords(place: string): string {
  const words = new Map<string, string>();
  for (const [, name = "", value = ""] of place.matchAll(KEYWORD)) {
    words.set(name, value.replace(/^'(.*)'$/s, "$1").replaceAll(/\\(.)/g, "$1"));
  }
  const url = new URL("postgres://localhost");
  url.hostname = words.get("host") ?? "127.0.0.1";
  url.port = words.get("port") ?? "";
  url.username = encodeURIComponent(words.get("user") ?? "");
  url.password = encodeURIComponent(words.get("password") ?? "");
  url.pathname = `/${encodeURIComponent(words.get("dbname") ?? "")}`;
  const sslmode = words.get("sslmode");
  if (sslmode !== undefined) url.searchParams.set("sslmode", sslmode);
  return url.href;
}
