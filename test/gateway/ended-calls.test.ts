import { describe, expect, test } from "bun:test";
import { startSandbox } from "@sluice/sandbox/server.ts";
import { asRoot, asUser, openWithRoot, textIn, bearer, type Ask } from "#test/accounts.ts";
import { openBooks } from "#test/books.ts";
import { simulatedChannel, type TestGateway } from "#test/harness.ts";
import { isPostgresReachable, openScratchDatabase, query } from "#test/scratch-database.ts";
import { waitFor } from "#test/wait.ts";

const ENDLESS = "go on [[fault:endless]] [[fault:slow between_ms=2]]";
const WITHIN_MS = 5_000;

async function makeKey(ask: Ask, name: string): Promise<{ id: number; key: string }> {
  const { data } = await ask("POST", "/api/token", { name });
  return { id: Number(data["id"]), key: textIn(data, "key") };
}

/** A stream that has begun; its text is what came until its end. */
async function begin(url: string, key: string, path = "/v1/chat/completions") {
  const body = {
    model: "gpt-4o-mini",
    stream: true,
    max_tokens: 100_000,
    messages: [{ role: "user", content: ENDLESS }],
  };
  const response = await fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...bearer(key) },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let isOver = false;
  let tail = "";
  const reading = (async () => {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done) break;
      tail = (tail + decoder.decode(value, { stream: true })).slice(-2_000);
    }
    isOver = true;
  })();
  return { reading, isOver: () => isOver, tail: () => tail };
}

describe.each([
  ["deleted", (ask: Ask, id: number) => ask("DELETE", `/api/token/${id}`)],
  ["deleted with others", (ask: Ask, id: number) => ask("POST", "/api/token/batch", { ids: [id] })],
  ["disabled", (ask: Ask, id: number) => ask("PUT", `/api/token/${id}`, { status: 2 })],
])("[A3.1-a] if a key is %s", (_, take) => {
  test("its running streams end within 5 seconds with an error event, each charged once for the delivered part", async () => {
    await using sandbox = await startSandbox();
    await using opened = await openWithRoot({
      yaml: `channels:\n${simulatedChannel("sim", sandbox.url, "models: [gpt-4o-mini]")}`,
    });
    using books = openBooks(opened.dataDir);
    const ask = await asUser(opened.url, "ada");
    const own = await makeKey(ask, "taken");
    const other = await makeKey(ask, "kept");
    const streams = [
      await begin(opened.url, own.key),
      await begin(opened.url, own.key),
      await begin(opened.url, own.key, "/v1/messages"),
    ];
    const kept = await begin(opened.url, other.key);

    const takenAt = performance.now();
    expect((await take(ask, own.id)).status).toBe(200);
    await Promise.all(streams.map(({ reading }) => reading));

    expect(performance.now() - takenAt).toBeLessThan(WITHIN_MS);
    for (const { tail } of streams) {
      expect(tail()).toContain("was deleted or disabled");
      expect(tail()).not.toContain("[DONE]");
    }
    await waitFor(
      () => sandbox.requests.filter((each) => each.abortedAt !== undefined).length === 3,
    );
    await waitFor(() => books.openHolds().length === 1);
    const calls = books.calls().filter((each) => each["key_id"] === own.id);
    expect(calls).toHaveLength(3);
    for (const call of calls) {
      expect(call).toMatchObject({ outcome: "failed", fault: "unauthenticated" });
      expect(call["output_tokens"]).toBeGreaterThan(0);
      expect(books.closes().get(String(call["id"]))).toBe(1);
    }

    expect(kept.isOver()).toBe(false);
    await ask("DELETE", `/api/token/${other.id}`);
    await kept.reading;
    expect(await books.whenSettled()).toEqual([]);
  }, 30_000);
});

test.each([
  [
    "a user is disabled",
    (ask: Ask, user: number) => ask("PUT", `/api/user/${user}`, { status: 2 }),
  ],
  ["a user is deleted", (ask: Ask, user: number) => ask("DELETE", `/api/user/${user}`)],
  [
    "an admin deletes their key",
    (ask: Ask, user: number, key: number) => ask("DELETE", `/api/user/${user}/token/${key}`),
  ],
])(
  "if %s, its streams end and are settled",
  async (_, take) => {
    await using sandbox = await startSandbox();
    await using opened = await openWithRoot({
      yaml: `channels:\n${simulatedChannel("sim", sandbox.url, "models: [gpt-4o-mini]")}`,
    });
    using books = openBooks(opened.dataDir);
    const ask = await asUser(opened.url, "ada");
    const { id, key } = await makeKey(ask, "theirs");
    const { data: self } = await ask("GET", "/api/user/self");
    const stream = await begin(opened.url, key);

    const root = await asRoot(opened.url);
    expect((await take(root, Number(self["id"]), id)).status).toBe(200);
    await stream.reading;

    expect(stream.tail()).toContain("was deleted or disabled");
    expect(await books.whenSettled()).toEqual([]);
    expect(books.calls().at(-1)).toMatchObject({ fault: "unauthenticated" });
  },
  30_000,
);

test("a call that waits for its first byte gets the error too, without cost", async () => {
  await using sandbox = await startSandbox();
  await using opened = await openWithRoot({
    yaml: `channels:\n${simulatedChannel("sim", sandbox.url, "models: [gpt-4o-mini]")}`,
  });
  using books = openBooks(opened.dataDir);
  const ask = await asUser(opened.url, "ada");
  const { id, key } = await makeKey(ask, "waiting");
  const waiting = fetch(`${opened.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...bearer(key) },
    body: JSON.stringify({
      model: "gpt-4o-mini",
      messages: [{ role: "user", content: "hi [[fault:hang]]" }],
    }),
  });
  await waitFor(() => sandbox.requests.length > 0);

  await ask("DELETE", `/api/token/${id}`);
  const answer = await waiting;

  expect(answer.status).toBe(401);
  expect(await books.whenSettled()).toEqual([]);
  expect(books.calls().at(-1)).toMatchObject({ fault: "unauthenticated", cost: 0 });
}, 30_000);

describe.if(isPostgresReachable || process.env["CI"] !== undefined)("on one PostgreSQL", () => {
  test("[A3.1-a] if one gateway deletes a key, its streams on another end, each settled once", async () => {
    await using sandbox = await startSandbox();
    await using database = await openScratchDatabase();
    const open = (): Promise<TestGateway> =>
      openWithRoot({
        yaml: `channels:\n${simulatedChannel("sim", sandbox.url, "models: [gpt-4o-mini]")}`,
        env: {
          DATABASE_URL: database.url,
          SLUICE_SECRET: "one-secret-for-all-gateways-0123456789",
        },
      });
    await using first = await open();
    await using second = await open();
    const ask = await asUser(first.url, "ada");
    const { id, key } = await makeKey(ask, "shared");
    const streams = [await begin(first.url, key), await begin(second.url, key)];

    const deletedAt = performance.now();
    await ask("DELETE", `/api/token/${id}`);
    await Promise.all(streams.map(({ reading }) => reading));

    expect(performance.now() - deletedAt).toBeLessThan(WITHIN_MS);
    const closes = (): Promise<{ n: string }[]> =>
      query(
        database.url,
        `select count(*) as n from ledger where kind in ('settle', 'void')
         group by call_id`,
      );
    await waitFor(async () => (await closes()).length === 2);
    expect((await closes()).map(({ n }) => Number(n))).toEqual([1, 1]);
  }, 30_000);
});
