import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nanoUsd } from "#core/money.ts";
import { systemClock } from "#lib/clock.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { openStorage } from "#storage/open.ts";
import { loadPepper } from "#storage/secrets/secrets.ts";
import { openBooks, type Books } from "#test/books.ts";
import { KEY, openTestGateway, simulatedChannel, type TestGateway } from "#test/harness.ts";
import { channelOf, UPSTREAMS } from "#test/matrix/upstreams.ts";
import { startProgram } from "#test/program.ts";
import { isPostgresReachable, openScratchDatabase, query } from "#test/scratch-database.ts";
import { SEEDANCE } from "#test/video-place.ts";
import { waitFor } from "#test/wait.ts";

interface RequestSpec {
  readonly path: string;
  readonly body: object;
}

type Ask = (model: string, text: string, stream: boolean) => RequestSpec;

const askChat: Ask = (model, text, stream) => ({
  path: "/v1/chat/completions",
  body: { model, stream, messages: [{ role: "user", content: text }] },
});

const STYLES: readonly (readonly [string, Ask])[] = [
  ["chat", askChat],
  [
    "responses",
    (model, input, stream) => ({ path: "/v1/responses", body: { model, stream, input } }),
  ],
  [
    "messages",
    (model, text, stream) => ({
      path: "/v1/messages",
      body: { model, stream, max_tokens: 500, messages: [{ role: "user", content: text }] },
    }),
  ],
  [
    "native",
    (model, text, stream) => ({
      path: `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
      body: { contents: [{ role: "user", parts: [{ text }] }] },
    }),
  ],
];

const MODEL = "gpt-4o-mini";
const SECRET = "one-secret-for-all-gateways-0123456789";
let count = 0;
const newKey = (): string => `key-${++count}`;
const withKey = (key: string) => ({ "idempotency-key": key });

/** What a caller compares: the bytes, and what says how to read them. */
async function shown(answer: Response) {
  return {
    status: answer.status,
    type: answer.headers.get("content-type"),
    lossy: answer.headers.get("sluice-lossy"),
    text: await answer.text(),
  };
}

/** What all calls so far were charged, and how many were. */
function chargesIn(books: Books): { readonly calls: number; readonly spent: number } {
  const charged = books.calls().filter(({ cost }) => Number(cost) > 0);
  return { calls: charged.length, spent: books.spent() };
}

describe.each(UPSTREAMS.map((upstream) => [upstream.id, upstream] as const))(
  "over an upstream of the style %s",
  (_id, upstream) => {
    let sandbox: Sandbox;
    let gateway: TestGateway;
    let books: Books;
    beforeAll(async () => {
      sandbox = await startSandbox();
      gateway = await openTestGateway({ yaml: channelOf(upstream, sandbox.url) });
      books = openBooks(gateway.dataDir);
    });
    afterAll(async () => {
      books.close();
      await gateway[Symbol.asyncDispose]();
      await sandbox.stop();
    });

    const both = STYLES.flatMap(([style, ask]) =>
      [false, true].map((stream) => [style, stream ? "streamed" : "whole", ask, stream] as const),
    );

    test.each(both)(
      "a %s request, %s, repeated with its key gets the same bytes and is charged once",
      async (_style, _form, ask, stream) => {
        const { path, body } = ask(upstream.model, "Reply with exactly: once", stream);
        const headers = withKey(newKey());
        const asked = sandbox.requests.length;
        const before = chargesIn(books);

        const first = await gateway.post(path, body, headers);
        const firstShown = await shown(first);
        const second = await gateway.post(path, body, headers);

        expect(firstShown.status).toBe(200);
        expect(firstShown.text).toContain("once");
        expect(await shown(second)).toEqual(firstShown);
        expect(first.headers.get("idempotent-replayed")).toBeNull();
        expect(second.headers.get("idempotent-replayed")).toBe("true");
        expect(second.headers.get("original-request-id")).toBe(first.headers.get("x-request-id"));
        expect(second.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
        expect(sandbox.requests.length - asked).toBe(1);
        const after = chargesIn(books);
        expect(after.calls - before.calls).toBe(1);
        expect(after.spent).toBeGreaterThan(before.spent);
        expect(await books.whenSettled()).toEqual([]);
      },
    );

    test.each(STYLES)(
      "a %s request with another body and the same key is refused in the format of its style",
      async (_style, ask) => {
        const { path, body } = ask(upstream.model, "Reply with exactly: one", false);
        const other = ask(upstream.model, "Reply with exactly: two", false);
        const headers = withKey(newKey());
        await gateway.post(path, body, headers);
        const before = chargesIn(books);

        const refused = await gateway.post(path, other.body, headers);

        expect([refused.status, refused.headers.get("x-should-retry")]).toEqual([422, "false"]);
        expect(await refused.json()).toMatchObject({
          error: { message: expect.stringContaining("Idempotency-Key") },
        });
        expect(chargesIn(books)).toEqual(before);
      },
    );

    test.each(both)(
      "a failed %s request, %s, is a new call if it is repeated",
      async (_style, _form, ask, stream) => {
        const { path, body } = ask(upstream.model, "Reply with exactly: ok", stream);
        const headers = withKey(newKey());
        sandbox.faults.add({ name: "status", args: { code: "400" } });

        const failed = await gateway.post(path, body, headers);
        await failed.text();
        const again = await gateway.post(path, body, headers);

        expect([failed.status, again.status]).toEqual([400, 200]);
        expect(await again.text()).toContain("ok");
        expect(again.headers.get("idempotent-replayed")).toBeNull();
      },
    );

    test.each(STYLES)(
      "a %s stream that failed midway runs again if it is repeated",
      async (_style, ask) => {
        const { path, body } = ask(upstream.model, "Count from 1 to 60.", true);
        const headers = withKey(newKey());
        sandbox.faults.add({ name: "streamerror", args: { after: "12" } });

        const failed = await (await gateway.post(path, body, headers)).text();
        const again = await gateway.post(path, body, headers);
        const whole = await again.text();
        const third = await gateway.post(path, body, headers);

        expect(again.headers.get("idempotent-replayed")).toBeNull();
        expect(whole).not.toBe(failed);
        expect(third.headers.get("idempotent-replayed")).toBe("true");
        expect(await third.text()).toBe(whole);
      },
    );
  },
);

describe("a request with an Idempotency-Key", () => {
  let sandbox: Sandbox;
  let gateway: TestGateway;
  let books: Books;
  beforeAll(async () => {
    sandbox = await startSandbox();
    gateway = await openTestGateway({ yaml: yamlOf(sandbox) });
    books = openBooks(gateway.dataDir);
  });
  afterAll(async () => {
    books.close();
    await gateway[Symbol.asyncDispose]();
    await sandbox.stop();
  });

  const post = (text: string, stream: boolean, headers: Readonly<Record<string, string>>) => {
    const { path, body } = askChat(MODEL, text, stream);
    return gateway.post(path, body, headers);
  };
  /** From a caller who hangs up at the signal. */
  const postUntil = (signal: AbortSignal, { path, body }: RequestSpec, headers: object) =>
    fetch(gateway.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      signal,
    });
  const isAsked = (asked: number) => () => sandbox.requests.length > asked;

  test.each([false, true])(
    "is refused with a time to retry while the first one runs (streamed: %p)",
    async (stream) => {
      const headers = withKey(newKey());
      const asked = sandbox.requests.length;
      const text = "Count to 20 [[fault:slow first_ms=600 between_ms=5]]";
      const running = post(text, stream, headers);
      await waitFor(isAsked(asked));

      const early = await post(text, stream, headers);
      const other = await post("Something else.", stream, headers);

      expect([early.status, early.headers.get("retry-after")]).toEqual([409, "1"]);
      // Official clients wait and try again, unless they are told not to.
      expect(early.headers.get("x-should-retry")).toBeNull();
      expect(await early.json()).toMatchObject({ error: { code: "idempotency_key_in_use" } });
      expect(other.status).toBe(422);
      const first = await (await running).text();
      const late = await post(text, stream, headers);
      expect([late.status, await late.text()]).toEqual([200, first]);
      expect(sandbox.requests.length - asked).toBe(1);
    },
  );

  test.each([false, true])(
    "sent 50 times concurrently is charged once (streamed: %p)",
    async (stream) => {
      const headers = withKey(newKey());
      const asked = sandbox.requests.length;
      const before = chargesIn(books);

      const answers = await Promise.all(
        Array.from({ length: 50 }, async () => {
          const answer = await post("Say hi [[fault:slow first_ms=300]]", stream, headers);
          return { status: answer.status, text: await answer.text() };
        }),
      );

      const good = answers.filter(({ status }) => status === 200);
      expect(good.length).toBeGreaterThanOrEqual(1);
      expect(new Set(good.map(({ text }) => text)).size).toBe(1);
      expect(answers.filter(({ status }) => status === 409).length).toBe(50 - good.length);
      expect(sandbox.requests.length - asked).toBe(1);
      expect(chargesIn(books).calls - before.calls).toBe(1);
      expect(await books.whenSettled()).toEqual([]);
    },
  );

  test("whose client disconnected midway runs again, and each delivered part is charged", async () => {
    const headers = withKey(newKey());
    const before = chargesIn(books);
    const text = "Count to 60 [[fault:slow between_ms=5]]";
    const question = askChat(MODEL, text, true);
    const leaving = new AbortController();
    const cut = await postUntil(leaving.signal, question, headers);
    const reader = cut.body?.getReader();
    await reader?.read();
    leaving.abort();
    await waitFor(() => books.calls().at(-1)?.["outcome"] === "canceled");

    const again = await post(text, true, headers);

    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, null]);
    expect(await again.text()).toContain("[DONE]");
    expect(await books.whenSettled()).toEqual([]);
    expect(chargesIn(books).calls - before.calls).toBe(2);
  });

  test("whose client disconnected before the first byte runs again, and is charged once", async () => {
    const headers = withKey(newKey());
    const asked = sandbox.requests.length;
    const before = chargesIn(books);
    const text = "Say hi [[fault:slow first_ms=300]]";
    const question = askChat(MODEL, text, true);
    const leaving = new AbortController();
    const left = postUntil(leaving.signal, question, headers).catch(() => undefined);
    await waitFor(isAsked(asked));
    leaving.abort();
    await left;
    await waitFor(() => books.calls().at(-1)?.["outcome"] === "canceled");

    const again = await post(text, true, headers);

    expect(again.status).toBe(200);
    expect(await again.text()).toContain("[DONE]");
    expect(chargesIn(books).calls - before.calls).toBe(1);
  });

  test("whose client disconnected at the end of the response is not charged again", async () => {
    const headers = withKey(newKey());
    const before = chargesIn(books);
    const question = askChat(MODEL, "Reply with exactly: the end", true);
    const leaving = new AbortController();
    const seen = await postUntil(leaving.signal, question, headers);
    let text = "";
    const reader = seen.body?.getReader();
    while (reader !== undefined && !text.includes("[DONE]")) {
      text += new TextDecoder().decode((await reader.read()).value);
    }
    leaving.abort();

    let again: Response;
    do again = await post("Reply with exactly: the end", true, headers);
    while (again.status === 409);

    expect([again.headers.get("idempotent-replayed"), await again.text()]).toEqual(["true", text]);
    expect(chargesIn(books).calls - before.calls).toBe(1);
  });

  test("is the same request with any authentication, and another one on another path", async () => {
    const headers = withKey(newKey());
    const { path, body } = askChat(MODEL, "Reply with exactly: hello", false);
    await gateway.post(path, body, headers);

    const inQuery = await fetch(`${gateway.url}${path}?key=${KEY}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    const elsewhere = await gateway.post(`/openai${path}`, body, headers);

    expect(inQuery.headers.get("idempotent-replayed")).toBe("true");
    expect([elsewhere.status, elsewhere.headers.get("idempotent-replayed")]).toEqual([200, null]);
  });

  test("for another form of the response is another request", async () => {
    const headers = withKey(newKey());
    const path = `/v1beta/models/${MODEL}:streamGenerateContent`;
    const body = { contents: [{ role: "user", parts: [{ text: "Reply with exactly: hi" }] }] };

    const first = await shown(await gateway.post(path, body, headers));
    const again = await shown(await gateway.post(path, body, headers));
    const asEvents = await gateway.post(`${path}?alt=sse`, body, headers);

    expect(JSON.parse(first.text)).toBeArray();
    expect(again).toEqual(first);
    expect(asEvents.status).toBe(422);
  });

  test.each(["", "two words", "ünlaut", "x".repeat(256)])(
    "is refused if the key is %p",
    async (key) => {
      const before = chargesIn(books);

      const refused = await post("Say hi.", false, withKey(key));

      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({ error: { param: "Idempotency-Key" } });
      expect(chargesIn(books)).toEqual(before);
    },
  );

  test("may have a key of 255 characters", async () => {
    expect((await post("Say hi.", false, withKey("~".repeat(255)))).status).toBe(200);
  });

  test("that never became a call releases its key", async () => {
    const headers = withKey(newKey());
    const { path } = askChat(MODEL, "", false);

    const refused = await gateway.post(path, { model: MODEL }, headers);
    const missing = await gateway.post(path, askChat("no-such", "hi", false).body, headers);
    const good = await post("Say hi.", false, headers);

    expect([refused.status, missing.status, good.status]).toEqual([400, 404, 200]);
  });

  test("gets its stored response, even if the earlier response it names was deleted meanwhile", async () => {
    const headers = withKey(newKey());
    const create = (more: object, extra: Readonly<Record<string, string>>) =>
      gateway.post("/v1/responses", { model: MODEL, input: "Say hi.", ...more }, extra);
    const { id } = (await (await create({}, {})).json()) as { id: string };
    const first = await (await create({ previous_response_id: id }, headers)).text();
    await fetch(`${gateway.url}/v1/responses/${id}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${KEY}` },
    });

    const again = await create({ previous_response_id: id }, headers);

    expect([again.status, await again.text()]).toEqual([200, first]);
  });

  test("is required for a stored row: other requests store none", async () => {
    const dump = (): number => countKept(gateway.dataDir);
    const before = dump();

    const answers = await Promise.all([
      post("Say hi.", false, {}),
      post("Say hi.", false, {}),
      post("Say hi.", true, {}),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(dump()).toBe(before);
  });
});

test("a response too long to store is recorded as given, and not charged twice", async () => {
  await using sandbox = await disposable(startSandbox());
  await using gateway = await openTestGateway({
    yaml: yamlOf(sandbox.sandbox),
    env: { SLUICE_LIMIT_KEPT_ANSWER_BYTES: "1KiB" },
  });
  using books = openBooks(gateway.dataDir);

  for (const stream of [false, true]) {
    const { path, body } = askChat(MODEL, "Count from 1 to 500, please.", stream);
    const headers = withKey(newKey());
    const first = await gateway.post(path, body, headers);
    const text = await first.text();
    const before = chargesIn(books);
    const again = await gateway.post(path, body, headers);

    expect([first.status, text.length > 1_024]).toEqual([200, true]);
    expect([again.status, again.headers.get("x-should-retry")]).toEqual([409, "false"]);
    expect(await again.json()).toMatchObject({
      error: {
        code: "idempotency_answer_not_kept",
        message: expect.stringContaining(first.headers.get("x-request-id") ?? "?"),
      },
    });
    expect(chargesIn(books)).toEqual(before);
  }
});

test("an answer is repeated after a restart of the gateway", async () => {
  await using sandbox = await disposable(startSandbox());
  await using folder = temporaryFolder();
  const options = { yaml: yamlOf(sandbox.sandbox), dataDir: folder.path };
  const asked = [false, true].map((stream) => ({
    ...askChat(MODEL, "Reply with exactly: kept", stream),
    headers: withKey(newKey()),
  }));
  const ask = ({ post }: TestGateway) =>
    Promise.all(
      asked.map(async ({ path, body, headers }) => await shown(await post(path, body, headers))),
    );

  const before = await openTestGateway(options);
  const first = await ask(before);
  await before[Symbol.asyncDispose]();
  await using after = await openTestGateway(options);

  expect(first.map(({ status }) => status)).toEqual([200, 200]);
  expect(await ask(after)).toEqual(first);
  expect(sandbox.sandbox.requests.length).toBe(2);
  using books = openBooks(folder.path);
  expect(chargesIn(books).calls).toBe(2);
});

test("the same key of another user is independent", async () => {
  await using sandbox = await disposable(startSandbox());
  await using folder = temporaryFolder();
  const secret = await addUser(folder.path);
  await using gateway = await openTestGateway({
    yaml: yamlOf(sandbox.sandbox),
    dataDir: folder.path,
  });
  const key = withKey(newKey());
  const { path, body } = askChat(MODEL, "Reply with exactly: mine", false);
  const other = askChat(MODEL, "Reply with exactly: hers", false);

  const mine = await gateway.post(path, body, key);
  const hers = await gateway.post(path, other.body, { ...key, authorization: `Bearer ${secret}` });

  expect([mine.status, hers.status]).toEqual([200, 200]);
  expect(await mine.text()).toContain("mine");
  expect(await hers.text()).toContain("hers");
  using books = openBooks(folder.path);
  expect(new Set(books.calls().map((each) => each["user_id"])).size).toBe(2);
});

test.each([false, true])(
  "a key claimed by a killed gateway is released, and charged once (streamed: %p)",
  async (stream) => {
    await using sandbox = await disposable(startSandbox());
    await using folder = temporaryFolder();
    writeFileSync(join(folder.path, "sluice.yaml"), yamlOf(sandbox.sandbox));
    const start = () =>
      startProgram({
        SLUICE_CONFIG: join(folder.path, "sluice.yaml"),
        SLUICE_DATA_DIR: folder.path,
        SLUICE_BOOTSTRAP_KEY: KEY,
      });
    const { path, body } = askChat(MODEL, "Say hi [[fault:slow first_ms=1500]]", stream);
    const ask = (url: string): Promise<Response> =>
      fetch(url + path, {
        method: "POST",
        headers: {
          authorization: `Bearer ${KEY}`,
          "content-type": "application/json",
          ...withKey("crash"),
        },
        body: JSON.stringify(body),
      });

    const killed = await start();
    const cut = ask(killed.url).catch(() => undefined);
    await waitFor(() => sandbox.sandbox.requests.length === 1);
    expect((await ask(killed.url)).status).toBe(409);
    await killed.end("SIGKILL");
    await cut;
    await using living = await start();
    const again = await ask(living.url);
    const text = await again.text();
    const third = await ask(living.url);

    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, null]);
    expect([third.headers.get("idempotent-replayed"), await third.text()]).toEqual(["true", text]);
    using books = openBooks(folder.path);
    expect(await books.whenSettled()).toEqual([]);
    expect(chargesIn(books).calls).toBe(1);
  },
);

test.if(isPostgresReachable || process.env["CI"] !== undefined)(
  "a request sent to two gateways on one database at once is one call and one charge",
  async () => {
    await using sandbox = await disposable(startSandbox());
    await using database = await openScratchDatabase();
    const open = () =>
      openTestGateway({
        yaml: yamlOf(sandbox.sandbox),
        env: { DATABASE_URL: database.url, SLUICE_SECRET: SECRET },
      });
    await using first = await open();
    await using second = await open();
    const { path, body } = askChat(MODEL, "Say hi [[fault:slow first_ms=300]]", true);
    const headers = withKey(newKey());

    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        const answer = await (i % 2 === 0 ? first : second).post(path, body, headers);
        return { status: answer.status, text: await answer.text() };
      }),
    );
    const replayed = await Promise.all(
      [first, second].map(async (each) => (await each.post(path, body, headers)).text()),
    );

    const texts = answers.filter(({ status }) => status === 200).map(({ text }) => text);
    expect(new Set([...texts, ...replayed]).size).toBe(1);
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    expect(sandbox.sandbox.requests.length).toBe(1);
    const [settled] = await query<{ n: string }>(
      database.url,
      "select count(*) as n from ledger where kind = 'settle'",
    );
    expect(Number(settled?.n)).toBe(1);
  },
);

test("[decision 35] a repeated video request gets the video that a vendor accepted before its gateway was killed", async () => {
  await using folder = temporaryFolder();
  await using vendor = await disposable(startSandbox({ tasks: { queuedMs: 60_000 } }));
  const yaml = `channels:\n${simulatedChannel("sim", vendor.sandbox.url, `models: [${SEEDANCE}]`, "ark").replace("/openai/v1", "/ark/api/v3")}`;
  const body = {
    model: SEEDANCE,
    metadata: { content: [{ type: "text", text: "a fox" }] },
  };
  const headers = withKey(newKey());
  const submit = (gateway: TestGateway): Promise<Response> =>
    gateway.post("/v1/video/generations", body, headers);
  const first = await openTestGateway({ yaml, dataDir: folder.path });
  const { task_id: id } = (await (await submit(first)).json()) as { task_id: string };
  await first[Symbol.asyncDispose]();
  forgetAnswers(folder.path);

  await using second = await openTestGateway({ yaml, dataDir: folder.path });
  const again = await submit(second);

  expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
  expect(again.headers.get("original-request-id")).toBe(id);
  expect(await again.json()).toMatchObject({ task_id: id, status: "queued" });
  expect(vendor.sandbox.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
});

/** As a gateway leaves them that is killed before it can keep them. */
function forgetAnswers(dataDir: string): void {
  using db = new Database(join(dataDir, "sluice.db"));
  db.run("update kept_answers set state = 'running', status = null, headers = null, body = null");
}

function yamlOf(sandbox: Sandbox): string {
  return `channels:\n${simulatedChannel("sim", sandbox.url, `models: [${MODEL}]`)}`;
}

function countKept(dataDir: string): number {
  using books = openBooks(dataDir);
  return books.count("kept_answers");
}

async function disposable(starting: Promise<Sandbox>) {
  const sandbox = await starting;
  return { sandbox, [Symbol.asyncDispose]: () => sandbox.stop() };
}

function temporaryFolder(): { readonly path: string } & AsyncDisposable {
  const path = mkdtempSync(join(tmpdir(), "sluice-once-"));
  return {
    path,
    [Symbol.asyncDispose]: async () => rmSync(path, { recursive: true, force: true }),
  };
}

/** A second user beside the root, with a key; says the key's secret. */
async function addUser(dataDir: string): Promise<string> {
  await using storage = await openStorage({
    dataDir,
    instance: "before",
    pepper: loadPepper(dataDir),
    clock: systemClock,
    onError: () => {},
  });
  await storage.users.ensureRoot();
  const user = { id: 2, name: "ada", role: "user", status: 1, created_at: 1 } as const;
  await storage.db.insertInto("users").values(user).execute();
  await storage.db
    .insertInto("accounts")
    .values({ id: "user:2", granted: null, spent: nanoUsd(0), held: nanoUsd(0) })
    .execute();
  return (await storage.keys.create({ userId: 2, name: "hers", models: ["*"] })).secret;
}
