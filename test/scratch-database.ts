import { Client } from "pg";

/** The PostgreSQL that tests make databases of their own on; `npm test` starts it. */
export const SERVER = process.env["TEST_DATABASE_URL"] ?? "";

export const isPostgresReachable =
  SERVER !== "" &&
  (await query(SERVER, "select 1").then(
    () => true,
    () => false,
  ));

/** An empty database, dropped at the end whoever still uses it. */
export async function openScratchDatabase(): Promise<{ readonly url: string } & AsyncDisposable> {
  const name = `sluice_test_${crypto.randomUUID().replaceAll("-", "")}`;
  await query(SERVER, `create database ${name}`);
  return {
    url: urlOfDatabase(name),
    [Symbol.asyncDispose]: async () => {
      await query(SERVER, `drop database ${name} with (force)`);
    },
  };
}

export function urlOfDatabase(name: string): string {
  const url = new URL(SERVER);
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
