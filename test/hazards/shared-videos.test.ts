import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KEY } from "#test/harness.ts";
import { startProgram, type Program } from "#test/program.ts";
import { isPostgresReachable, openScratchDatabase, query } from "#test/scratch-database.ts";
import { waitFor } from "#test/wait.ts";

const TASKS = 24;
const SECONDS = 5;
const SECOND_PRICE = 1_000_000;
const LEASE_MS = 5_000;
/** Longer than a lease. */
const SLEEP_MS = 8_000;

describe.if(isPostgresReachable || process.env["CI"] !== undefined)(
  "two gateways on one PostgreSQL",
  () => {
    test("poll no video at the same time and charge none twice, even if one sleeps longer than its lease", async () => {
      using vendor = openVendor();
      await using database = await openScratchDatabase();
      const dataDir = mkdtempSync(join(tmpdir(), "sluice-shared-videos-"));
      const config = join(dataDir, "sluice.yaml");
      writeFileSync(config, configFor(vendor.url));
      const start = (name: string): Promise<Program> =>
        startProgram({
          SLUICE_CONFIG: config,
          SLUICE_DATA_DIR: join(dataDir, name),
          DATABASE_URL: database.url,
          SLUICE_SECRET: "one-secret-for-all-gateways-0123456789",
          SLUICE_BOOTSTRAP_KEY: KEY,
          SLUICE_LOG_LEVEL: "fatal",
          SLUICE_LIMIT_TASK_LEASE_MS: `${LEASE_MS}ms`,
        });
      try {
        await using one = await start("one");
        await using two = await start("two");
        const submits = Array.from({ length: TASKS }, (_, at) =>
          submit(at % 2 === 0 ? one : two, `video ${at}`),
        );
        const ids = await Promise.all(submits);
        await waitFor(() => vendor.askedAbout() === TASKS, 20_000);

        one.child.kill("SIGSTOP");
        await Bun.sleep(SLEEP_MS);
        // What the sleeper had is looked at by the other one by now.
        const before = vendor.looks();
        await waitFor(() => vendor.lookedAtSince(before) === TASKS, 30_000);
        one.child.kill("SIGCONT");
        await Bun.sleep(2_000);
        vendor.finish();
        await waitFor(async () => (await openIn(database.url)) === 0, 40_000);

        expect(vendor.atOnce()).toBe(1);
        expect(vendor.submits()).toBe(TASKS);
        const rows = await query<{ spent: string }>(
          database.url,
          "select spent from accounts where id = 'user:1'",
        );
        expect(Number(rows[0]?.spent)).toBe(TASKS * SECONDS * SECOND_PRICE);
        const closes = await query<{ most: string }>(
          database.url,
          `select max(n) as most from (select count(*) as n from ledger
             where kind in ('settle', 'void') group by call_id) as closed`,
        );
        expect(Number(closes[0]?.most)).toBe(1);
        expect(new Set(ids).size).toBe(TASKS);
      } finally {
        rmSync(dataDir, { recursive: true, force: true });
      }
    }, 150_000);
  },
);

async function openIn(url: string): Promise<number> {
  const [row] = await query<{ n: string }>(
    url,
    "select count(*) as n from tasks where settled = 0",
  );
  return Number(row?.n);
}

async function submit({ url }: Program, prompt: string): Promise<string> {
  const answer = await fetch(`${url}/v1/videos`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "vid", prompt }),
  });
  const { id } = (await answer.json()) as { id?: string };
  if (id === undefined) throw new Error(`It was not taken on: ${answer.status}.`);
  return id;
}

/** A vendor who takes a while for each answer, and notes who asks about what at once. */
function openVendor() {
  const made = new Set<string>();
  const open = new Map<string, number>();
  const asked = new Set<string>();
  const log: string[] = [];
  let most = 0;
  let isDone = false;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (request.method === "POST") {
        const id = `v-${made.size + 1}`;
        made.add(id);
        return Response.json({ id });
      }
      const id = new URL(request.url).pathname.split("/").at(-1) ?? "";
      asked.add(id);
      log.push(id);
      const now = (open.get(id) ?? 0) + 1;
      open.set(id, now);
      most = Math.max(most, now);
      await Bun.sleep(50);
      open.set(id, (open.get(id) ?? 1) - 1);
      const content = { video_url: `https://cdn.example/${id}.mp4` };
      return Response.json(
        isDone
          ? { id, status: "succeeded", content, duration: SECONDS }
          : { id, status: "running" },
      );
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    submits: () => made.size,
    askedAbout: () => asked.size,
    looks: () => log.length,
    lookedAtSince: (count: number) => new Set(log.slice(count)).size,
    atOnce: () => most,
    finish: () => void (isDone = true),
    [Symbol.dispose]: () => void server.stop(true),
  };
}

function configFor(url: string): string {
  return `
channels:
  - name: vendor
    provider: ark
    base_url: ${url}
    api_key: key-of-the-vendor
    models: [{ name: vid, upstream: doubao-seedance-1-0-pro-250528 }]
models:
  vid: { second: 0.001 }
`;
}
