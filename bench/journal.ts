import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { systemClock } from "#lib/clock.ts";
import { openStorage } from "#storage/open.ts";
import { LOG_FILTERS } from "#test/storage/log-filters.ts";
import { fillJournal } from "#test/storage/fill-journal.ts";
import { USAGE_QUERIES } from "./usage-queries.ts";

/**
 * Measures pages of the call log and reports of usage over a journal of many calls:
 * `bun bench/journal.ts 10000000`, with the URL of an empty PostgreSQL database as the second
 * argument, or SQLite in a temporary folder.
 */
const [rowsText = "1000000", databaseUrl] = process.argv.slice(2);
const rows = Number(rowsText);
const PAGES = 20;
const TRIES = 20;

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
  await timed("fill", () => fillJournal(storage.db, rows, engine));
  const cpu = process.cpuUsage();
  await timed("index", async () => {
    while ((await storage.calls.index(1_024)) > 0);
  });
  const { user, system } = process.cpuUsage(cpu);
  print(`index: ${((user + system) / rows).toFixed(2)} us of processor time a call`);
  await timed("sum", async () => {
    while ((await storage.usage.sum(1_024)) > 0);
  });
  await sql`analyze`.execute(storage.db);

  const all: number[] = [];
  for (const filter of LOG_FILTERS) {
    const times: number[] = [];
    let found = 0;
    let seq: number | undefined;
    for (let pages = 0; pages < PAGES; pages++) {
      const from = performance.now();
      const after = seq === undefined ? {} : { after: { seq } };
      const { calls, next } = await storage.calls.list({ ...filter, ...after, limit: 50 });
      times.push(performance.now() - from);
      found += calls.length;
      seq = next;
      if (next === undefined && pages >= 4) break;
    }
    all.push(...times);
    const name = JSON.stringify(filter);
    print(
      `${at(times, 0.5).padStart(8)} ${at(times, 0.95).padStart(8)} ms  ${found} found  ${name}`,
    );
  }
  print(`pages: p50 ${at(all, 0.5)} ms, p95 ${at(all, 0.95)} ms, longest ${at(all, 1)} ms`);

  const reports: number[] = [];
  for (const query of USAGE_QUERIES) {
    const times: number[] = [];
    let groups = 0;
    for (let tries = 0; tries < TRIES; tries++) {
      const from = performance.now();
      const report = await storage.usage.report(query);
      times.push(performance.now() - from);
      groups = report.groups.length;
    }
    reports.push(...times);
    const name = JSON.stringify(query);
    print(
      `${at(times, 0.5).padStart(8)} ${at(times, 0.95).padStart(8)} ms  ${groups} groups  ${name}`,
    );
  }
  print(
    `usage: p50 ${at(reports, 0.5)} ms, p95 ${at(reports, 0.95)} ms, longest ${at(reports, 1)} ms`,
  );
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}

async function timed(name: string, run: () => Promise<void>): Promise<void> {
  const from = performance.now();
  await run();
  print(`${name}: ${((performance.now() - from) / 1_000).toFixed(1)} s`);
}

function at(times: readonly number[], share: number): string {
  const sorted = times.toSorted((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
}
