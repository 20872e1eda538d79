import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { openBooks, type Books } from "#test/books.ts";
import { openSimulated } from "#test/harness.ts";
import { random, SEED, times } from "#test/seed.ts";
import { readStream } from "#test/streams.ts";

/**
 * Every way in which an upstream goes wrong, over an answer that is passed on
 * and over one that is translated. Whatever happens: no false end, no error in
 * the upstream's own words, no charge for what was not delivered, none twice.
 */
describe.each([
  ["passed on", "openai"],
  ["translated", "ollama"],
])("a response that is %s", (_how, provider) => {
  let opened: Awaited<ReturnType<typeof openSimulated>>;
  let books: Books;
  beforeAll(async () => {
    opened = await openSimulated({
      provider,
      channel: "models: [gpt-4o-mini]",
      // Local servers have no price of their own.
      yaml: "models:\n  gpt-4o-mini: { input: 0.15, output: 0.60 }",
      // One channel: what is tested here is what its caller sees.
      env: {
        SLUICE_LIMIT_FIRST_BYTE_MS: "600",
        SLUICE_LIMIT_UNARY_MS: "600",
        SLUICE_LIMIT_IDLE_MS: "600",
        SLUICE_LIMIT_ATTEMPTS: "1",
      },
    });
    books = openBooks(opened.dataDir);
  });
  afterAll(async () => {
    books.close();
    await opened[Symbol.asyncDispose]();
  });
  afterEach(async () => {
    opened.gateway.health.forgetAll();
    expect(await books.whenSettled()).toEqual([]);
  });

  const TEXT = "The quick brown fox jumps over the lazy dog, and a 狐 over 犬 😀 too";
  const ask = (fault: string, more: object = {}): Promise<Response> =>
    opened.post("/v1/chat/completions", {
      model: "gpt-4o-mini",
      messages: [{ role: "user", content: `Reply with exactly: ${TEXT} ${fault}` }],
      ...more,
    });
  const stream = async (fault: string): ReturnType<typeof readStream> =>
    readStream(await ask(fault, { stream: true, stream_options: { include_usage: true } }));

  describe("before its first byte", () => {
    const failures: [string, string, number][] = [
      ["never comes", "[[fault:hang]]", 504],
      ["is refused for its rate", "[[fault:status code=429 retry_after=7]]", 429],
      ["is refused for our credential", "[[fault:status code=401]]", 502],
      ["is a 500", "[[fault:status code=500]]", 502],
      ["is a proxy's HTML page", "[[fault:status code=502 html=1]]", 502],
      ["is a page with status 200", "[[fault:page200]]", 502],
      ["is overloaded", "[[fault:status code=503]]", 503],
      ["is a request the vendor refuses", "[[fault:status code=400]]", 400],
      ["is an error with status 200", "[[fault:error200]]", 502],
      ["is a redirect to somewhere else", "[[fault:redirect to=http://127.0.0.2:1/x]]", 502],
      ["is compressed unasked", "[[fault:gzip]]", 502],
      ["is a cut connection", "[[fault:reset before_headers=1]]", 502],
    ];
    test.each(failures)(
      "%s: reported with its status, streaming or not, and not charged",
      async (_what, fault, status) => {
        for (const more of [{}, { stream: true }]) {
          opened.gateway.health.forgetAll();
          const before = books.spent();
          const answer = await ask(fault, more);
          const text = await answer.text();

          expect({ status: answer.status, type: answer.headers.get("content-type") }).toEqual({
            status,
            type: "application/json",
          });
          expect(JSON.parse(text)).toEqual({
            error: {
              message: expect.any(String),
              type: expect.any(String),
              param: null,
              code: expect.anything(),
            },
          });
          expect(text).not.toMatch(/127\.0\.0|sk-upstream|<html/i);
          await books.whenSettled();
          expect(books.spent()).toBe(before);
        }
      },
    );

    test("the vendor's time to retry is passed on to the client", async () => {
      expect(
        (await ask("[[fault:status code=429 retry_after=7]]")).headers.get("retry-after"),
      ).toBe("7");
    });
  });

  describe("in the middle of a stream", () => {
    const breaks: [string, string][] = [
      ["is reset", "[[fault:reset bytes=1500]]"],
      ["is closed", "[[fault:reset bytes=1500 how=fin]]"],
      ["ends without a finish", "[[fault:truncate events=4]]"],
      ["reports an error", "[[fault:streamerror after=4]]"],
      ["sends an event too large to hold", "[[fault:bigevent mib=6]]"],
    ];
    test.each(breaks)(
      "%s: an error event, no normal end, and the delivered part is charged once",
      async (_what, fault) => {
        const before = books.spent();

        const seen = await stream(fault);

        expect(seen.error).toMatchObject({ message: expect.any(String), type: expect.any(String) });
        expect({ done: seen.isDone, finish: seen.finishReason }).toEqual({
          done: false,
          finish: undefined,
        });
        expect(TEXT).toStartWith(seen.text);
        await books.whenSettled();
        expect(books.spent()).toBeGreaterThan(before);
        expect(books.calls().at(-1)).toMatchObject({ outcome: "failed", is_estimated: 1 });
      },
    );

    test("goes silent: ended at the idle deadline, and reported in the way that is still possible", async () => {
      const answer = await ask("[[fault:slow between_ms=60000]]", { stream: true });

      // Where nothing had left for the caller yet, a status is better than an event.
      if (answer.status !== 200) expect(answer.status).toBe(504);
      else
        expect(await readStream(answer)).toMatchObject({ isDone: false, finishReason: undefined });
      await books.whenSettled();
      expect(books.calls().at(-1)).toMatchObject({ outcome: "failed", fault: "upstream_timeout" });
    });

    test("is reset at any byte: the error is always reported, and the text never exceeds the sent part", async () => {
      const draw = random(SEED);
      for (let i = 0; i < times(15, 1_000); i++) {
        opened.gateway.health.forgetAll();
        const bytes = Math.floor(draw() * 4_000);
        const answer = await ask(`[[fault:reset bytes=${bytes}]]`, { stream: true });
        if (answer.status !== 200) continue;
        const seen = await readStream(answer);

        expect(TEXT).toStartWith(seen.text);
        expect({ bytes, told: seen.isDone || seen.error !== undefined }).toEqual({
          bytes,
          told: true,
        });
        expect({ bytes, both: seen.isDone && seen.error !== undefined }).toEqual({
          bytes,
          both: false,
        });
      }
    });
  });

  describe("written in a legal but unusual way", () => {
    const framings = [
      "crlf",
      "cr",
      "bom",
      "nospace",
      "comments",
      "nodone",
      "split size=1",
      "split size=7",
      "dupusage",
    ];
    test.each(framings)(
      "%s: the text arrives complete, and is charged as reported",
      async (name) => {
        const seen = await stream(`[[fault:${name}]]`);

        expect(seen.text).toBe(TEXT);
        expect(seen).toMatchObject({ isDone: true, finishReason: "stop", error: undefined });
        await books.whenSettled();
        expect(books.calls().at(-1)).toMatchObject({ outcome: "completed", is_estimated: 0 });
      },
    );
  });

  describe("with implausible usage", () => {
    const lies = [
      "nousage",
      "lyingusage kind=negative",
      "lyingusage kind=huge",
      "lyingusage kind=string",
    ];
    test.each(lies)("%s: usage is counted by the gateway and marked as estimated", async (name) => {
      for (const more of [{}, { stream: true }]) {
        const answer = await ask(`[[fault:${name}]]`, more);
        expect(await answer.text()).toContain("lazy");

        await books.whenSettled();
        const call = books.calls().at(-1);
        expect(call).toMatchObject({ outcome: "completed", is_estimated: 1 });
        // About the tokens of the text; far from what was claimed.
        expect(call?.output_tokens).toBeWithin(10, 60);
        expect(call?.cost).toBeWithin(1, 100_000);
      }
    });
  });

  test("a malformed event in the middle is not treated as the end", async () => {
    for (const kind of ["json", "nul", "field", "blankline"]) {
      const seen = await stream(`[[fault:malformed kind=${kind}]]`);

      expect({ kind, told: seen.isDone !== (seen.error !== undefined) }).toEqual({
        kind,
        told: true,
      });
    }
  });

  test("nothing of the operator's credential is returned or stored", async () => {
    await ask(
      "[[fault:status code=401 message=key-sk-upstream-secret-of-the-operator-is-bad]]",
    ).then(async (answer) => {
      expect(await answer.text()).not.toContain("sk-upstream-secret");
    });
    await books.whenSettled();

    expect(books.dump()).not.toContain("sk-upstream-secret");
  });
});
