import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { openBooks, type Books } from "#test/books.ts";
import { openSimulated } from "#test/harness.ts";
import { summarize } from "#test/streams.ts";
import { waitFor } from "#test/wait.ts";

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

const ask = (content: string, stream = false): Promise<Response> =>
  opened.post("/v1/chat/completions", {
    model: "gpt-4o-mini",
    stream,
    messages: [{ role: "user", content }],
  });

/** Somebody else's long transaction. */
function lock(): () => void {
  const db = new Database(join(opened.dataDir, "sluice.db"));
  db.run("BEGIN IMMEDIATE");
  return () => {
    db.run("ROLLBACK");
    db.close();
  };
}

test("while another process locks the database, the gateway responds and loses no settlement", async () => {
  const stream = await ask("Count to 30 [[fault:slow between_ms=20]]", true);
  const reading = stream.text();

  const unlock = lock();
  const waiting = ask("Reply with exactly: pong");
  const livez = await fetch(`${opened.url}/livez`);
  expect(livez.status).toBe(200);
  await Bun.sleep(1_500);
  unlock();

  expect((await waiting).status).toBe(200);
  expect(summarize(await reading).isDone).toBe(true);
  expect(await books.whenSettled()).toEqual([]);
  expect(
    books
      .calls()
      .slice(-2)
      .every((each) => each["outcome"] === "completed" && Number(each["cost"]) > 0),
  ).toBe(true);
});

test("a lock beyond the timeouts refuses new calls, and service recovers without intervention", async () => {
  const unlock = lock();
  // The first ones wait for the lock; once it has lasted too long, calls are refused at once.
  const early = ask("Reply with exactly: pong");
  await waitFor(async () => {
    const answer = await ask("Reply with exactly: pong");
    await answer.text();
    return answer.status === 503;
  }, 30_000);
  unlock();
  await early;

  await waitFor(async () => (await ask("Reply with exactly: pong")).status === 200, 20_000);
  expect(await books.whenSettled()).toEqual([]);
});
