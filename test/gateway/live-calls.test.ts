import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectToServer } from "#cli/client.ts";
import { log } from "#cli/log.ts";
import { runNoun } from "#cli/run.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { isObject, parseJson, type JsonObject } from "#lib/json.ts";
import {
  asRoot,
  askWith,
  bearer,
  logIn,
  openWithRoot,
  PASSWORD,
  textIn,
  tokenOf,
  type Ask,
} from "#test/accounts.ts";
import { KEY, simulatedChannel, type TestGateway } from "#test/harness.ts";
import { isPostgresReachable, openScratchDatabase } from "#test/scratch-database.ts";
import { waitFor } from "#test/wait.ts";

const MODEL = "gpt-4o-mini";
type Database = Awaited<ReturnType<typeof openScratchDatabase>>;

describe("finished calls are streamed on SQLite", () => describeLiveCalls(async () => undefined));
describe.if(isPostgresReachable || process.env["CI"] !== undefined)(
  "finished calls are streamed by two gateways on one PostgreSQL",
  () => describeLiveCalls(openScratchDatabase),
);

function describeLiveCalls(openDatabase: () => Promise<Database | undefined>): void {
  let sandbox: Sandbox;
  let database: Database | undefined;
  let first: TestGateway;
  /** The same gateway on SQLite. */
  let second: TestGateway;
  let root: Ask;
  let tokens: { ada: string; bob: string; auditor: string };
  let keys: { ada: string; bob: string };
  let team: number;

  beforeAll(async () => {
    sandbox = await startSandbox();
    database = await openDatabase();
    const open = (): Promise<TestGateway> =>
      openWithRoot({
        yaml: `channels:\n${simulatedChannel("sim", sandbox.url, `models: [${MODEL}, gpt-4o]`)}`,
        env:
          database === undefined
            ? {}
            : { DATABASE_URL: database.url, SLUICE_SECRET: "a-secret-of-this-test-0123456789" },
      });
    first = await open();
    second = database === undefined ? first : await open();
    root = await asRoot(first.url);
    tokens = {
      ada: await tokenOf(first.url, "ada"),
      bob: await tokenOf(first.url, "bob"),
      auditor: await tokenOf(first.url, "watcher", "auditor"),
    };
    team = Number((await root("POST", "/api/team", { name: "engine-room" })).data["id"]);
    await root("PUT", `/api/user/${await idOf("ada")}`, { team_id: team });
    await root("PUT", `/api/user/${await idOf("bob")}`, { team_id: team, team_role: "owner" });
    keys = { ada: await makeKey(tokens.ada), bob: await makeKey(tokens.bob) };
  });
  afterAll(async () => {
    await first[Symbol.asyncDispose]();
    if (second !== first) await second[Symbol.asyncDispose]();
    await database?.[Symbol.asyncDispose]();
    await sandbox.stop();
  });

  async function idOf(name: string): Promise<number> {
    const { items } = (await root("GET", "/api/user")).data as { items: readonly JsonObject[] };
    return Number(items.find(({ username }) => username === name)?.["id"]);
  }

  async function makeKey(token: string): Promise<string> {
    const ask = askWith(first.url, bearer(token));
    return textIn((await ask("POST", "/api/token", { name: "a-key" })).data, "key");
  }

  async function call(at: TestGateway, key: string, model = MODEL): Promise<string> {
    const body = { model, messages: [{ role: "user", content: "Hello" }] };
    const answer = await at.post("/v1/chat/completions", body, bearer(key));
    await answer.text();
    expect(answer.status).toBe(200);
    return answer.headers.get("x-request-id") ?? "";
  }

  test("an auditor sees the calls of both gateways once each, as the list shows them", async () => {
    await using stream = await follow(first.url, "/api/log/stream", tokens.auditor);
    const ids: string[] = [];
    for (const at of [first, second, second, first]) ids.push(await call(at, keys.ada));
    await waitFor(() => stream.ids.length >= 4);
    await call(second, keys.bob).then((id) => ids.push(id));
    await waitFor(() => stream.ids.length >= 5);

    expect(stream.ids).toEqual(ids);
    const auditor = askWith(first.url, bearer(tokens.auditor));
    const { items } = (await auditor("GET", "/api/log?page_size=5&sort=-time")).data;
    expect(stream.calls.toReversed()).toEqual(items as JsonObject[]);
    expect(stream.calls[0]).toMatchObject({ user_name: "ada", channel: "sim" });
  });

  test("a user sees only own calls, and an owner those of the team without channels", async () => {
    await using own = await follow(first.url, "/api/log/self/stream", tokens.ada);
    await using teams = await follow(second.url, "/api/log/team/stream", tokens.bob);
    const bobs = await call(first, keys.bob);
    const adas = await call(second, keys.ada);
    const others = await call(first, KEY);
    await waitFor(() => own.ids.length >= 1 && teams.ids.length >= 2);
    await Bun.sleep(1_500);

    expect(own.ids).toEqual([adas]);
    expect(own.text).not.toContain(bobs);
    expect(teams.ids).toEqual([bobs, adas]);
    expect(teams.text).not.toContain(others);
    expect(teams.text).not.toContain('"sim"');
  });

  test("the filters of the list apply, and unknown ones are refused", async () => {
    await using stream = await follow(
      first.url,
      `/api/log/stream?model=gpt-4o&user=${await idOf("bob")}`,
      tokens.auditor,
    );
    await call(first, keys.bob);
    await call(first, keys.ada, "gpt-4o");
    const wanted = await call(second, keys.bob, "gpt-4o");
    await waitFor(() => stream.ids.length > 0);

    expect(stream.ids).toEqual([wanted]);
    for (const [path, token, status] of [
      ["/api/log/stream?colour=red", tokens.auditor, 400],
      ["/api/log/self/stream?channel=sim", tokens.ada, 400],
      ["/api/log/stream", tokens.ada, 403],
      ["/api/log/team/stream", tokens.ada, 404],
      ["/api/log/stream", "no-token", 401],
    ] as const) {
      expect((await fetch(first.url + path, { headers: bearer(token) })).status).toBe(status);
    }
  });

  test("a client that reconnects to the other gateway continues without a gap", async () => {
    const early = await follow(first.url, "/api/log/stream", tokens.auditor);
    const ids = [await call(first, keys.ada)];
    await waitFor(() => early.ids.length === 1);
    await early[Symbol.asyncDispose]();
    ids.push(await call(second, keys.ada), await call(first, keys.bob));
    await using late = await follow(second.url, "/api/log/stream", tokens.auditor, {
      "last-event-id": early.lastId,
    });
    ids.push(await call(first, keys.ada));
    await waitFor(() => late.ids.length >= 3);

    expect([...early.ids, ...late.ids]).toEqual(ids);
    const refused = await fetch(`${first.url}/api/log/stream`, {
      headers: { ...bearer(tokens.auditor), "last-event-id": "yesterday" },
    });
    expect(refused.status).toBe(400);
  });

  test("an eleventh stream of a user is refused until one is closed", async () => {
    const open = () => follow(first.url, "/api/log/self/stream", tokens.ada);
    const streams = await Promise.all(Array.from({ length: 10 }, open));
    const more = () => fetch(`${first.url}/api/log/self/stream`, { headers: bearer(tokens.ada) });
    const refused = await more();
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).not.toBeNull();
    expect(
      (
        await fetch(`${first.url}/api/log/self/stream`, {
          method: "HEAD",
          headers: bearer(tokens.ada),
        })
      ).status,
    ).toBe(200);

    await streams.pop()?.[Symbol.asyncDispose]();
    await waitFor(async () => {
      const answer = await more();
      await answer.body?.cancel();
      return answer.status === 200;
    });
    for (const each of streams) await each[Symbol.asyncDispose]();
  });

  test("a stream ends when its token ends or its owner leaves the team", async () => {
    const carl = await tokenOf(first.url, "carl");
    await root("PUT", `/api/user/${await idOf("carl")}`, { team_id: team, team_role: "owner" });
    await using own = await follow(first.url, "/api/log/self/stream", carl);
    await using teams = await follow(second.url, "/api/log/team/stream", carl);

    await root("PUT", `/api/user/${await idOf("carl")}`, { team_id: null });
    await waitFor(() => teams.isEnded);
    expect(teams.text).toContain('event: end\ndata: {"reason":"You own no team.');
    expect(own.isEnded).toBe(false);

    await askWith(first.url, bearer(carl))("DELETE", "/api/user/token");
    await waitFor(() => own.isEnded);
    expect(own.text).toContain('event: end\ndata: {"reason":"You are not logged in.');
  }, 60_000);

  test("the command follows the log, and prints the reason if the stream ends", async () => {
    const table = followByCommand(["--model", "gpt-4o"], second.url, tokens.auditor);
    const json = followByCommand(["--json"], second.url, tokens.ada);
    expect(await json.code).toBe(1);
    expect(json.text).toContain("Your role does not allow this.");
    const lines = followByCommand(["--json"], second.url, tokens.auditor);
    // A command that has connected late would miss the calls.
    const ids: string[] = [];
    await waitFor(async () => {
      ids.push(await call(first, keys.ada, "gpt-4o"));
      await Bun.sleep(500);
      return table.text !== "" && lines.text !== "";
    });

    const seen = table.text.split("\n").filter((line) => line !== "");
    expect(seen[0]).toMatch(/ {2}ada {2}a-key {2}gpt-4o {2}sim {2}completed {2}/);
    expect(ids).toContain(seen[0]?.split("  ")[1] ?? "");
    expect(ids).toContain(textIn(JSON.parse(lines.text.split("\n")[0] ?? ""), "id"));
    expect(await followByCommand(["--limit", "5"], second.url, tokens.auditor).code).toBe(2);
    await askWith(first.url, bearer(tokens.auditor))("DELETE", "/api/user/token");
    expect(await table.code).toBe(1);
    expect(table.text).toContain("The stream has ended: You are not logged in.");
    expect(await lines.code).toBe(1);
    tokens.auditor = await renewedToken();
  }, 60_000);

  async function renewedToken(): Promise<string> {
    const login = { username: "watcher", password: PASSWORD };
    const ask = askWith(first.url, await logIn(first.url, login));
    return textIn((await ask("POST", "/api/user/token")).data, "token");
  }

  test("a drain ends the streams with the reason, without waiting for their clients", async () => {
    const stream = await follow(second.url, "/api/log/stream", tokens.auditor);
    const from = performance.now();
    await second.gateway.close("at once");

    await waitFor(() => stream.isEnded);
    expect(stream.text).toContain('event: end\ndata: {"reason":"The gateway is shutting down."}');
    expect(performance.now() - from).toBeLessThan(10_000);
  });
}

/** `sluice log --follow` with these arguments. */
function followByCommand(args: readonly string[], url: string, token: string) {
  const followed = { text: "", code: Promise.resolve(0) };
  const output = { write: (written: string) => (followed.text += written) };
  followed.code = runNoun(log, ["--follow", ...args], {
    input: process.stdin,
    output,
    errors: output,
    async reach() {
      const reached = await connectToServer(url, token);
      if (reached === undefined) throw new Error("Nothing listens.");
      return reached;
    },
    readLink: () => Promise.reject(new Error("Nothing is read.")),
  });
  return followed;
}

/** A client of a stream. */
class Stream implements AsyncDisposable {
  text = "";
  isEnded = false;
  readonly #leaving: AbortController;

  constructor(body: ReadableStream<Uint8Array>, leaving: AbortController) {
    this.#leaving = leaving;
    void this.#read(body);
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of body) this.text += decoder.decode(chunk, { stream: true });
    } catch {
      // The client has left, or the gateway has cut the connection.
    }
    this.isEnded = true;
  }

  get calls(): readonly JsonObject[] {
    return [...this.text.matchAll(/^event: call\ndata: (.*)$/gm)]
      .map(([, data = ""]) => parseJson(data))
      .filter(isObject);
  }

  get ids(): readonly string[] {
    return this.calls.map((call) => textIn(call, "id"));
  }

  get lastId(): string {
    return [...this.text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? "";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leaving.abort();
    await waitFor(() => this.isEnded);
  }
}

/** Opens a stream, and waits for its beginning. */
async function follow(url: string, path: string, token: string, headers = {}): Promise<Stream> {
  const leaving = new AbortController();
  const answer = await fetch(url + path, {
    headers: { ...bearer(token), ...headers },
    signal: leaving.signal,
  });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toStartWith("text/event-stream");
  if (answer.body === null) throw new Error("The stream has no body.");
  const stream = new Stream(answer.body, leaving);
  await waitFor(() => stream.text !== "");
  return stream;
}
