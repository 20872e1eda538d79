import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBooks } from "#test/books.ts";
import { KEY, simulatedChannel } from "#test/harness.ts";
import { startProgram } from "#test/program.ts";
import { times } from "#test/seed.ts";

const MIB = 1024 * 1024;
const UPLOADS = times(120, 200);
const FILE_BYTES = 2 * MIB;

function residentBytes(pid: number): number {
  const [, kib] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kib) * 1024;
}

/** A vendor who listens to all recordings before it answers any, and keeps none. */
function startListener() {
  const all = Promise.withResolvers<void>();
  let count = 0;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      let sizeBytes = 0;
      for await (const piece of request.body ?? []) sizeBytes += piece.length;
      if (++count === UPLOADS) all.resolve();
      await all.promise;
      return Response.json({ text: String(sizeBytes), usage: { type: "duration", seconds: 1 } });
    },
  });
  return { server, heardAll: all.promise };
}

async function upload(url: string, file: File): Promise<number> {
  for (;;) {
    const body = new FormData();
    body.append("model", "whisper-1");
    body.append("file", file);
    const headers = { authorization: `Bearer ${KEY}` };
    const response = await fetch(`${url}/v1/audio/transcriptions`, {
      method: "POST",
      headers,
      body,
    });
    const json = (await response.json()) as { readonly text?: string };
    if (response.status === 200) return Number(json.text);
    // So many large bodies are read at a time, and so many wait: more are told to come again.
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).not.toBeNull();
    await Bun.sleep(100 + Math.random() * 200);
  }
}

test("many concurrent recordings are all transcribed, and none is in memory three times", async () => {
  const { server, heardAll } = startListener();
  const dataDir = mkdtempSync(join(tmpdir(), "sluice-uploads-"));
  const config = join(dataDir, "sluice.yaml");
  const address = `http://127.0.0.1:${server.port}`;
  writeFileSync(config, `channels:\n${simulatedChannel("ear", address, "models: [whisper-1]")}`);
  const env = {
    SLUICE_CONFIG: config,
    SLUICE_DATA_DIR: dataDir,
    SLUICE_BOOTSTRAP_KEY: KEY,
    SLUICE_LOG_LEVEL: "silent",
  };
  await using program = await startProgram(env);
  const pid = program.child.pid ?? 0;
  const before = residentBytes(pid);
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, residentBytes(pid))), 20);

  const file = new File([new Uint8Array(FILE_BYTES).fill(7)], "long.wav", { type: "audio/wav" });
  const heard = await Promise.all(Array.from({ length: UPLOADS }, () => upload(program.url, file)));
  await heardAll;
  clearInterval(watch);

  expect(Math.min(...heard)).toBeGreaterThan(FILE_BYTES);
  expect((most - before) / MIB).toBeLessThan((2.5 * UPLOADS * FILE_BYTES) / MIB);
  expect(await program.end("SIGTERM")).toBe(0);
  using books = openBooks(dataDir);
  expect(books.verify()).toEqual([]);
  expect(books.calls().filter((each) => each["outcome"] === "completed").length).toBe(UPLOADS);
  await server.stop(true);
  rmSync(dataDir, { recursive: true, force: true });
});
