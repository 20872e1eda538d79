import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openGatewayDatabase } from "#test/gateway-database.ts";
import {
  aTask,
  channelsAt,
  insert,
  openFileServer,
  videoOf,
} from "#test/gateway/videos/content-place.ts";
import { KEY } from "#test/harness.ts";
import { startProgram } from "#test/program.ts";
import { times } from "#test/seed.ts";

const MIB = 1024 * 1024;
/** Far more than the bound on what all readers together may hold. */
const SIZE_BYTES = times(150, 300) * MIB;
const PIECE = videoOf(MIB);
const READERS = 4;

function residentBytes(pid: number): number {
  const [, kib] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kib) * 1024;
}

function large(): Response {
  let sentBytes = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sentBytes >= SIZE_BYTES) return controller.close();
      controller.enqueue(PIECE);
      sentBytes += PIECE.length;
    },
  });
  return new Response(body, { headers: { "content-type": "video/mp4" } });
}

test("videos of hundreds of MiB pass through a gateway with almost no buffering", async () => {
  await using server = openFileServer();
  const dataDir = mkdtempSync(join(tmpdir(), "sluice-large-"));
  const config = join(dataDir, "sluice.yaml");
  writeFileSync(config, channelsAt(server.url));
  await using program = await startProgram({
    SLUICE_CONFIG: config,
    SLUICE_DATA_DIR: dataDir,
    SLUICE_BOOTSTRAP_KEY: KEY,
    SLUICE_LINKS_ALLOW: "127.0.0.1",
    SLUICE_LINKS_PORTS: new URL(server.url).port,
  });
  const linked = aTask("open", [{ url: `${server.url}/v.mp4` }], {});
  const asked = aTask("endpoint", [{ url: "" }], {});
  const db = openGatewayDatabase(dataDir);
  for (const task of [linked, asked]) await insert(db, task);
  db.close();
  server.files.set("/v.mp4", large);
  server.files.set(`/openai/videos/${asked.place?.upstreamId}/content`, large);
  const pid = program.child.pid ?? 0;
  let most = 0;

  const read = async (id: string): Promise<number> => {
    const headers = { authorization: `Bearer ${KEY}` };
    const answer = await fetch(`${program.url}/v1/videos/${id}/content`, { headers });
    let sizeBytes = 0;
    for await (const piece of answer.body ?? []) {
      sizeBytes += piece.length;
      most = Math.max(most, residentBytes(pid));
    }
    return sizeBytes;
  };
  // What is loaded and compiled once is not a video's cost.
  await read(linked.id);
  await read(asked.id);
  const before = residentBytes(pid);
  most = 0;

  const ids = Array.from({ length: READERS }, (_, at) => (at % 2 === 0 ? linked.id : asked.id));
  const sizes = await Promise.all(ids.map(read));

  expect(sizes).toEqual(ids.map(() => SIZE_BYTES));
  expect(most - before).toBeLessThan(READERS * 32 * MIB);
  rmSync(dataDir, { recursive: true, force: true });
}, 120_000);
