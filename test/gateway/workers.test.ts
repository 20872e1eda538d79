import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startProgram, type Program } from "#test/program.ts";
import { isPostgresReachable, openScratchDatabase } from "#test/scratch-database.ts";
import { waitFor } from "#test/wait.ts";

const KEY = "sk-workers-0123456789-0123456789-0123456789";
const folder = mkdtempSync(join(tmpdir(), "sluice-workers-"));
/** The connections on which the vendor got calls; a gateway keeps one as long as it suffices. */
const vendorPorts = new Set<number>();
let release: PromiseWithResolvers<void> | undefined;

const vendor = Bun.serve({
  port: 0,
  async fetch(request, server) {
    vendorPorts.add(server.requestIP(request)?.port ?? 0);
    const { messages } = (await request.json()) as { messages: { content: string }[] };
    if (messages[0]?.content === "wait") await release?.promise;
    return Response.json({
      id: "c",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    });
  },
});

afterAll(async () => {
  await vendor.stop(true);
  rmSync(folder, { recursive: true, force: true });
});

test("two processes on SQLite become one, and the start says why", async () => {
  await using program = await startProgram({
    SLUICE_DATA_DIR: join(folder, "sqlite"),
    SLUICE_WORKERS: "2",
    SLUICE_SANDBOX: "on",
  });

  await waitFor(() => program.output().includes("SLUICE_WORKERS=2"));
  expect(program.output()).toContain("SQLite belongs to a single process");
  expect(workersOf(program)).toEqual([]);
});

describe.if(isPostgresReachable && process.platform === "linux")(
  "two workers on PostgreSQL",
  () => {
    const stack = new AsyncDisposableStack();
    let program: Program;

    beforeAll(async () => {
      const database = stack.use(await openScratchDatabase());
      const config = join(folder, "sluice.yaml");
      writeFileSync(
        config,
        [
          "channels:",
          "  - name: only",
          "    provider: openai-compatible",
          `    base_url: http://127.0.0.1:${vendor.port}/v1`,
          "    api_key: sk-vendor",
          "    models: [m]",
          "models:",
          "  m: { input: 1, output: 1 }",
        ].join("\n"),
      );
      program = stack.use(
        await startProgram({
          DATABASE_URL: database.url,
          SLUICE_CONFIG: config,
          SLUICE_DATA_DIR: join(folder, "shared"),
          SLUICE_BOOTSTRAP_KEY: KEY,
          SLUICE_METRICS_TOKEN: KEY,
          SLUICE_WORKERS: "2",
        }),
      );
    }, 60_000);
    afterAll(() => stack.disposeAsync());

    test("are one program that greets once", async () => {
      await waitFor(() => program.output().includes("2 processes share the port."));

      expect(program.output().match(/listens on/g)).toHaveLength(1);
      expect(workersOf(program)).toHaveLength(2);
    });

    test("both answer calls, and one scrape has the sum of their metrics", async () => {
      for (let count = 0; count < 24; count++) expect(await call(program.url)).toBe(200);

      expect(vendorPorts.size).toBe(2);
      expect(await metric(program.url, "sluice_calls_total")).toBe(24);
      expect(await metric(program.url, "sluice_workers")).toBe(2);
      expect(await metric(program.url, "sluice_build_info")).toBe(1);
    });

    test("a killed one is replaced while the other answers, and no counter falls", async () => {
      const [victim = 0, other = 0] = workersOf(program);
      process.kill(victim, "SIGKILL");

      await waitFor(async () => (await metric(program.url, "sluice_workers")) === 2);
      await waitFor(() => workersOf(program).length === 2 && !workersOf(program).includes(victim));
      expect(workersOf(program)).toContain(other);
      expect(await metric(program.url, "sluice_worker_deaths_total")).toBe(1);
      expect(await metric(program.url, "sluice_calls_total")).toBe(24);
      expect(await call(program.url)).toBe(200);
    });

    test("a restart replaces both, and a running call ends as it would have", async () => {
      const before = workersOf(program);
      release = Promise.withResolvers();
      const running = Promise.all([1, 2, 3, 4].map(() => call(program.url, "wait")));
      await waitFor(async () => (await metric(program.url, "sluice_open_calls")) === 4);

      program.child.kill("SIGHUP");
      await waitFor(() => workersOf(program).some((pid) => !before.includes(pid)));
      expect(await call(program.url)).toBe(200);
      release.resolve();

      expect(await running).toEqual([200, 200, 200, 200]);
      await waitFor(
        () =>
          workersOf(program).length === 2 &&
          workersOf(program).every((pid) => !before.includes(pid)),
      );
      expect(await metric(program.url, "sluice_calls_total")).toBe(30);
    });

    test("one signal drains all, and the exit code is that of a single process", async () => {
      release = Promise.withResolvers();
      const running = call(program.url, "wait");
      await waitFor(async () => (await metric(program.url, "sluice_open_calls")) === 1);
      const before = workersOf(program);
      const ended = program.end("SIGTERM");
      release.resolve();

      expect(await running).toBe(200);
      expect(await ended).toBe(0);
      expect(before.filter((pid) => isAlive(pid))).toEqual([]);
    });
  },
);

/** Process ids of the workers: the children of the program. */
function workersOf({ child }: Program): number[] {
  const pid = child.pid ?? 0;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => parentOf(each) === pid);
}

function parentOf(pid: number): number | undefined {
  try {
    const [, state, parent] = / (\S) (\d+)/.exec(afterName(pid)) ?? [];
    return state === "Z" ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}

function afterName(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 1);
}

function isAlive(pid: number): boolean {
  return parentOf(pid) !== undefined;
}

/** On a connection of its own, so that the system chooses the process anew. */
async function call(url: string, content = "hello"): Promise<number> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    keepalive: false,
    headers: {
      authorization: `Bearer ${KEY}`,
      "content-type": "application/json",
      connection: "close",
    },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content }] }),
  });
  await answer.text();
  return answer.status;
}

/** The sum of a metric's samples. */
async function metric(url: string, name: string): Promise<number | undefined> {
  const answer = await fetch(`${url}/metrics`, {
    keepalive: false,
    headers: { authorization: `Bearer ${KEY}`, connection: "close" },
  }).catch(() => undefined);
  if (answer?.status !== 200) return undefined;
  const lines = (await answer.text()).split("\n");
  const samples = lines.filter(
    (line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`),
  );
  return samples.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}
