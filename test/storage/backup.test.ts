import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { verifyWholeLedger } from "#storage/accounts/ledger-reader.ts";
import { openAuditReader } from "#storage/audit/audit-reader.ts";
import { verifyBackup } from "#storage/backup/read-backup.ts";
import { restoreBackup } from "#storage/backup/restore-backup.ts";
import type { DatabasePlace } from "#storage/backup/source.ts";
import { writeBackup } from "#storage/backup/write-backup.ts";
import { findPepper } from "#storage/secrets/secrets.ts";
import { openSimulated, openTestGateway, simulatedChannel } from "#test/harness.ts";
import { reasonOf } from "./contract-place.ts";
import { KEPT_SECRET, keptVersions, VERSIONS } from "./versions/versions.ts";
import { isPostgresReachable, openScratchDatabase, query } from "#test/scratch-database.ts";

const FOLDER = mkdtempSync(join(tmpdir(), "sluice-backup-"));
afterAll(() => rmSync(FOLDER, { recursive: true }));

const BODY = { model: "gpt-4o-mini", messages: [{ role: "user", content: "Name a colour." }] };

/** A gateway with calls before, while and after its database is backed up. */
type Running = Awaited<ReturnType<typeof openSimulated>>;

async function backUpUnderCalls(running: Running, place: DatabasePlace, path: string) {
  let isOver = false;
  let calls = 0;
  const caller = async (): Promise<void> => {
    while (!isOver) {
      const answer = await running.post("/v1/chat/completions", BODY);
      expect(answer.status).toBe(200);
      await answer.text();
      calls++;
    }
  };
  const callers = [caller(), caller(), caller(), caller()];
  while (calls < 20) await Bun.sleep(5);
  const end = await writeBackup({ place, path, gateway: "1.2.3", now: Date.now() });
  const during = calls;
  while (calls < during + 5) await Bun.sleep(5);
  isOver = true;
  await Promise.all(callers);
  return end;
}

function restore(path: string, place: DatabasePlace, more: object = {}) {
  return restoreBackup({
    path,
    place,
    pepper: findPepper(place.dataDir),
    filesIn: join(place.dataDir, "media"),
    isReplacing: false,
    now: Date.now(),
    ...more,
  });
}

/** A data folder that has only the secret of another. */
function folderLike(dataDir: string, name: string): string {
  const folder = join(FOLDER, name);
  mkdirSync(folder);
  copyFileSync(join(dataDir, "secret"), join(folder, "secret"));
  return folder;
}

/** The lines of a table's rows, without those that each restore adds. */
function contentOf(path: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  let rows: string[] = [];
  for (const line of gunzipSync(readFileSync(path)).toString().split("\n")) {
    const [, table] = /^{"table":"(\w+)"}$/.exec(line) ?? [];
    if (table !== undefined) found.set(table, (rows = []));
    else if (line.startsWith("[") && !line.includes("sluice restore")) rows.push(line);
  }
  for (const each of found.values()) each.sort();
  return found;
}

async function failureOf(promise: Promise<unknown>): Promise<string> {
  return String(await reasonOf(promise));
}

async function expectSound(place: DatabasePlace): Promise<void> {
  expect(await verifyWholeLedger(place)).toEqual([]);
  await using audit = openAuditReader(place);
  expect(await audit.verify(0)).toMatchObject({ broken: undefined, isEnd: true });
}

describe("a backup of SQLite", () => {
  const path = join(FOLDER, "sqlite.backup");
  let running: Running;
  beforeAll(async () => {
    running = await openSimulated();
    mkdirSync(join(running.dataDir, "media", "a"), { recursive: true });
    await backUpUnderCalls(running, { dataDir: running.dataDir }, path);
  });
  afterAll(() => running[Symbol.asyncDispose]());

  test("written while calls run is consistent, and only its owner can read it", async () => {
    const { header, end } = await verifyBackup(path);

    expect(header).toMatchObject({ engine: "sqlite", gateway: "1.2.3", version: 1 });
    expect(end.rows["calls"]).toBeGreaterThanOrEqual(20);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(existsSync(`${path}.unfinished`)).toBe(false);
    expect(gunzipSync(readFileSync(path)).toString()).not.toContain(
      "sk-upstream-secret-of-the-operator",
    );
  });

  test("is restored with equal sums, and a gateway continues on it", async () => {
    const place = { dataDir: folderLike(running.dataDir, "again") };

    await restore(path, place);

    await expectSound(place);
    const channel = simulatedChannel("sim", running.sandbox.url);
    await using again = await openTestGateway({
      yaml: `channels:\n${channel}`,
      dataDir: place.dataDir,
    });
    expect((await again.post("/v1/chat/completions", BODY)).status).toBe(200);
    expect(await verifyWholeLedger(place)).toEqual([]);
  });

  test("does not replace a database unless told", async () => {
    const place = { dataDir: folderLike(running.dataDir, "full") };
    await restore(path, place);

    expect(await failureOf(restore(path, place))).toContain("give --replace");
    await restore(path, place, { isReplacing: true });

    await expectSound(place);
  });

  test("is not restored below a running gateway", async () => {
    const place = { dataDir: running.dataDir };

    expect(await failureOf(restore(path, place, { isReplacing: true }))).toContain(
      "Another gateway",
    );
  });

  test("is refused without the secret that it belongs to", async () => {
    const dataDir = join(FOLDER, "no-secret");
    expect(await failureOf(restore(path, { dataDir }))).toContain("There is no secret yet");
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, "secret"), new Uint8Array(32));
    expect(await failureOf(restore(path, { dataDir }))).toContain("belongs to another secret");
    expect(existsSync(join(dataDir, "sluice.db"))).toBe(false);
  });

  test("that was cut, changed or written by a newer version is refused before anything is written", async () => {
    const dataDir = folderLike(running.dataDir, "damaged");
    const whole = readFileSync(path);
    const lines = gunzipSync(whole).toString();
    const damaged = join(FOLDER, "damaged.backup");
    const expectRefused = async (bytes: Uint8Array, why: string): Promise<void> => {
      writeFileSync(damaged, bytes);
      expect(await failureOf(restore(damaged, { dataDir }))).toContain(why);
      expect(existsSync(join(dataDir, "sluice.db"))).toBe(false);
    };

    await expectRefused(whole.subarray(0, whole.length / 2), "is damaged");
    await expectRefused(gzipSync(lines.slice(0, lines.lastIndexOf('{"end"'))), "it is incomplete");
    await expectRefused(gzipSync(lines.replace('"root"', '"ruth"')), "its digest differs");
    await expectRefused(gzipSync('{"other":1}\n'), "no backup of Sluice");
    await expectRefused(gzipSync(lines.replace('"version":1', '"version":9')), "has format 9");
    await expectRefused(gzipSync(lines.replace(/"schema":"/, '"schema":"9')), "its digest differs");
  });

  test("includes the media folder if told", async () => {
    const { dataDir } = running;
    writeFileSync(join(dataDir, "media", "a", "video.mp4"), "bytes of a video".repeat(10_000));
    writeFileSync(join(dataDir, "media", "empty.bin"), "");
    const withFiles = join(FOLDER, "files.backup");
    const filesIn = join(dataDir, "media");
    await writeBackup({
      place: { dataDir },
      path: withFiles,
      gateway: "1.2.3",
      now: Date.now(),
      filesIn,
    });
    const other = folderLike(dataDir, "with-files");

    const { end } = await restore(withFiles, { dataDir: other });

    expect(end.files).toBe(2);
    const read = (folder: string) => readFileSync(join(folder, "media", "a", "video.mp4"), "utf8");
    expect(read(other)).toBe(read(dataDir));
    expect(statSync(join(other, "media", "empty.bin")).size).toBe(0);
  });

  test("whose ledger does not add up is not restored", async () => {
    const dataDir = folderLike(running.dataDir, "changed");
    const forged = join(FOLDER, "forged.backup");
    const lines = gunzipSync(readFileSync(path)).toString().split("\n");
    const { tables } = JSON.parse(lines[0] ?? "") as {
      tables: { name: string; columns: string[] }[];
    };
    const columns = tables.find(({ name }) => name === "ledger")?.columns ?? [];
    const head = lines.slice(0, -2);
    const at = head.indexOf('{"table":"ledger"}') + 1;
    const row: unknown[] = JSON.parse(head[at] ?? "");
    row[columns.indexOf("spent_delta")] = 1_000_000;
    head[at] = JSON.stringify(row);
    const content = `${head.join("\n")}\n`;
    const end: Record<string, unknown> = JSON.parse(lines.at(-2) ?? "");
    end["sha256"] = new Bun.CryptoHasher("sha256").update(content).digest("hex");
    writeFileSync(forged, gzipSync(`${content}${JSON.stringify(end)}\n`));
    await verifyBackup(forged);

    expect(await failureOf(restore(forged, { dataDir }))).toContain("nothing was restored");

    await restore(path, { dataDir });
  });
});

describe.if(isPostgresReachable)("across engines", () => {
  test("a backup of SQLite is restored into PostgreSQL, and that of PostgreSQL into SQLite, row for row", async () => {
    await using running = await openSimulated();
    const [first, second, third] = ["first", "second", "third"].map((name) => join(FOLDER, name));
    await backUpUnderCalls(running, { dataDir: running.dataDir }, first ?? "");
    await using database = await openScratchDatabase({ isEmpty: true });
    const dataDir = folderLike(running.dataDir, "engines");
    const shared = { dataDir, databaseUrl: database.url };

    await restore(first ?? "", shared);
    await writeBackup({ place: shared, path: second ?? "", gateway: "1.2.3", now: Date.now() });
    await restore(second ?? "", { dataDir });
    await writeBackup({ place: { dataDir }, path: third ?? "", gateway: "1.2.3", now: Date.now() });

    await expectSound(shared);
    await expectSound({ dataDir });
    const [one, two, three] = [first, second, third].map((path) => contentOf(path ?? ""));
    expect(one?.get("calls")?.length).toBeGreaterThanOrEqual(20);
    for (const table of one?.keys() ?? []) {
      if (table === "meta") continue;
      expect([table, two?.get(table)]).toEqual([table, one?.get(table)]);
      expect([table, three?.get(table)]).toEqual([table, one?.get(table)]);
    }
  });

  test("a gateway on PostgreSQL is backed up while calls run, and its counters continue after a restore", async () => {
    await using source = await openScratchDatabase();
    await using target = await openScratchDatabase({ isEmpty: true });
    const path = join(FOLDER, "postgres.backup");
    await using running = await openSimulated({ env: { DATABASE_URL: source.url } });
    const dataDir = folderLike(running.dataDir, "target");
    const place = { dataDir, databaseUrl: target.url };
    await backUpUnderCalls(running, { ...place, databaseUrl: source.url }, path);

    await restore(path, place);

    const beneath = { ...place, databaseUrl: source.url };
    const refused = restore(path, beneath, { isReplacing: true });
    expect(await failureOf(refused)).toContain("Stop all its gateways");
    expect(await failureOf(restore(path, place))).toContain("give --replace");
    await restore(path, place, { isReplacing: true });
    await expectSound(place);
    await using again = await openTestGateway({
      yaml: `channels:\n${simulatedChannel("sim", running.sandbox.url)}`,
      env: { DATABASE_URL: target.url },
      dataDir,
    });
    expect((await again.post("/v1/chat/completions", BODY)).status).toBe(200);
    await again.gateway.close();
    await expectSound(place);
    const counted = await query<{ rows: number }>(
      target.url,
      "select count(*)::int as rows from calls",
    );
    const { end } = await verifyBackup(path);
    // The calls that were open during the backup are closed at the start, as after a crash.
    const { calls = 0, holds = 0 } = end.rows;
    expect(counted[0]?.rows).toBe(calls + holds + 1);
  });
});

test.each(keptVersions("sqlite").filter((_, at) => at % 8 === 0))(
  "a backup of schema %s is restored into this version's schema",
  async (version) => {
    const dataDir = join(FOLDER, `old-${version}`);
    mkdirSync(dataDir);
    const old = new Database(join(dataDir, "sluice.db"), { create: true });
    old.run(readFileSync(join(VERSIONS, `${version}.sqlite.sql`), "utf8"));
    old.close();
    const path = join(FOLDER, `${version}.backup`);
    const place = { dataDir: join(FOLDER, `new-${version}`) };
    const pepper = findPepper("", KEPT_SECRET);

    await writeBackup({ place: { dataDir }, path, gateway: "1.2.3", now: Date.now() });
    const { end } = await restore(path, place, { pepper });

    expect(end.rows["calls"]).toBeGreaterThan(0);
    expect(await verifyWholeLedger(place)).toEqual([]);
    await using audit = openAuditReader({ ...place, secret: KEPT_SECRET });
    expect(await audit.verify(0)).toMatchObject({ broken: undefined, isEnd: true });
  },
);

test("a file that another backup is writing is not overwritten", async () => {
  const path = join(FOLDER, "busy.backup");
  appendFileSync(`${path}.unfinished`, "of another");

  const place = { dataDir: join(FOLDER, "again") };
  const written = writeBackup({ place, path, gateway: "1.2.3", now: Date.now() });

  expect(await failureOf(written)).toContain("EEXIST");
  expect(readFileSync(`${path}.unfinished`, "utf8")).toBe("of another");
});
