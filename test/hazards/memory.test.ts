import { expect, test } from "bun:test";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSandbox } from "@sluice/sandbox/server.ts";
import { openBooks } from "#test/books.ts";
import { KEY, simulatedChannel } from "#test/harness.ts";
import { startProgram } from "#test/program.ts";
import { callByHand } from "#test/raw-caller.ts";
import { times } from "#test/seed.ts";
import { whenItRests } from "#test/wait.ts";

const MIB = 1024 * 1024;
const READERS = times(8, 20);

function residentBytes(pid: number): number {
  const [, kib] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kib) * 1024;
}

async function openStalled(url: string): Promise<Socket> {
  const socket = await callByHand(
    url,
    JSON.stringify({
      model: "gpt-4o-mini",
      stream: true,
      messages: [{ role: "user", content: "go on [[fault:endless]]" }],
    }),
  );
  await once(socket, "data");
  socket.pause();
  return socket;
}

test("a client that stalls on an endless response costs less than a mebibyte of memory", async () => {
  await using sandbox = await startSandbox();
  const dataDir = mkdtempSync(join(tmpdir(), "sluice-memory-"));
  const config = join(dataDir, "sluice.yaml");
  writeFileSync(
    config,
    `channels:\n${simulatedChannel("sim", sandbox.url, "models: [gpt-4o-mini]")}`,
  );
  const env = { SLUICE_CONFIG: config, SLUICE_DATA_DIR: dataDir, SLUICE_BOOTSTRAP_KEY: KEY };
  await using program = await startProgram(env);
  const pid = program.child.pid ?? 0;
  // What is loaded, compiled and set aside once is not the readers' cost.
  const first = await Promise.all(Array.from({ length: READERS }, () => openStalled(program.url)));
  // The tokenizer's vocabulary takes longest.
  await Bun.sleep(2_000);
  await whenItRests(() => Math.round(residentBytes(pid) / (4 * MIB)), 60_000);
  const before = residentBytes(pid);

  const stalled = await Promise.all(
    Array.from({ length: READERS }, () => openStalled(program.url)),
  );
  const sent = (): number => sandbox.requests.reduce((sum, each) => sum + each.delivered.bytes, 0);
  // The buffers of the system creep on a little.
  await whenItRests(() => Math.floor(sent() / MIB), 90_000);

  expect((residentBytes(pid) - before) / READERS / MIB).toBeLessThan(1);
  for (const each of [...first, ...stalled]) each.destroy();
  // Told to stop while so many hang-ups are still being counted: all of them are settled first.
  expect(await program.end("SIGTERM")).toBe(0);
  const books = openBooks(dataDir);
  expect({ open: books.openHolds(), wrong: books.verify() }).toEqual({ open: [], wrong: [] });
  expect(books.calls().filter((each) => each["outcome"] === "canceled").length).toBe(2 * READERS);
  books.close();
  rmSync(dataDir, { recursive: true, force: true });
}, 120_000);
