import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { openBooks } from "#test/books.ts";
import { KEY } from "#test/harness.ts";
import { PROGRAM, startProgram } from "#test/program.ts";
import { waitFor } from "#test/wait.ts";

/** A disk of its own is mounted where the system lets anybody do so. */
const OWN_DISK = ["unshare", "--user", "--map-root-user", "--mount"];
const canMount = spawnSync("unshare", [...OWN_DISK.slice(1), "true"]).status === 0;

/** Runs a program beside a small disk, which is filled and freed when a file says so. */
const ON_SMALL_DISK = `
mount -t tmpfs -o size=8m tmpfs "$1" || exit 9
until_told() { while kill -0 $$ 2>/dev/null && [ ! -e "$1" ]; do sleep 0.1; done; }
(
  until_told "$2/fill"; cat /dev/zero > "$1/filler" 2>/dev/null; : > "$2/filled"
  until_told "$2/free"; rm "$1/filler"; : > "$2/freed"
) &
log="$2/log"; shift 2; exec "$@" 2> "$log"`;

let sandbox: Sandbox;
let folder: string;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.stop());

function settings(dataDir: string): Record<string, string> {
  const file = join(folder, "sluice.yaml");
  writeFileSync(
    file,
    `channels:
  - { name: sim, provider: openai, base_url: "${sandbox.url}/openai/v1", api_key: k, models: [gpt-4o-mini] }
`,
  );
  return { SLUICE_CONFIG: file, SLUICE_DATA_DIR: dataDir, SLUICE_BOOTSTRAP_KEY: KEY };
}

async function ask(url: string, model = "gpt-4o-mini") {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Say hello." }] }),
  });
  return { status: answer.status, text: await answer.text() };
}

test.if(canMount)(
  "on a full disk, calls get an error, and the log gets one line per second",
  async () => {
    folder = mkdtempSync(join(tmpdir(), "sluice-full-"));
    const disk = mkdtempSync(join(tmpdir(), "sluice-disk-"));
    const program = [...PROGRAM, "start"];
    const command = [...OWN_DISK, "sh", "-c", ON_SMALL_DISK, "sh", disk, folder, ...program];
    const tell = async (word: string, done: string): Promise<void> => {
      writeFileSync(join(folder, word), "");
      await waitFor(() => existsSync(join(folder, done)), 20_000);
    };
    try {
      await using gateway = await startProgram(settings(join(disk, "data")), command);
      expect((await ask(gateway.url)).status).toBe(200);

      await tell("fill", "filled");
      await waitFor(async () => (await ask(gateway.url)).status === 503, 30_000);
      const began = performance.now();
      let refused = 0;
      while (performance.now() - began < 3_000) {
        const { status, text } = await ask(gateway.url);
        refused++;
        expect(status).toBe(503);
        expect(text).toContain("The disk of the gateway's database is full.");
        expect(text).toContain("must free space");
      }
      const seconds = (performance.now() - began) / 1_000;
      const lines = readFileSync(join(folder, "log"), "utf8").trim().split("\n");
      const turnedAway = lines.filter((line) => line.includes("request refused: no capacity"));
      expect(refused).toBeGreaterThan(20);
      expect(turnedAway.length).toBeGreaterThan(0);
      // What was refused before these seconds began has its lines, too.
      expect(lines.length).toBeLessThan(10 + 4 * seconds);
      expect(lines.some((line) => line.includes("SQLITE_FULL"))).toBe(true);

      await tell("free", "freed");
      await waitFor(async () => (await ask(gateway.url)).status === 200, 30_000);
    } finally {
      rmSync(folder, { recursive: true, force: true });
      rmSync(disk, { recursive: true, force: true });
    }
  },
);

test.if(existsSync("/dev/full"))("without space for the log, calls are still served", async () => {
  folder = mkdtempSync(join(tmpdir(), "sluice-full-"));
  const dataDir = join(folder, "data");
  const command = ["sh", "-c", 'exec "$@" 2> /dev/full', "sh", ...PROGRAM, "start"];
  try {
    await using gateway = await startProgram(
      { ...settings(dataDir), SLUICE_LOG_LEVEL: "debug" },
      command,
    );
    sandbox.faults.add({ name: "status", args: { code: "500" }, times: 3 });
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await ask(gateway.url)).status);
    const last = await ask(gateway.url);

    expect(statuses).toContain(502);
    expect(last.status).toBe(200);
    expect(gateway.child.exitCode).toBeNull();
    using books = openBooks(dataDir);
    expect(await books.whenSettled()).toEqual([]);
    expect(await gateway.end("SIGTERM")).toBe(0);
  } finally {
    sandbox.faults.clear();
    rmSync(folder, { recursive: true, force: true });
  }
});
