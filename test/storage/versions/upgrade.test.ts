import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSandbox } from "@sluice/sandbox/server.ts";
import { MIGRATIONS } from "#storage/migrations/list.ts";
import { isPostgresReachable, openScratchDatabase, query } from "#test/scratch-database.ts";
import { openConfigured } from "#test/harness.ts";
import { IS_LONG } from "#test/seed.ts";
import { waitFor } from "#test/wait.ts";
import {
  channelTo,
  type Engine,
  EMAIL,
  KEPT_SECRET,
  keptVersions,
  KEY,
  PASSWORD,
  VERSIONS,
} from "./versions.ts";

const HOUR_MS = 3_600_000;

let vendor: Awaited<ReturnType<typeof startSandbox>>;
beforeAll(async () => void (vendor = await startSandbox()));
afterAll(() => vendor[Symbol.asyncDispose]());

test("the newest schema has a stored database, created by `bun test/storage/versions/keep.ts`", () => {
  const newest = Object.keys(MIGRATIONS).toSorted().at(-1) ?? "";
  expect(keptVersions("sqlite").at(-1)).toBe(newest);
  expect(keptVersions("postgres")).toEqual(keptVersions("sqlite"));
});

describe("a database on SQLite", () => {
  test.each(keptVersions("sqlite"))("of version %s is migrated", async (version) => {
    await using folder = openFolder();
    restoreSqlite(folder.path, dumpOf(version, "sqlite"));

    await expectKept({ SLUICE_DATA_DIR: folder.path });

    expect(sqliteSchema(folder.path)).toEqual(await freshSqliteSchema());
  });
});

test("the usage of earlier hours counts once after sums of days were introduced", async () => {
  await using folder = openFolder();
  restoreSqlite(folder.path, dumpOf("0036-channel-states", "sqlite"));
  const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 3 * HOUR_MS;
  const db = new Database(join(folder.path, "sluice.db"));
  const columns = db
    .query<{ name: string; type: string }, []>("pragma table_info(usage_hours)")
    .all();
  const values = columns.map(({ name, type }) =>
    name === "hour" ? hour : name === "cost" ? 5_000_000 : type === "TEXT" ? "kept" : 7,
  );
  db.run(
    `insert into usage_hours (${columns.map(({ name }) => `"${name}"`).join(", ")}) values (${values.map(() => "?").join(", ")})`,
    values,
  );
  db.close();

  await using _gateway = await start({ SLUICE_DATA_DIR: folder.path });
  const read = new Database(join(folder.path, "sluice.db"), { readonly: true });
  const one = (sql: string) => Number(Object.values(read.query(sql).get() ?? {})[0] ?? 0);
  const folded = "select value from meta where key = 'usage_folded'";
  await waitFor(() => one(folded) > hour);
  // The job that adds hours runs at the start; a second addition would be here by then.
  await Bun.sleep(1_000);

  expect(one("select sum(cost) from usage_days where user_id = 7")).toBe(5_000_000);
  read.close();
});

describe.skipIf(!isPostgresReachable)("a database on PostgreSQL", () => {
  // Each SQLite version is tested in every run; the migrations are the same for both engines.
  const versions = keptVersions("postgres").filter((_, at) => IS_LONG || at % 3 === 0);
  test.each(versions)("of version %s is migrated", async (version) => {
    await using folder = openFolder();
    await using database = await openScratchDatabase({ isEmpty: true });
    await query(database.url, dumpOf(version, "postgres"));

    await expectKept({ SLUICE_DATA_DIR: folder.path, DATABASE_URL: database.url });

    expect(await postgresSchema(database.url)).toEqual(await freshPostgresSchema());
  });
});

/** The key, the login, the spent amount and the calls of the old version are there, and a call is charged. */
async function expectKept(env: Readonly<Record<string, string>>): Promise<void> {
  await using gateway = await start(env, channelTo(vendor.url));
  const ask = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    let reply = await fetch(gateway.url + path, init);
    // A busy database may need longer than an admission waits.
    await waitFor(async () => {
      if (reply.status === 503) reply = await fetch(gateway.url + path, init);
      return reply.status !== 503;
    });
    expect([path, reply.status]).toEqual([path, 200]);
    return await reply.json();
  };
  const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
  const body = JSON.stringify({
    model: "gpt-4o-mini",
    messages: [{ role: "user", content: "Name a colour." }],
  });
  await ask("/v1/chat/completions", { method: "POST", headers, body });

  const login = await fetch(`${gateway.url}/api/user/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
  });
  expect(login.status).toBe(200);
  const cookie = login.headers
    .getSetCookie()
    .map((each) => each.split(";", 1)[0])
    .join("; ");
  const log = await ask("/api/log", { headers: { cookie } });
  // Two calls at the least by the kept version, and one now.
  expect(itemsOf(log).length).toBeGreaterThanOrEqual(3);
  const keys = itemsOf(await ask("/api/token", { headers: { cookie } }));
  expect(keys).toContainEqual(expect.objectContaining({ status: 1 }));
}

const freshSqliteSchema = once(async () => {
  await using folder = openFolder();
  await startOnce({ SLUICE_DATA_DIR: folder.path });
  return sqliteSchema(folder.path);
});

const freshPostgresSchema = once(async () => {
  await using folder = openFolder();
  await using database = await openScratchDatabase({ isEmpty: true });
  await startOnce({ SLUICE_DATA_DIR: folder.path, DATABASE_URL: database.url });
  return await postgresSchema(database.url);
});

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

function itemsOf(answer: unknown): readonly unknown[] {
  const { data } = answer as { data: { items: readonly unknown[] } };
  return data.items;
}

async function startOnce(env: Readonly<Record<string, string>>): Promise<void> {
  await using _gateway = await start(env);
}

/** No key is given, so the kept one must be in the database. */
async function start(env: Readonly<Record<string, string>>, yaml = "") {
  return await openConfigured(yaml, {
    SLUICE_SECRET: KEPT_SECRET,
    SLUICE_SANDBOX: "on",
    SLUICE_ADMIN_EMAIL: EMAIL,
    SLUICE_ADMIN_PASSWORD: PASSWORD,
    ...env,
  });
}

function openFolder(): { readonly path: string } & AsyncDisposable {
  const path = mkdtempSync(join(tmpdir(), "sluice-upgrade-"));
  return { path, [Symbol.asyncDispose]: async () => rmSync(path, { recursive: true }) };
}

function dumpOf(version: string, engine: Engine): string {
  return readFileSync(join(VERSIONS, `${version}.${engine}.sql`), "utf8");
}

function restoreSqlite(folder: string, dump: string): void {
  const db = new Database(join(folder, "sluice.db"), { create: true });
  db.run(dump);
  db.close();
}

/** Tables with their columns, and indexes with their definition; the order of columns is history. */
function sqliteSchema(folder: string): unknown {
  const db = new Database(join(folder, "sluice.db"), { readonly: true });
  const columns = db
    .query(
      `select m.name as tbl, c.name, c.type, c."notnull", c.dflt_value, c.pk
       from sqlite_master m join pragma_table_info(m.name) c where m.type = 'table' order by 1, 2`,
    )
    .all();
  const others = db
    .query("select type, name, tbl_name from sqlite_master where type <> 'table' order by 1, 2")
    .all();
  db.close();
  return { columns, others };
}

async function postgresSchema(url: string): Promise<unknown> {
  const columns = await query(
    url,
    `select table_name, column_name, data_type, is_nullable, column_default
     from information_schema.columns where table_schema = 'public' order by 1, 2`,
  );
  const indexes = await query(
    url,
    "select indexname, indexdef from pg_indexes where schemaname = 'public' order by 1",
  );
  return { columns, indexes };
}
