import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { openBooks, type Books } from "#test/books.ts";
import { openTestGateway, simulatedChannel, type TestGateway } from "#test/harness.ts";
import { random, SEED, times } from "#test/seed.ts";
import { readStream } from "#test/streams.ts";
import { waitFor } from "#test/wait.ts";

const TEXT = "The quick brown fox jumps over the lazy dog, and a 狐 over 犬 😀 too";
const SECRET = "sk-upstream-secret-of-the-operator";

/**
 * Every way in which an upstream goes wrong behind a library that is not ours:
 * no false end, no error in the upstream's own words, no charge for what was
 * not delivered, none twice, and the secret is nowhere but on the wire.
 */
describe.each([
  ["chat", 2_500],
  ["responses", 6_000],
])("a response read by a package, over its %s interface", (api, middleBytes) => {
  let sandbox: Sandbox;
  let gateway: TestGateway;
  let books: Books;
  const open = (waitMs: number): Promise<TestGateway> => {
    const options = `options: { package: "@ai-sdk/openai", api: ${api} }`;
    return openTestGateway({
      yaml: `channels:
${simulatedChannel("adapted", sandbox.url, `${options}\nmodels: [gpt-4o-mini]`, "ai-sdk")}
models:
  gpt-4o-mini: { input: 0.15, output: 0.60 }`,
      env: {
        SLUICE_LIMIT_FIRST_BYTE_MS: String(waitMs),
        SLUICE_LIMIT_UNARY_MS: String(waitMs),
        SLUICE_LIMIT_IDLE_MS: String(waitMs),
        SLUICE_LIMIT_ATTEMPTS: "1",
      },
    });
  };
  beforeAll(async () => {
    sandbox = await startSandbox();
    gateway = await open(60_000);
    books = openBooks(gateway.dataDir);
  });
  afterAll(async () => {
    expect(books.dump()).not.toContain(SECRET);
    books.close();
    await gateway[Symbol.asyncDispose]();
    await sandbox.stop();
  });
  afterEach(async () => {
    gateway.gateway.health.forgetAll();
    expect(await books.whenSettled()).toEqual([]);
  });

  const ask = (fault: string, more: object = {}, at = gateway): Promise<Response> =>
    at.post("/v1/chat/completions", {
      model: "gpt-4o-mini",
      messages: [{ role: "user", content: `Reply with exactly: ${TEXT} ${fault}` }],
      ...more,
    });
  const stream = async (fault: string): ReturnType<typeof readStream> =>
    readStream(await ask(fault, { stream: true, stream_options: { include_usage: true } }));

  test("arrives, complete and streamed, and is charged by the vendor's usage", async () => {
    const before = books.spent();
    const whole = await (await ask("")).json();
    const streamed = await stream("");

    expect(whole).toMatchObject({
      choices: [{ message: { content: TEXT }, finish_reason: "stop" }],
    });
    expect(streamed).toMatchObject({ text: TEXT, finishReason: "stop", isDone: true });
    expect(streamed.usage).toMatchObject({ completion_tokens: expect.any(Number) });
    await books.whenSettled();
    expect(books.spent()).toBeGreaterThan(before);
    expect(books.calls().at(-1)).toMatchObject({ outcome: "completed", is_estimated: 0 });
  });

  const failures: [string, string, number][] = [
    ["is refused for its rate", "[[fault:status code=429 retry_after=7]]", 429],
    ["is refused for our credential", "[[fault:status code=401]]", 502],
    ["is a 500", "[[fault:status code=500]]", 502],
    ["is a proxy's HTML page", "[[fault:status code=502 html=1]]", 502],
    ["is overloaded", "[[fault:status code=503]]", 503],
    ["is a request the vendor refuses", "[[fault:status code=400]]", 400],
    ["is a redirect to somewhere else", "[[fault:redirect to=http://127.0.0.2:1/x]]", 502],
    ["is compressed unasked", "[[fault:gzip]]", 502],
    ["is a cut connection", "[[fault:reset before_headers=1]]", 502],
  ];
  test.each(failures)(
    "%s before its first byte: reported with its status, streaming or not, and not charged",
    async (_what, fault, status) => {
      for (const more of [{}, { stream: true }]) {
        gateway.gateway.health.forgetAll();
        const before = books.spent();
        const answer = await ask(fault, more);
        const text = await answer.text();

        expect([answer.status, answer.headers.get("content-type")]).toEqual([
          status,
          "application/json",
        ]);
        expect(text).not.toMatch(/127\.0\.0|sk-upstream|<html|sluice-/i);
        await books.whenSettled();
        expect(books.spent()).toBe(before);
      }
    },
  );

  test("never arrives: reported with 504, streaming or not, and not charged", async () => {
    await using hasty = await open(600);
    using hastyBooks = openBooks(hasty.dataDir);
    for (const more of [{}, { stream: true }]) {
      hasty.gateway.health.forgetAll();
      const answer = await ask("[[fault:hang]]", more, hasty);

      expect([answer.status, answer.headers.get("content-type")]).toEqual([
        504,
        "application/json",
      ]);
      expect(await answer.text()).not.toMatch(/127\.0\.0|sk-upstream|<html|sluice-/i);
    }
    expect(await hastyBooks.whenSettled()).toEqual([]);
    expect(hastyBooks.spent()).toBe(0);
  });

  test("the vendor's time to retry is passed on to the client", async () => {
    const answer = await ask("[[fault:status code=429 retry_after=7]]");

    expect(answer.headers.get("retry-after")).toBe("7");
  });

  const breaks: [string, string][] = [
    ["is reset", `[[fault:reset bytes=${middleBytes}]]`],
    ["is closed", `[[fault:reset bytes=${middleBytes} how=fin]]`],
    ["reports an error", "[[fault:streamerror after=6]]"],
    // A library may read 2 MiB ahead of the limit of 4 MiB.
    ["sends an event too large to hold", "[[fault:bigevent mib=8]]"],
  ];
  test.each(breaks)(
    "%s in the middle: an error event, no normal end, and charged once",
    async (_what, fault) => {
      const seen = await stream(fault);

      expect(seen.error).toMatchObject({ message: expect.any(String) });
      expect([seen.isDone, seen.finishReason]).toEqual([false, undefined]);
      expect(TEXT).toStartWith(seen.text);
      await books.whenSettled();
      expect(books.calls().at(-1)).toMatchObject({ outcome: "failed" });
    },
  );

  test("is reset at any byte: the error is always reported, and the text never exceeds the sent part", async () => {
    const draw = random(SEED);
    for (let i = 0; i < times(12, 300); i++) {
      gateway.gateway.health.forgetAll();
      const bytes = Math.floor(draw() * 5_000);
      const answer = await ask(`[[fault:reset bytes=${bytes}]]`, { stream: true });
      if (answer.status !== 200) continue;
      const seen = await readStream(answer);

      expect(TEXT).toStartWith(seen.text);
      expect([bytes, seen.isDone, seen.error !== undefined]).toEqual([
        bytes,
        !(seen.error !== undefined),
        seen.error !== undefined,
      ]);
    }
  });

  test("goes silent: ended at the idle deadline", async () => {
    await using hasty = await open(600);
    using hastyBooks = openBooks(hasty.dataDir);
    const answer = await ask("[[fault:slow between_ms=60000]]", { stream: true }, hasty);

    if (answer.status !== 200) expect(answer.status).toBe(504);
    else expect(await readStream(answer)).toMatchObject({ isDone: false, finishReason: undefined });
    await hastyBooks.whenSettled();
    const last = hastyBooks.calls().at(-1);
    expect(last).toMatchObject({ outcome: "failed", fault: "upstream_timeout" });
  });

  test.each(["crlf", "comments", "split size=1", "split size=7"])(
    "in a legal but unusual form (%s) arrives complete",
    async (name) => {
      const seen = await stream(`[[fault:${name}]]`);

      expect(seen).toMatchObject({
        text: TEXT,
        isDone: true,
        finishReason: "stop",
        error: undefined,
      });
    },
  );

  test("without usage is counted by the gateway, and marked as estimated", async () => {
    for (const more of [{}, { stream: true }]) {
      const answer = await ask("[[fault:nousage]]", more);
      expect(await answer.text()).toContain("lazy");

      await books.whenSettled();
      expect(books.calls().at(-1)).toMatchObject({ outcome: "completed", is_estimated: 1 });
      expect(books.calls().at(-1)?.["output_tokens"]).toBeWithin(10, 60);
    }
  });

  test("a client that disconnects cancels the vendor's response, and pays for the delivered part", async () => {
    const caller = new AbortController();
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      signal: caller.signal,
      headers: {
        authorization: "Bearer test-key-0123456789abcdefghij",
        "content-type": "application/json",
      },
      body: JSON.stringify({
        model: "gpt-4o-mini",
        stream: true,
        messages: [
          { role: "user", content: `Reply with exactly: ${TEXT} [[fault:slow between_ms=100]]` },
        ],
      }),
    });
    const reader = answer.body?.getReader();
    await reader?.read();
    caller.abort();
    await reader?.cancel().catch(() => {});

    await waitFor(() => books.openHolds().length === 0);
    expect(books.calls().at(-1)).toMatchObject({ outcome: "canceled" });
  });
});

test("[A4.3] a response that fails before its first byte is requested from another channel, of any kind", async () => {
  await using sandbox = await started();
  const options = 'options: { package: "@ai-sdk/openai", api: chat }';
  await using gateway = await openTestGateway({
    yaml: `channels:
${simulatedChannel("adapted", `${sandbox.url}/nowhere`, `${options}\nmodels: [gpt-4o-mini]\npriority: -1`, "ai-sdk")}
${simulatedChannel("native", sandbox.url, "models: [gpt-4o-mini]")}`,
  });
  const books = openBooks(gateway.dataDir);
  for (const more of [{}, { stream: true }]) {
    const answer = await gateway.post("/v1/chat/completions", {
      model: "gpt-4o-mini",
      messages: [{ role: "user", content: `Reply with exactly: ${TEXT}` }],
      ...more,
    });
    expect(await answer.text()).toContain("lazy");
  }

  expect(await books.whenSettled()).toEqual([]);
  expect(books.calls().map((call) => call["channel"])).toEqual(["native", "native"]);
  books.close();
});

async function started(): Promise<Sandbox & AsyncDisposable> {
  const sandbox = await startSandbox();
  return { ...sandbox, [Symbol.asyncDispose]: () => sandbox.stop() };
}
