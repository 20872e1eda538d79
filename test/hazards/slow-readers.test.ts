import { afterAll, beforeAll, expect, test } from "bun:test";
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { openBooks } from "#test/books.ts";
import { CAN_LIMIT_READS } from "#test/egress/can-limit-reads.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import { callByHand } from "#test/raw-caller.ts";
import { waitFor, whenItRests } from "#test/wait.ts";

const KIB = 1_024;
const EVENT = `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta: { content: "word ".repeat(20) }, finish_reason: null }] })}\n\n`;
const PIECE = EVENT.repeat(Math.ceil((32 * KIB) / EVENT.length));

/** An upstream that answers without an end, as fast as its answer is taken. */
let upstream: Server;
let sentBytes = 0;

beforeAll(async () => {
  upstream = createServer((question, answer) => {
    question.resume();
    question.on("end", () => {
      answer.writeHead(200, { "content-type": "text/event-stream" });
      void pour(answer);
    });
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  upstream.closeAllConnections();
  upstream.close();
});

async function pour(answer: ServerResponse): Promise<void> {
  let isOpen = true;
  let onDrain = (): void => {};
  answer.on("drain", () => onDrain());
  answer.on("close", () => {
    isOpen = false;
    onDrain();
  });
  while (isOpen) {
    sentBytes += PIECE.length;
    if (answer.write(PIECE)) await new Promise((resolve) => setImmediate(resolve));
    else await new Promise<void>((resolve) => (onDrain = resolve));
  }
}

function openGateway(env: Record<string, string>): Promise<TestGateway> {
  const { port } = upstream.address() as AddressInfo;
  return openTestGateway({
    yaml: `channels:
  - name: endless
    provider: openai
    base_url: http://127.0.0.1:${port}/v1
    api_key: sk-upstream
    models: [gpt-4o-mini]`,
    env,
  });
}

async function openReader(gateway: TestGateway): Promise<Socket> {
  const socket = await callByHand(
    gateway.url,
    JSON.stringify({
      model: "gpt-4o-mini",
      stream: true,
      messages: [{ role: "user", content: "Go on." }],
    }),
  );
  socket.on("error", () => {});
  await once(socket, "data");
  socket.pause();
  return socket;
}

async function bufferedBytes(gateway: TestGateway): Promise<number> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  return Number(/^sluice_buffered_bytes (\d+)/m.exec(text)?.[1] ?? Number.NaN);
}

/** As docs/failover.md says, with and without a limit of the kernel's buffers. */
const MOST_HELD = (CAN_LIMIT_READS ? 192 : 576) * KIB;

test("clients that stall hold no more than the documented 192 KiB each", async () => {
  await using gateway = await openGateway({});
  const readers: Socket[] = [];
  for (let i = 0; i < 20; i++) readers.push(await openReader(gateway));
  await whenItRests(() => sentBytes, 90_000);
  // What waits behind a blocked write is counted again every second.
  await Bun.sleep(1_500);

  const held = await bufferedBytes(gateway);
  for (const each of readers) each.destroy();
  await waitFor(async () => (await bufferedBytes(gateway)) === 0, 30_000);

  expect(held / readers.length).toBeWithin(1, MOST_HELD);
}, 120_000);

test("above limits.buffered_bytes the slowest streams end with an error event and are charged for the delivered part", async () => {
  const limit = 512 * KIB;
  await using gateway = await openGateway({ SLUICE_LIMIT_BUFFERED_BYTES: String(limit) });
  using books = openBooks(gateway.dataDir);
  const readers: Socket[] = [];
  for (let i = 0; i < 15; i++) readers.push(await openReader(gateway));
  await whenItRests(() => sentBytes, 90_000);
  await Bun.sleep(1_500);

  expect(await bufferedBytes(gateway)).toBeWithin(1, limit + 1);
  await waitFor(() => books.calls().length > 0);
  const ended = books.calls();
  expect(ended.length).toBeWithin(1, readers.length);
  for (const call of ended) {
    expect(call).toMatchObject({ outcome: "failed", fault: "overloaded", is_estimated: 1 });
    expect(Number(call["output_tokens"])).toBeGreaterThan(0);
  }

  // The first fell behind first.
  const [slowest] = readers;
  let text = "";
  slowest?.on("data", (bytes) => (text = (text + String(bytes)).slice(-4_096)));
  slowest?.resume();
  await waitFor(() => text.includes('"error":'), 30_000);
  expect(text).toContain("read too slowly");
  expect(text).not.toContain("[DONE]");

  for (const each of readers) each.destroy();
  expect(await books.whenSettled()).toEqual([]);
}, 120_000);
