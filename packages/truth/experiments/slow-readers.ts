import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { GOOD, type Field } from "../field.ts";
import { promptOf } from "../vendor/plan.ts";
import { scaled, type Experiment } from "./experiment.ts";

const READERS = 50;
const LEAST_READERS = 10;
const CHUNK_BYTES = 64 * 1024;
/** More than any buffer between the vendor and the reader: 64 MiB each. */
const CHUNKS = 1_000;
const WATCHED_MS = 8_000;
const LOOK_MS = 250;
const MEBIBYTE = 1024 * 1024;
const MOST_PER_READER = 4;
/** What a process takes once, however many readers there are. */
const ONCE = 64;

export const SLOW_READERS: Experiment = {
  id: "slow-readers",
  title: "Readers who stop reading a long stream",
  rule: `A reader who stops costs at most ${MOST_PER_READER} MiB above ${ONCE} MiB for all, because the vendor is no longer read either.`,
  async run(field) {
    const key = await field.accounts.createKey({ name: "truth-slow-readers" });
    const before = field.gateway.memory();
    if (before === undefined) {
      const sentence = "Not measured: this system does not tell the memory of processes.";
      return { holds: true, figures: { memory: "not measured" }, sentence };
    }
    const readers = scaled(field, READERS, LEAST_READERS);
    const sockets = Array.from({ length: readers }, () => openReader(field, key.secret));
    let most = before;
    const until = performance.now() + WATCHED_MS;
    while (performance.now() < until) {
      await sleep(LOOK_MS);
      most = Math.max(most, field.gateway.memory() ?? 0);
    }
    for (const socket of sockets) socket.destroy();
    const grown = Math.round((most - before) / MEBIBYTE);
    return {
      holds: grown <= ONCE + readers * MOST_PER_READER,
      figures: { readers, "grown by MiB": grown, "MiB a reader": (grown / readers).toFixed(1) },
      sentence: `${readers} readers who stopped made the gateway's processes grow by ${grown} MiB.`,
    };
  },
};

/** Sends a call and never reads its answer. */
function openReader(field: Field, secret: string): Socket {
  const { hostname, port } = new URL(field.gateway.url);
  const plan = { id: field.nextId(), tokens: CHUNKS, chunkBytes: CHUNK_BYTES };
  const body = JSON.stringify({
    ...field.request(GOOD),
    stream: true,
    messages: [{ role: "user", content: promptOf(plan) }],
  });
  const socket = connect(Number(port), hostname, () => {
    socket.pause();
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: ${hostname}:${port}\r\n` +
        `authorization: Bearer ${secret}\r\ncontent-type: application/json\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  });
  socket.on("error", () => undefined);
  return socket;
}
