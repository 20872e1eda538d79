import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { Client } from "pg";
import { systemClock } from "#lib/clock.ts";
import { openStorage, type Storage } from "#storage/open.ts";
import { LOG_FILTERS } from "#test/storage/log-filters.ts";
import { fillJournal } from "#test/storage/fill-journal.ts";
import { USAGE_REPORTS } from "#test/storage/usage-reports.ts";

/**
 * Measures pages of the call log and reports of usage over a journal of many calls:
 * `bun bench/journal.ts 10000000`, with the URL of an empty PostgreSQL database as the second
 * argument, or SQLite in a temporary folder (`sqlite`). `pages` or `reports` as the third argument
 * measures these alone. A database that has calls is not filled again. Beside the time that
 * passed, it prints the processor time of this process and of the server's on this machine, which
 * other programs do not change.
 */
const [rowsText = "1000000", place = "sqlite", only] = process.argv.slice(2);
const databaseUrl = place === "sqlite" ? undefined : place;
const rows = Number(rowsText);
const PAGES = 20;
const REPORTS = 10;

interface Times {
  readonly passed: number[];
  readonly used: number[];
}

const watching =
  databaseUrl === undefined ? undefined : new Client({ connectionString: databaseUrl });
await watching?.connect();
const dataDir = mkdtempSync(join(process.env["BENCH_DIR"] ?? tmpdir(), "journal-"));
const print = (line: string): void => void process.stdout.write(`${line}\n`);
try {
  await using storage = await openStorage({
    dataDir,
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    instance: "bench",
    clock: systemClock,
    pepper: new Uint8Array(32).fill(7),
    onError: (cause) => print(String(cause)),
  });
  const engine = databaseUrl === undefined ? "sqlite" : "postgres";
  if (watching !== undefined) print(await settingsOf(watching));
  const filled = await storage.db.selectFrom("calls").select("seq").limit(1).execute();
  if (filled.length === 0) await timed("fill", () => fillJournal(storage.db, rows, engine));
  if (only !== "reports") {
    await timed("index", async () => {
      while ((await storage.calls.index(1_024)) > 0);
    });
  }
  if (only !== "pages") {
    await timed("sum", async () => {
      while ((await storage.usage.sum(1_000)) > 0);
    });
  }
  await timed("analyze", () => analyze(storage));
  if (only !== "reports") await measurePages(storage);
  if (only !== "pages") await measureReports(storage);
} finally {
  await watching?.end();
  rmSync(dataDir, { recursive: true, force: true });
}

/** Version and settings on which the times depend. */
async function settingsOf(server: Client): Promise<string> {
  const { rows: found } = await server.query<{ shown: string }>(
    `select name || ' ' || current_setting(name) as shown from pg_settings
     where name = any($1) order by name`,
    [
      "server_version shared_buffers work_mem effective_cache_size random_page_cost jit fsync autovacuum max_parallel_workers_per_gather".split(
        " ",
      ),
    ],
  );
  return found.map(({ shown }) => shown).join(", ");
}

/** On a connection of its own: those of the gateway have timeouts. */
async function analyze({ db }: Storage): Promise<void> {
  if (databaseUrl === undefined) return void (await sql`analyze`.execute(db));
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query("analyze");
  await client.end();
}

async function measurePages({ calls: log }: Storage): Promise<void> {
  const all = noTimes();
  for (const filter of LOG_FILTERS) {
    const times = noTimes();
    let found = 0;
    let seq: number | undefined;
    for (let pages = 0; pages < PAGES; pages++) {
      const after = seq === undefined ? {} : { after: { seq } };
      const { calls, next } = await measure(times, () =>
        log.list({ ...filter, ...after, limit: 50 }),
      );
      found += calls.length;
      seq = next;
      if (next === undefined && pages >= 4) break;
    }
    addTo(all, times);
    print(`${show(times)}  ${found} found  ${JSON.stringify(filter)}`);
  }
  print(`pages: ${show(all)}`);
}

async function measureReports({ usage }: Storage): Promise<void> {
  const all = noTimes();
  for (const query of USAGE_REPORTS) {
    const times = noTimes();
    let groups = 0;
    for (let i = 0; i < REPORTS; i++)
      groups = (await measure(times, () => usage.report(query))).groups.length;
    addTo(all, times);
    print(`${show(times)}  ${groups} groups  ${JSON.stringify(query)}`);
  }
  print(`reports: ${show(all)}`);
}

function noTimes(): Times {
  return { passed: [], used: [] };
}

async function measure<T>({ passed, used }: Times, run: () => Promise<T>): Promise<T> {
  const serverBefore = await serverMs();
  const from = performance.now();
  const cpu = process.cpuUsage();
  const result = await run();
  const { user, system } = process.cpuUsage(cpu);
  passed.push(performance.now() - from);
  used.push((user + system) / 1_000 + (await serverMs()) - serverBefore);
  return result;
}

/** Processor time of the connections' processes; 0 if there are none on this machine. */
async function serverMs(): Promise<number> {
  if (watching === undefined) return 0;
  const { rows } = await watching.query<{ pid: number }>(
    "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  const times = rows.map(({ pid }) => `/proc/${pid}/schedstat`).filter((path) => existsSync(path));
  const nanoseconds = times.map((path) => Number(readFileSync(path, "utf8").split(" ")[0]));
  return nanoseconds.reduce((sum, each) => sum + each / 1_000_000, 0);
}

function addTo(all: Times, { passed, used }: Times): void {
  all.passed.push(...passed);
  all.used.push(...used);
}

function show({ passed, used }: Times): string {
  return `p50 ${at(passed, 0.5)} p95 ${at(passed, 0.95)} ms, processor p95 ${at(used, 0.95)} ms`;
}

async function timed(name: string, run: () => Promise<unknown>): Promise<void> {
  const times = noTimes();
  await measure(times, run);
  const [passed = 0, used = 0] = [...times.passed, ...times.used];
  const each = ((used * 1_000) / rows).toFixed(2);
  print(`${name}: ${(passed / 1_000).toFixed(1)} s, ${each} us of processor time a call`);
}

function at(times: readonly number[], share: number): string {
  const sorted = times.toSorted((a, b) => a - b);
  const index = Math.min(sorted.length - 1, Math.floor(sorted.length * share));
  return (sorted[index] ?? 0).toFixed(1);
}
