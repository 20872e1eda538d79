import { Client } from "pg";

/** The PostgreSQL that tests make databases of their own on; `npm test` starts it. */
export const SERVER = process.env["TEST_DATABASE_URL"] ?? "";

/** 150002 for 15.2; undefined if it cannot be reached. */
const VERSION = SERVER === "" ? undefined : await findVersion().catch(() => undefined);
export const isPostgresReachable = VERSION !== undefined;

/** A database with the schema and no rows; `npm test` makes it, once for the whole run. */
const TEMPLATE = process.env["TEST_DATABASE_TEMPLATE"] ?? "";
/** Copying its files takes a third of the time of copying its pages, which is the default. */
const COPY = VERSION !== undefined && VERSION >= 150_000 ? " strategy file_copy" : "";

/**
 * A database without rows, dropped at the end whoever still uses it. It has the
 * schema already if there is a template, unless the test is about its making.
 */
export async function openScratchDatabase({ isEmpty = false } = {}): Promise<
  { readonly url: string } & AsyncDisposable
> {
  const name = `sluice_test_${crypto.randomUUID().replaceAll("-", "")}`;
  const template = isEmpty || TEMPLATE === "" ? "" : ` template ${TEMPLATE}${COPY}`;
  await manage(`create database ${name}${template}`);
  return {
    url: urlOfDatabase(name),
    [Symbol.asyncDispose]: async () => {
      await manage(`drop database ${name} with (force)`);
    },
  };
}

let manager: Promise<Client> | undefined;

/** On one connection for all tests of a process: opening one takes 5 ms of processor time. */
async function manage(statement: string): Promise<void> {
  manager ??= connect(SERVER);
  const client = await manager.catch((cause: unknown) => {
    manager = undefined;
    throw cause;
  });
  await client.query(statement);
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  // A test may restart the server.
  client.on("error", () => (manager = undefined));
  await client.connect();
  return client;
}

async function findVersion(): Promise<number> {
  const [row] = await query<{ version: number }>(
    SERVER,
    "select current_setting('server_version_num')::int as version",
  );
  return row?.version ?? 0;
}

export function urlOfDatabase(name: string, server = SERVER): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** On a connection of its own. */
export async function query<T>(url: string, statement: string): Promise<T[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  await client.connect();
  try {
    return (await client.query(statement)).rows as T[];
  } finally {
    await client.end();
  }
}
