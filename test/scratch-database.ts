import { Client } from "pg";

/** The PostgreSQL that tests make databases of their own on; `npm test` starts it. */
export const SERVER = process.env["TEST_DATABASE_URL"] ?? "";

export const isPostgresReachable =
  SERVER !== "" &&
  (await query(SERVER, "select 1").then(
    () => true,
    () => false,
  ));

/** A database with the schema and no rows; `npm test` makes it, once for the whole run. */
const TEMPLATE = process.env["TEST_DATABASE_TEMPLATE"] ?? "";

/**
 * A database without rows, dropped at the end whoever still uses it. It has the
 * schema already if there is a template, unless the test is about its making.
 */
export async function openScratchDatabase({ isEmpty = false } = {}): Promise<
  { readonly url: string } & AsyncDisposable
> {
  const name = `sluice_test_${crypto.randomUUID().replaceAll("-", "")}`;
  const template = isEmpty || TEMPLATE === "" ? "" : ` template ${TEMPLATE}`;
  await query(SERVER, `create database ${name}${template}`);
  return {
    url: urlOfDatabase(name),
    [Symbol.asyncDispose]: async () => {
      await query(SERVER, `drop database ${name} with (force)`);
    },
  };
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
