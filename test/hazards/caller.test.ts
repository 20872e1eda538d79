import { afterAll, beforeAll, expect, test } from "bun:test";
import { once } from "node:events";
import type { Socket } from "node:net";
import { countTokens } from "#relay/metering/tokens.ts";
import { openBooks, type Books } from "#test/books.ts";
import { openSimulated } from "#test/harness.ts";
import { callByHand } from "#test/raw-caller.ts";
import { random, SEED, times } from "#test/seed.ts";
import { summarize } from "#test/streams.ts";
import { waitFor, whenItRests } from "#test/wait.ts";

let opened: Awaited<ReturnType<typeof openSimulated>>;
let books: Books;
beforeAll(async () => {
  opened = await openSimulated({ channel: "models: [gpt-4o-mini]" });
  books = openBooks(opened.dataDir);
});
afterAll(async () => {
  books.close();
  await opened[Symbol.asyncDispose]();
});

const body = (content: string, more: object = {}): string =>
  JSON.stringify({
    model: "gpt-4o-mini",
    stream: true,
    messages: [{ role: "user", content }],
    ...more,
  });

const call = (text: string): Promise<Socket> => callByHand(opened.url, text);

test("a client that disconnects at any point cancels the upstream request and pays once for the delivered part", async () => {
  const draw = random(SEED);
  for (let i = 0; i < times(10, 1_000); i++) {
    const socket = await call(body("Count to 400 [[fault:slow between_ms=3]]"));
    const leaveAfterBytes = 2_000 + Math.floor(draw() * 12_000);
    let received = "";
    while (received.length < leaveAfterBytes) received += String((await once(socket, "data"))[0]);
    const upstream = opened.sandbox.requests.at(-1);

    socket.destroy();
    // One that has said all it has to say is not cut.
    await waitFor(() => upstream?.abortedAt !== undefined);

    await books.whenSettled();
    const bill = books.calls().at(-1);
    expect(bill).toMatchObject({ outcome: "canceled", is_estimated: 1 });
    const delivered = await countTokens(summarize(dechunk(received)).text);
    const sentOn = upstream?.delivered.events ?? 0;
    // A caller who is slow to read has more in the system's buffers; the upstream sent no more than this.
    const perEvent = Math.ceil(delivered / (dechunk(received).split("data: ").length - 2));
    const most = Math.max(delivered + 60, sentOn * perEvent + 1);
    expect(bill?.output_tokens).toBeWithin(delivered, most);
    expect(sentOn).toBeGreaterThan(0);
    expect(books.closes().get(String(bill?.["id"]))).toBe(1);
  }
});

test("a client that disconnects before the first byte pays nothing, and the upstream request is cancelled", async () => {
  const before = books.spent();
  const { length } = books.calls();
  const socket = await call(body("hi [[fault:hang]]"));
  const count = opened.sandbox.requests.length;
  await waitFor(
    () =>
      opened.sandbox.requests.length > count ||
      opened.sandbox.requests.at(-1)?.faults.includes("hang") === true,
  );
  const upstream = opened.sandbox.requests.at(-1);

  socket.destroy();
  await waitFor(() => upstream?.abortedAt !== undefined);
  // A hold that was let go of before it was written is never seen open.
  await waitFor(() => books.calls().length > length);
  await books.whenSettled();

  expect(books.spent()).toBe(before);
  expect(books.calls().at(-1)).toMatchObject({ outcome: "canceled", cost: 0 });
});

test("a client that stops reading pauses the upstream, and uses no extra memory", async () => {
  const sockets = await Promise.all(
    Array.from({ length: 10 }, () => call(body("go on [[fault:endless]]"))),
  );
  for (const socket of sockets) socket.pause();
  const records = (): readonly { delivered: { bytes: number } }[] =>
    opened.sandbox.requests.slice(-sockets.length);
  const sent = (): number => records().reduce((sum, each) => sum + each.delivered.bytes, 0);

  // The system's own buffers fill first; then nothing moves any more.
  await waitFor(async () => {
    const before = await whenItRests(sent, 100_000);
    await Bun.sleep(500);
    return sent() === before;
  }, 100_000);

  const rss = process.memoryUsage.rss();
  const before = sent();
  await Bun.sleep(500);
  expect(sent()).toBe(before);
  expect(process.memoryUsage.rss() - rss).toBeLessThan(5 * 1024 * 1024);
  for (const socket of sockets) socket.destroy();
  await waitFor(() =>
    opened.sandbox.requests.slice(-sockets.length).every((each) => each.abortedAt !== undefined),
  );
  expect(await books.whenSettled()).toEqual([]);
});

/** Bodies come in chunks with their lengths in between; the head goes first. */
function dechunk(text: string): string {
  const start = text.indexOf("\r\n\r\n") + 4;
  return text.slice(start).replaceAll(/(^|\r\n)[0-9a-f]+\r\n/gi, "");
}
