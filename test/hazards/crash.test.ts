import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { openBooks } from "#test/books.ts";
import { KEY, simulatedChannel } from "#test/harness.ts";
import { startProgram, type Program } from "#test/program.ts";
import { random, SEED, times } from "#test/seed.ts";
import { summarize } from "#test/streams.ts";
import { waitFor } from "#test/wait.ts";

let sandbox: Sandbox;
let dataDir: string;
beforeAll(async () => {
  sandbox = await startSandbox();
  dataDir = mkdtempSync(join(tmpdir(), "sluice-crash-"));
  writeFileSync(
    join(dataDir, "sluice.yaml"),
    `channels:\n${simulatedChannel("sim", sandbox.url, "models: [gpt-4o-mini]")}`,
  );
});
afterAll(async () => {
  rmSync(dataDir, { recursive: true, force: true });
  await sandbox.stop();
});

function start(): Promise<Program> {
  return startProgram({
    SLUICE_CONFIG: join(dataDir, "sluice.yaml"),
    SLUICE_DATA_DIR: dataDir,
    SLUICE_BOOTSTRAP_KEY: KEY,
    SLUICE_CHECKPOINT_MS: "100",
  });
}

const CALLS_BEFORE_A_KILL = 4;
/** Who waited for what the killed one had leased would not be back within it. */
const LEASE_MS = 30_000;

/** What a caller knows of its own call once it is over, or cut. */
interface Known {
  readonly id: string;
  readonly isWhole: boolean;
}

async function callOnce(url: string, stream: boolean): Promise<Known | undefined> {
  const content = stream ? "Count to 40 [[fault:slow between_ms=8]]" : "Reply with exactly: pong";
  let id = "";
  let text = "";
  try {
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "gpt-4o-mini", stream, messages: [{ role: "user", content }] }),
    });
    if (answer.status !== 200) return undefined;
    id = answer.headers.get("x-request-id") ?? "";
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) text += decoder.decode(chunk, { stream: true });
    return { id, isWhole: stream ? summarize(text).isDone : text.endsWith("}") };
  } catch {
    return id === "" ? undefined : { id, isWhole: stream && summarize(text).isDone };
  }
}

test("a gateway killed at any moment under load loses no settlement, doubles none, and restarts soon", async () => {
  const draw = random(SEED);
  const known: Known[] = [];
  let running = await start();

  for (let cycle = 0; cycle < times(5, 200); cycle++) {
    const { url, end } = running;
    let isOver = false;
    const callers = Array.from({ length: 12 }, async (_, i) => {
      while (!isOver) {
        const call = await callOnce(url, i % 2 === 0);
        if (call !== undefined) known.push(call);
        else if (!isOver) await Bun.sleep(5);
      }
    });
    // A slow machine has come to no call to its end after such a while.
    const before = known.length;
    await waitFor(() => known.length > before + CALLS_BEFORE_A_KILL, 60_000);
    await Bun.sleep(draw() * 700);
    const killed = end("SIGKILL");
    isOver = true;
    await Promise.all([...callers, killed]);

    const killedAt = performance.now();
    running = await start();
    const ready = await fetch(`${running.url}/readyz`);
    expect(ready.status).toBe(200);
    expect(performance.now() - killedAt).toBeLessThan(LEASE_MS);

    using books = openBooks(dataDir);
    // Recovery ran before it listened: what was open is closed.
    expect(books.openHolds()).toEqual([]);
    expect(books.verify()).toEqual([]);
  }
  const code = await running.end("SIGTERM");

  expect(code).toBe(0);
  using books = openBooks(dataDir);
  const calls = new Map(books.calls().map((each) => [each["id"], each]));
  const closes = books.closes();
  const whole = known.filter((each) => each.isWhole);
  expect(whole.length).toBeGreaterThan(10);
  for (const { id } of whole) {
    expect({ id, outcome: calls.get(id)?.["outcome"], closes: closes.get(id) }).toEqual({
      id,
      outcome: "completed",
      closes: 1,
    });
    expect(Number(calls.get(id)?.["cost"])).toBeGreaterThan(0);
  }
  for (const { id } of known) expect({ id, closes: closes.get(id) }).toEqual({ id, closes: 1 });
  expect(books.verify()).toEqual([]);
});
