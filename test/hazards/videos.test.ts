import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isOver, type TaskStatus } from "#core/task.ts";
import { KEY } from "#test/harness.ts";
import { startProgram, type Program } from "#test/program.ts";
import { SEED, times } from "#test/seed.ts";
import { waitFor } from "#test/wait.ts";
import { LABELS, openVendors } from "./video-vendors.ts";

/** Of one second of video, in nano-dollars. */
const SECOND_PRICE = 1_000_000;
const SECONDS = 5;
const TASKS_A_ROUND = 4;
const ROUNDS = times(1, 50);

test(
  "a gateway killed at any moment requests and charges no video twice, and loses none",
  async () => {
    using vendors = openVendors();
    const dataDir = mkdtempSync(join(tmpdir(), "sluice-videos-"));
    const config = join(dataDir, "sluice.yaml");
    writeFileSync(config, configFor(vendors.url, vendors.port));
    const taken = new Set<string>();
    const struck = new Set<string>(["before"]);
    const asked: string[] = [];
    try {
      for (let round = 0; round < ROUNDS; round++) {
        for (const label of LABELS) {
          const program = await start(config, dataDir);
          const killed = vendors.killAt(label, () => program.child.kill("SIGKILL"));
          const submits = Array.from({ length: TASKS_A_ROUND }, (_, at) => {
            const prompt = `${label} ${round} ${at} ${SEED}`;
            asked.push(prompt);
            return submit(program, at % 2 === 0 ? "known" : "unknown", prompt, vendors.url);
          });
          if (label === "before") program.child.kill("SIGKILL");
          for (const id of await Promise.all(submits)) if (id !== undefined) taken.add(id);
          await Promise.race([killed.then(() => struck.add(label)), Bun.sleep(8_000)]);
          await program.end("SIGKILL");
        }
      }

      vendors.spare();
      await using last = await start(config, dataDir);
      const states = await endOf(taken, last);
      // There are some whose caller never heard of them, and a notice that was under way in a
      // killed gateway is sent once more, after a while.
      await waitFor(() => tasksIn(dataDir).every(isAtEnd), 60_000);
      await waitFor(() => vendors.toldOf(madeIn(dataDir)).length === 0, 60_000);
      await Bun.sleep(1_000);

      expect([...struck].toSorted()).toEqual([...LABELS].toSorted());
      expect(vendors.submitsOf(asked).filter((count) => count > 1)).toEqual([]);
      // Whoever was given an id hears of a video, or that nobody knows.
      expect([...taken].filter((id) => !states.has(id))).toEqual([]);
      const rows = tasksIn(dataDir);
      const made = rows.filter(({ status }) => status === "succeeded");
      expect(made.length).toBeGreaterThan(0);
      expect(new Set(made.map(({ upstreamId }) => upstreamId)).size).toBe(made.length);
      expect(spentIn(dataDir)).toBe(made.length * SECONDS * SECOND_PRICE);
      // What a vendor has and no task knows is somewhere among those of which nobody knows.
      const known = new Set(rows.map(({ upstreamId }) => upstreamId));
      const orphans = vendors.ids().filter((id) => !known.has(id));
      const unknown = rows.filter(({ status }) => status === "submit_unknown").length;
      expect(orphans.length).toBeLessThanOrEqual(unknown);
      // Each state was told, each under one id.
      expect(vendors.toldTwice()).toEqual([]);
      expect(vendors.toldOf(madeIn(dataDir))).toEqual([]);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
  ROUNDS * LABELS.length * 12_000 + 120_000,
);

interface TaskRow {
  readonly id: string;
  readonly status: TaskStatus;
  readonly upstreamId: string | null;
}

function tasksIn(dataDir: string): readonly TaskRow[] {
  using database = new Database(join(dataDir, "sluice.db"), { readonly: true });
  return database
    .query<TaskRow, []>(`select id, status, upstream_id as "upstreamId" from tasks`)
    .all();
}

/** Of one that was under way to its vendor, nobody will ever know more. */
function isAtEnd(row: TaskRow): boolean {
  return isOver(row) || row.status === "submit_unknown";
}

function madeIn(dataDir: string): readonly string[] {
  return tasksIn(dataDir).flatMap(({ id, status }) => (status === "succeeded" ? [id] : []));
}

function spentIn(dataDir: string): number {
  using database = new Database(join(dataDir, "sluice.db"), { readonly: true });
  const row = database
    .query<{ spent: number }, []>("select spent from accounts where id = 'user:1'")
    .get();
  return row?.spent ?? 0;
}

function start(config: string, dataDir: string): Promise<Program> {
  return startProgram({
    SLUICE_CONFIG: config,
    SLUICE_DATA_DIR: dataDir,
    SLUICE_BOOTSTRAP_KEY: KEY,
    SLUICE_LOG_LEVEL: "fatal",
  });
}

/** The task's id; undefined where nobody answered. */
async function submit(
  { url }: Program,
  model: string,
  prompt: string,
  callback: string,
): Promise<string | undefined> {
  try {
    const answer = await fetch(`${url}/videoa/api/v3/contents/generations/tasks`, {
      method: "POST",
      headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
      body: JSON.stringify({
        model,
        content: [{ type: "text", text: prompt }],
        duration: SECONDS,
        callback_url: `${callback}/told`,
      }),
    });
    const { id } = (await answer.json()) as { id?: string };
    return id;
  } catch {
    return undefined;
  }
}

/** How each task ended, as far as it has; whatever nobody knows is still queued. */
async function endOf(
  ids: ReadonlySet<string>,
  { url }: Program,
): Promise<ReadonlyMap<string, string>> {
  const states = new Map<string, string>();
  const until = Date.now() + 60_000;
  while (Date.now() < until) {
    for (const id of ids) {
      const answer = await fetch(`${url}/videoa/api/v3/contents/generations/tasks/${id}`, {
        headers: { authorization: `Bearer ${KEY}` },
      });
      const { status } = (await answer.json()) as { status?: string };
      if (status !== undefined) states.set(id, status);
    }
    if ([...states.values()].every((status) => status === "succeeded" || status === "failed"))
      break;
    await Bun.sleep(1_000);
  }
  return states;
}

function configFor(url: string, port: number): string {
  return `
links: { allow: 127.0.0.0/8, ports: "${port}" }
channels:
  - name: known
    provider: kling
    base_url: ${url}/kling
    api_key: key-of-the-vendor-known
    models: [{ name: known, upstream: kling-3.0-turbo }]
  - name: unknown
    provider: ark
    base_url: ${url}/ark
    api_key: key-of-the-vendor-unknown
    models: [{ name: unknown, upstream: doubao-seedance-1-0-pro-250528 }]
models:
  known: { second: 0.001 }
  unknown: { second: 0.001 }
`;
}
