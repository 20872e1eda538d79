import { Buffer } from "node:buffer";
import { hostOf, portOf } from "../guard.ts";
import { guardedFetch, type GuardedRequest } from "../guarded-fetch.ts";
import { CLOSED } from "../reach.ts";
import { resolveAsSystem } from "../resolve-host.ts";

const PORTS = { plain: 8_123, secure: 8_443 };

interface Statement {
  /** Settings of the statement, beside the query. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Values of the placeholders `{name:Type}`, in ClickHouse's text form. */
  readonly params?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  readonly maxAnswerBytes: number;
  readonly timeoutMs: number;
}

type StatementResult =
  | { readonly text: string; readonly failure?: never }
  /** The code of the exception, or `HTTP` and the status. */
  | { readonly failure: string };

export interface ClickHouseConnection {
  readonly host: string;
  run(statement: Statement): Promise<StatementResult>;
}

/** One user and database of a ClickHouse server, over its HTTP interface. */
export function connectToClickHouse(url: string): ClickHouseConnection {
  const { address, database, headers } = readPlace(url);
  const rules = {
    // The operator configured the server, usually in a private network.
    allow: ["0.0.0.0/0", "::/0"],
    deny: CLOSED,
    own: [],
    names: [hostOf(address)],
    ports: [portOf(address)],
    allowHttp: address.protocol === "http:",
    resolve: resolveAsSystem,
  } satisfies Partial<GuardedRequest>;
  return {
    host: address.host,
    async run({ settings, params = {}, body, maxAnswerBytes, timeoutMs }) {
      const target = new URL(address);
      // The answer starts after the statement has ended, so that its status is the result.
      const query = { database, wait_end_of_query: "1", ...settings };
      for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value);
      for (const [name, value] of Object.entries(params))
        target.searchParams.set(`param_${name}`, value);
      await using answer = await guardedFetch(target.href, {
        ...rules,
        method: "POST",
        headers,
        body,
        maxBytes: maxAnswerBytes,
        totalTimeoutMs: timeoutMs,
        firstByteTimeoutMs: timeoutMs,
      });
      const text = Buffer.concat(await Array.fromAsync(answer.body)).toString();
      const code = answer.headers.get("x-clickhouse-exception-code");
      if (answer.status === 200 && code === null) return { text };
      const [, written] = /^Code: (\d+)/.exec(text) ?? [];
      return { failure: code ?? written ?? `HTTP ${answer.status}` };
    },
  };
}

function readPlace(text: string) {
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
