/**
 * Keeps a database as some version of the gateway leaves it, for the tests of
 * upgrades: `bun test/storage/versions/keep.ts [ROOT]` starts the gateway in
 * the folder ROOT (this repository by default) on SQLite and on PostgreSQL,
 * makes calls and rows through its interfaces, and writes one dump for each.
 * Run it once for each new migration, before the version ships.
 */
import { Database } from "bun:sqlite";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startSandbox } from "@sluice/sandbox/server.ts";
import { startProgram } from "#test/program.ts";
import { startServices } from "#test/services/start.ts";
import { channelTo, EMAIL, KEPT_SECRET, KEY, PASSWORD, VERSIONS } from "./versions.ts";

if (import.meta.main) {
  await using services = await startServices(["TEST_DATABASE_URL"]);
  Object.assign(process.env, services.env);
  const root = resolve(process.argv[2] ?? ".");
  const name = lastMigration(root);
  writeFileSync(join(VERSIONS, `${name}.sqlite.sql`), await dumpSqlite(root));
  writeFileSync(join(VERSIONS, `${name}.postgres.sql`), await dumpPostgres(root));
  process.stdout.write(`kept ${name}\n`);
}

function lastMigration(root: string): string {
  const files = readdirSync(join(root, "src/storage/migrations")).toSorted();
  return files.findLast((file) => /^\d{4}-/.test(file))?.replace(".ts", "") ?? "";
}

async function dumpSqlite(root: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-keep-"));
  try {
    await fill(root, folder, {});
    const db = new Database(join(folder, "sluice.db"), { readonly: true });
    const made = db.query<{ type: string; name: string; sql: string | null }, []>(
      "select type, name, sql from sqlite_master order by rowid",
    );
    const lines: string[] = [];
    const after: string[] = [];
    for (const { type, name, sql } of made.all()) {
      if (sql === null || name.startsWith("sqlite_")) continue;
      (type === "table" ? lines : after).push(`${sql};`);
      if (type !== "table") continue;
      for (const row of db.query<Record<string, Cell>, []>(`select * from "${name}"`).all()) {
        const columns = Object.keys(row).map((each) => `"${each}"`);
        const values = Object.values(row).map(literal);
        lines.push(`INSERT INTO "${name}" (${columns.join(",")}) VALUES (${values.join(",")});`);
      }
    }
    db.close();
    return `${[...lines, ...after].join("\n")}\n`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

type Cell = string | number | bigint | Uint8Array | null;

function literal(value: Cell): string {
  if (value === null) return "NULL";
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString("hex")}'`;
  return `'${value.replaceAll("'", "''")}'`;
}

async function dumpPostgres(root: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-keep-"));
  // It reads the server's address once.
  const { openScratchDatabase } = await import("#test/scratch-database.ts");
  await using database = await openScratchDatabase({ isEmpty: true });
  try {
    await fill(root, folder, { DATABASE_URL: database.url });
    const dump = execFileSync(
      "pg_dump",
      ["--inserts", "--no-owner", "--no-privileges", "--no-comments", database.url],
      { encoding: "utf8" },
    );
    // Settings and commands of the client differ between versions of PostgreSQL.
    const lines = dump.split("\n").filter((line) => !/^(SET |--|\\|SELECT pg_catalog)/.test(line));
    return `${lines
      .join("\n")
      .replaceAll(/\n{2,}/g, "\n")
      .trim()}\n`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Lets a gateway make rows in as many tables as its version has ways to. */
async function fill(root: string, dataDir: string, env: Record<string, string>): Promise<void> {
  await using vendor = await startSandbox();
  const file = join(dataDir, "sluice.yaml");
  writeFileSync(file, channelTo(vendor.url));
  await using program = await startProgram(
    {
      SLUICE_DATA_DIR: dataDir,
      SLUICE_CONFIG: file,
      SLUICE_SECRET: KEPT_SECRET,
      SLUICE_BOOTSTRAP_KEY: KEY,
      SLUICE_ADMIN_EMAIL: EMAIL,
      SLUICE_ADMIN_PASSWORD: PASSWORD,
      ...env,
    },
    // Older versions refuse limits that they do not know.
    [
      "/usr/bin/env",
      "-u",
      "SLUICE_LIMIT_DRAIN_DELAY_MS",
      process.execPath,
      join(root, "src/main.ts"),
      "start",
    ],
  );
  const messages = [{ role: "user", content: "Name a colour." }];
  const call = async (path: string, body: object, more: Record<string, string> = {}) => {
    const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json", ...more };
    const reply = await fetch(program.url + path, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    await reply.arrayBuffer();
    return reply;
  };
  await call("/v1/chat/completions", { model: "gpt-4o-mini", messages });
  await call("/v1/chat/completions", { model: "gpt-4o-mini", messages, stream: true });
  await call(
    "/v1/chat/completions",
    { model: "gpt-4o-mini", messages },
    { "idempotency-key": "1" },
  );
  await call("/v1/responses", { model: "gpt-4o-mini", input: "Name a colour.", store: true });
  await call("/v1/embeddings", { model: "text-embedding-3-small", input: "a" });
  await call("/v1/videos", { model: "sora-2", prompt: "a cat", seconds: "4" });

  const login = await call("/api/user/login", { email: EMAIL, password: PASSWORD });
  const cookie = login.headers
    .getSetCookie()
    .map((each) => each.split(";", 1)[0])
    .join("; ");
  const as = { authorization: "", cookie, origin: program.url };
  const person = { username: "kim", email: "kim@example.com", password: PASSWORD, role: "user" };
  await call("/api/user", person, as);
  await call("/api/token", { name: "kept", quota_usd: 5 }, as);
  await call("/api/team", { name: "team" }, as);
  await call("/api/group", { name: "group", price_factor: 2 }, as);
  await call(
    "/api/channel",
    { name: "stored", provider: "openai", base_url: `${vendor.url}/openai/v1`, api_key: "sk-kept" },
    as,
  );
  await program.end("SIGTERM");
}
