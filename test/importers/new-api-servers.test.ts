import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import type { JsonObject } from "#lib/json.ts";
import { listOf } from "#lib/values.ts";
import { isPostgresReachable, openScratchDatabase } from "#test/scratch-database.ts";
import { startServices } from "#test/services/start.ts";
import { withShared } from "#test/shared.ts";
import {
  callWith,
  listed,
  number,
  objectsIn,
  pointAtVendor,
  round,
  text,
  usersByName,
} from "./expected.ts";
import { openImporting, readExpected, readMaterial, type Importing } from "./importing.ts";
import { loadPostgres } from "./postgres-dump.ts";

const UNITS = 500_000;

withShared("importers", () => {
  describe.skipIf(!isPostgresReachable)("new-api on PostgreSQL", () => {
    const expected = readExpected("new-api.pg.expected.json");
    let at: Importing;
    let sandbox: Sandbox;
    let database: { readonly url: string } & AsyncDisposable;
    beforeAll(async () => {
      database = await openScratchDatabase({ isEmpty: true });
      await loadPostgres("new-api.pg.sql", database.url);
      at = await openImporting({ SQL_DSN: keywordsOf(database.url) });
      sandbox = await startSandbox();
      const plan = await at.run("new-api");
      await at.run("new-api", "--apply", text(plan, "digest"));
    });
    afterAll(async () => {
      await at[Symbol.asyncDispose]();
      await sandbox.stop();
      await database[Symbol.asyncDispose]();
    });

    test("users have the same amounts left and spent", async () => {
      const users = await usersByName(at);
      for (const wanted of objectsIn(expected, "users")) {
        const name = text(wanted, "username");
        const user = users.get(name === "root" ? "root-new-api" : name) ?? {};
        const used = number(user, "used_usd");
        expect([name, used, round(number(user, "quota_usd") - used), user["status"]]).toEqual([
          name,
          round(number(wanted, "usedQuota") / UNITS),
          round(number(wanted, "quotaLeft") / UNITS),
          wanted["status"] ?? 0,
        ]);
      }
    });

    test("channels have their credentials, groups and models", async () => {
      const channels = await listed(at, "/api/channel");
      for (const wanted of objectsIn(expected, "channels")) {
        const name = text(wanted, "name");
        const channel = channels.find((each) => each["name"] === name) ?? {};
        const models = channels
          .filter((each) => text(each, "name").replace(/-2$/, "") === name)
          .flatMap((each) => listOf(each["models"]).length);
        expect([name, channel["status"], models.reduce((sum, each) => sum + each, 0)]).toEqual([
          name,
          wanted["status"] === 1 ? 1 : 2,
          text(wanted, "models").split(",").length,
        ]);
      }
    });

    test("each key that is enabled there works here as it is", async () => {
      await pointAtVendor(at, sandbox.url);
      const disabled = new Set(["frank"]);
      const outcomes: JsonObject = {};
      const wanted: JsonObject = {};
      for (const token of objectsIn(expected, "tokens")) {
        const [model = ""] = (
          token["modelLimits"] === null ? "gpt-4o-mini" : text(token, "modelLimits")
        ).split(",");
        const status = await callWith(at, text(token, "callerSends"), model);
        Object.assign(outcomes, { [text(token, "name")]: status === 200 });
        const isGood = token["status"] === 1 && !disabled.has(text(token, "owner"));
        Object.assign(wanted, { [text(token, "name")]: isGood });
      }

      expect(outcomes).toEqual(wanted);
    });
  });

  describe("new-api on MariaDB", async () => {
    await using services = new AsyncDisposableStack();
    const started = services.use(await startServices(["TEST_MARIADB_URL"]));
    const server = started.env["TEST_MARIADB_URL"] ?? process.env["TEST_MARIADB_URL"] ?? "";
    const held = services.move();
    afterAll(() => held.disposeAsync());

    test.skipIf(server === "")("the same rows give the same plan as on SQLite", async () => {
      using rows = new Database(":memory:");
      rows.run(readMaterial("new-api.sqlite.sql"));
      await using database = await openMariaDatabase(server);
      await copyTables(rows, database.url);
      await using at = await openImporting();

      const plan = await at.run("new-api", database.dsn);
      await at.run("new-api", database.url, "--apply", text(plan, "digest"));

      const counts = Map.groupBy(objectsIn(plan, "items"), (each) => text(each, "kind"));
      expect([...counts].map(([kind, items]) => [kind, items.length])).toEqual([
        ["channels", 15],
        ["models", 20],
        ["groups", 5],
        ["users", 9],
        ["keys", 24],
      ]);
      const users = await usersByName(at);
      expect(users.get("alice")).toMatchObject({ used_usd: 0.131458, email: "alice@example.com" });
      const again = await at.run("new-api", database.url);
      expect(new Set(objectsIn(again, "items").map((each) => each["action"]))).toEqual(
        new Set(["present"]),
      );
    });
  });
});

/** PostgreSQL's other form of an address, as programs in Go take it. */
function keywordsOf(address: string): string {
  const { hostname, port, username, password, pathname } = new URL(address);
  return `host=${hostname} port=${port} user=${username} password='${password}' dbname=${pathname.slice(1)} sslmode=disable`;
}

async function openMariaDatabase(
  server: string,
): Promise<{ readonly url: string; readonly dsn: string } & AsyncDisposable> {
  const name = `new_api_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`;
  const run = async (statement: string): Promise<void> => {
    await using sql = new Bun.SQL(server, { max: 1 });
    await sql.unsafe(statement);
  };
  await run(`create database ${name} character set utf8mb4`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const { hostname, port, username, password } = url;
  return {
    url: url.href,
    dsn: `${username}:${password}@tcp(${hostname}:${port})/${name}?charset=utf8mb4&parseTime=true`,
    [Symbol.asyncDispose]: () => run(`drop database ${name}`),
  };
}

/** Columns that gorm makes of a number in SQLite and of another type in MySQL. */
function typeOf(declared: string, isKey: boolean): string {
  const type = declared.toLowerCase();
  if (type.includes("int")) return "bigint";
  if (type === "numeric") return "tinyint(1)";
  if (type === "real") return "double";
  if (type === "json") return "json";
  if (type === "datetime") return "datetime(3)";
  return isKey ? "varchar(191)" : "longtext";
}

async function copyTables(from: Database, url: string): Promise<void> {
  await using sql = new Bun.SQL(url, { max: 1 });
  for (const table of [
    "channels",
    "users",
    "tokens",
    "options",
    "redemptions",
    "user_subscriptions",
  ]) {
    const columns = from
      .query<{ name: string; type: string; pk: number }, []>(`pragma table_info(${table})`)
      .all();
    const defined = columns.map(({ name, type, pk }) => `\`${name}\` ${typeOf(type, pk > 0)}`);
    await sql.unsafe(`create table \`${table}\` (${defined.join(", ")})`);
    for (const row of from.query<Record<string, unknown>, []>(`select * from ${table}`).all()) {
      const names = Object.keys(row).map((name) => `\`${name}\``);
      const values = Object.values(row).map(toMysql);
      const marks = values.map(() => "?").join(", ");
      await sql.unsafe(`insert into \`${table}\` (${names.join(", ")}) values (${marks})`, values);
    }
  }
}

function toMysql(value: unknown): unknown {
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  const [time] = (typeof value === "string" && /^\d{4}-\d\d-\d\d [\d:.]{8,12}/.exec(value)) || [];
  return time ?? value;
}
