import { Pool, types, type CustomTypesConfig, type PoolClient } from "pg";

const INT8 = 20;
const STATEMENT_MS = 5_000;
/** Client-side timeout, in case the server does not respond at all. */
const ANSWER_MS = 6_000;

export interface PoolOptions {
  readonly max: number;
  /** Applies statement timeouts; migrations run without. */
  readonly isBounded: boolean;
  readonly onError: (cause: unknown) => void;
  /** Sets up each connection, before its first use. */
  readonly setup?: (client: PoolClient) => Promise<unknown>;
}

export function openPool(url: string, options: PoolOptions): Pool {
  const pool = new Pool({
    connectionString: url,
    max: options.max,
    application_name: "sluice",
    connectionTimeoutMillis: 1_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    types: numbers,
    // Independent statements share a round trip.
    pipeline: true,
    ...(options.isBounded
      ? {
          statement_timeout: STATEMENT_MS,
          query_timeout: ANSWER_MS,
          idle_in_transaction_session_timeout: 2 * STATEMENT_MS,
        }
      : {}),
  });
  // An idle connection broke; its next user gets a new one.
  pool.on("error", options.onError);
  // A broken connection in use fails its query; without a listener the event
  // would also end the process.
  pool.on("connect", (client) => {
    client.on("error", () => {});
    // If it fails, the connection works, only slower.
    options.setup?.(client).catch(() => {});
  });
  return pool;
}

const numbers: CustomTypesConfig = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    if (oid === INT8 && format !== "binary") return parseInteger;
    return types.getTypeParser(oid, format);
  },
};

function parseInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is too large to count with.`);
  return value;
}
