import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectToServer } from "#cli/client.ts";
import { log } from "#cli/log.ts";
import { runNoun } from "#cli/run.ts";
import type { JsonObject } from "#lib/json.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { asRoot, asUser, bearer, openWithRoot, textIn, type Ask } from "#test/accounts.ts";
import { simulatedChannel, type TestGateway } from "#test/harness.ts";
import { isPostgresReachable, openScratchDatabase } from "#test/scratch-database.ts";
import { waitFor } from "#test/wait.ts";

const MODEL = "gpt-4o-mini";

describe("on SQLite", () => describeCallLog(async () => undefined));
describe.if(isPostgresReachable || process.env["CI"] !== undefined)("on PostgreSQL", () =>
  describeCallLog(openScratchDatabase),
);

type Database = Awaited<ReturnType<typeof openScratchDatabase>>;

function describeCallLog(openDatabase: () => Promise<Database | undefined>): void {
  let sandbox: Sandbox;
  let broken: Bun.Server<undefined>;
  let database: Database | undefined;
  let opened: TestGateway;
  let root: Ask;
  let ada: Ask;
  let bob: Ask;
  let auditor: Ask;
  let team: number;
  /** Ada's call that failover saved, her call that failed, and Bob's. */
  let ids: { saved: string; failed: string; bobs: string };

  beforeAll(async () => {
    sandbox = await startSandbox();
    broken = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () =>
        Response.json(
          { error: { message: "The boiler is out.", code: "boiler_out" } },
          { status: 500 },
        ),
    });
    database = await openDatabase();
    opened = await openWithRoot({
      yaml: `channels:
${simulatedChannel("good", sandbox.url, `models: [${MODEL}]\npriority: 10`)}
${simulatedChannel("ill", broken.url.origin, `models: [${MODEL}, gpt-4o]`)}`,
      env:
        database === undefined
          ? {}
          : { DATABASE_URL: database.url, SLUICE_SECRET: "a-secret-of-this-test-0123456789" },
    });
    root = await asRoot(opened.url);
    ada = await asUser(opened.url, "ada");
    bob = await asUser(opened.url, "bob");
    auditor = await asUser(opened.url, "watcher", "auditor");
    const made = await root("POST", "/api/team", { name: "engine-room" });
    team = Number(made.data["id"]);
    const people = new Map(
      itemsIn((await root("GET", "/api/user")).data).map((user) => [user["username"], user["id"]]),
    );
    await root("PUT", `/api/user/${Number(people.get("ada"))}`, { team_id: team });
    const owner = { team_id: team, team_role: "owner" };
    await root("PUT", `/api/user/${Number(people.get("bob"))}`, owner);
    const [adas, bobs] = [await makeKey(ada, "her-key"), await makeKey(bob, "his-key")];
    ids = {
      saved: await call(adas, MODEL, { "sluice-tags": "project=x, agent=y" }),
      failed: await call(adas, "gpt-4o"),
      bobs: await call(bobs, MODEL),
    };
    await waitFor(async () => itemsIn((await auditor("GET", "/api/log")).data).length === 3);
  });
  afterAll(async () => {
    await opened[Symbol.asyncDispose]();
    await database?.[Symbol.asyncDispose]();
    await broken.stop(true);
    await sandbox.stop();
  });

  async function call(key: string, model: string, headers = {}): Promise<string> {
    const body = { model, messages: [{ role: "user", content: "Hello" }] };
    const answer = await opened.post("/v1/chat/completions", body, { ...bearer(key), ...headers });
    await answer.text();
    return answer.headers.get("x-request-id") ?? "";
  }

  async function list(ask: Ask, query: string, path = "/api/log"): Promise<unknown[]> {
    const { status, data } = await ask("GET", `${path}?${query}`);
    expect(status).toBe(200);
    return itemsIn(data).map(({ id }) => id);
  }

  test("lists the failed calls of a channel in the last hour, and then the reason of one", async () => {
    const hourAgo = new Date(Date.now() - 3_600_000).toISOString();

    const first = await auditor("GET", `/api/log?failed_channel=ill&from=${hourAgo}`);
    const failed = itemsIn(first.data).find(({ outcome }) => outcome === "failed") ?? {};
    const second = await auditor("GET", `/api/log/${textIn(failed, "id")}`);

    expect(itemsIn(first.data).map(({ id }) => id)).toContain(ids.saved);
    expect(failed).toMatchObject({ id: ids.failed, user_name: "ada", token_name: "her-key" });
    expect(second.data).toMatchObject({
      fault: "upstream_failed",
      status: 502,
      attempts: [{ channel: "ill", status: 500, code: "boiler_out", fault: "upstream_failed" }],
    });
    expect(JSON.stringify(second.data["attempts"])).toContain("The boiler is out.");
    const saved = (await auditor("GET", `/api/log/${ids.saved}`)).data["attempts"] as JsonObject[];
    expect(saved).toMatchObject([
      { channel: "ill", first_byte_ms: null },
      { channel: "good", fault: null },
    ]);
    for (const attempt of saved) {
      const [connect, wait] = [attempt["connect_ms"], attempt["wait_ms"]].map(Number);
      expect(Number(attempt["duration_ms"])).toBe((connect ?? 0) + (wait ?? 0));
    }
    const [ill, good] = saved;
    expect(Number(good?.["start_ms"])).toBeGreaterThanOrEqual(Number(ill?.["end_ms"]) - 1);
    expect(Number(good?.["end_ms"])).toBeGreaterThanOrEqual(Number(good?.["first_byte_ms"]));
  });

  test("finds calls by each of their properties", async () => {
    const { saved, failed, bobs } = ids;
    expect(await list(auditor, "outcome=failed")).toEqual([failed]);
    expect(await list(auditor, "status=502")).toEqual([failed]);
    expect(await list(auditor, "status=200&sort=time")).toEqual([saved, bobs]);
    expect(await list(auditor, "fault=upstream_failed")).toEqual([failed]);
    expect(await list(auditor, "channel=ill")).toEqual([bobs, failed, saved]);
    expect(await list(auditor, "channel=good")).toEqual([bobs, saved]);
    expect(await list(auditor, "model=gpt-4o")).toEqual([failed]);
    expect(await list(auditor, `upstream_model=${MODEL}`)).toEqual([bobs, saved]);
    expect(await list(auditor, "style=messages")).toEqual([]);
    expect(await list(auditor, "endpoint=text&sort=time")).toEqual([saved, failed, bobs]);
    expect(await list(auditor, "endpoint=videos")).toEqual([]);
    expect(await list(auditor, "tag=project%3Dx")).toEqual([saved]);
    expect(await list(auditor, "tag=project")).toEqual([]);
    expect(await list(auditor, `team=${team}&outcome=completed`)).toEqual([bobs, saved]);
    expect(await list(auditor, `id=${failed}`)).toEqual([failed]);
    expect(await list(auditor, "min_cost_usd=0.000000001")).toEqual([bobs, saved]);
    expect(await list(auditor, "min_cost_usd=100")).toEqual([]);
    expect(await list(auditor, "min_duration_ms=100000")).toEqual([]);
    expect(await list(auditor, "to=2020-01-01")).toEqual([]);
    expect(await list(auditor, `page_size=1&before=${failed}`)).toEqual([saved]);
    const { data } = await auditor("GET", "/api/log?page_size=2");
    expect(await list(auditor, `before=${textIn(data, "next")}`)).toEqual([saved]);
  });

  test("is read by the command, for a channel and for one call", async () => {
    const token = textIn((await root("POST", "/api/user/token")).data, "token");
    const failed = await run(["--failed", "--since", "1h", "--channel", "ill"], opened.url, token);
    const one = await run([ids.failed], opened.url, token);
    const json = await run(["--failed", "--json"], opened.url, token);

    expect(failed).toMatchObject({ code: 0 });
    expect(failed.text).toMatch(new RegExp(`${ids.failed}  ada .*failed .*upstream_failed`));
    expect(failed.text).toMatch(new RegExp(`${ids.saved}  ada .*completed`));
    expect(one.text).toContain("The boiler is out.");
    expect(JSON.parse(json.text)).toMatchObject({ items: [{ id: ids.failed }] });
    expect(await run(["--since", "yesterday"], opened.url, token)).toMatchObject({ code: 2 });
    expect(await run(["--status", "failed"], opened.url, token)).toMatchObject({ code: 1 });
  });

  test("shows owners of a team its calls, with names and without channels", async () => {
    const seen = await bob("GET", "/api/log/team?sort=time");
    expect(itemsIn(seen.data)).toMatchObject([
      { id: ids.saved, user_name: "ada", team_name: "engine-room", tags: ["project=x", "agent=y"] },
      { id: ids.failed, user_name: "ada", token_name: "her-key" },
      { id: ids.bobs, user_name: "bob" },
    ]);
    expect(JSON.stringify(seen.data)).not.toContain('"ill"');
    expect((await bob("GET", `/api/log/team/${ids.failed}`)).data).toMatchObject({ status: 502 });
    expect((await bob("GET", "/api/log/team?channel=ill")).status).toBe(400);

    expect((await ada("GET", "/api/log/team")).status).toBe(404);
    expect((await ada("GET", `/api/log/team/${ids.bobs}`)).status).toBe(404);
    expect(await list(ada, "sort=time", "/api/log/self")).toEqual([ids.saved, ids.failed]);
  });

  test("hides the calls of a team from an owner who left it", async () => {
    const carl = await asUser(opened.url, "carl");
    const id = Number((await carl("GET", "/api/user/self")).data["id"]);
    const early = await root("PUT", `/api/user/${id}`, { team_role: "owner" });
    expect(early.status).toBe(400);
    await root("PUT", `/api/user/${id}`, { team_id: team, team_role: "owner" });
    expect((await carl("GET", "/api/log/team")).status).toBe(200);

    await root("PUT", `/api/user/${id}`, { team_id: null });
    await root("PUT", `/api/user/${id}`, { team_id: team });

    expect((await carl("GET", "/api/log/team")).status).toBe(404);
    expect((await carl("GET", "/api/user/self")).data).toMatchObject({ team_role: "member" });
  });

  test.each([
    ["/api/log?status=failed", "'status' must be a whole number"],
    ["/api/log?outcome=failes", "'outcome' must be one of: completed, failed"],
    ["/api/log?state=failed", "'state' is not known here; the parameters are: from, to"],
    ["/api/log?model=a&model=b", "'model' is given more than once"],
    ["/api/channel?status=1", "'status' is not known here; the parameters are: tag"],
    ["/api/usage?colour=red", "'colour' is not known here"],
    ["/api/audit?who=1", "'who' is not known here"],
  ])("refuses an unknown query: %s", async (path, message) => {
    const { status, body } = await auditor("GET", path);
    expect(status).toBe(400);
    expect(body.message).toContain(message);
  });

  test.each([
    ["a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1,i=1", "at most 8 tags"],
    [`project=${"x".repeat(64)}`, "at most 64 characters"],
    ["project", "must be 'name=value'"],
    ["project=a b", "must be 'name=value'"],
  ])("refuses tags outside their limits: %s", async (tags, message) => {
    const key = await makeKey(ada, `for ${tags}`.slice(0, 40));
    const body = { model: MODEL, messages: [{ role: "user", content: "Hello" }] };
    const answer = await opened.post("/v1/chat/completions", body, {
      ...bearer(key),
      "sluice-tags": tags,
    });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(message);
  });

  test("answers why a call failed, with the limits of its key, in two requests", async () => {
    const made = await ada("POST", "/api/token", {
      name: "slow",
      rpm: 1,
      quota_usd: 5,
      budget_month_usd: 2,
    });
    const key = textIn(made.data, "key");
    await call(key, MODEL);
    const refused = await call(key, MODEL);
    await waitFor(async () => (await auditor("GET", `/api/log/${refused}`)).status === 200);

    const shown = await auditor("GET", `/api/log/${refused}`);
    const explained = await root("POST", `/api/log/explain/${refused}`);

    const id = Number(made.data["id"]);
    expect(shown.data).toMatchObject({
      fault: "rate_limited",
      status: 429,
      attempts: [],
      refused_by: { of: `key:${id}`, by: "requests", amount: 1 },
      limits: {
        rates: [{ of: `key:${id}`, rpm: 1, tpm: null, concurrency: null }],
        budgets: [
          { owner: "key", period: "total", amount_usd: 5 },
          { owner: "key", period: "month", amount_usd: 2 },
        ],
      },
    });
    expect(explained.data).toMatchObject({
      request: "placeholder",
      explanation: {
        refused: {
          status: 429,
          message: "This API key is at its limit of 1 requests a minute.",
          limit: { of: `key:${id}`, by: "requests", amount: 1 },
        },
        style: "chat",
        model: { name: MODEL },
        channels: [{ name: "ill" }, { name: "good" }],
        limits: { key: { requests_per_minute: 1 } },
      },
    });
    expect((await auditor("POST", `/api/log/explain/${refused}`)).status).toBe(403);
    expect((await root("POST", "/api/log/explain/nothing")).status).toBe(404);
  });

  test("a call that its client left has the status 499, as in the access log", async () => {
    const key = await makeKey(ada, "impatient");
    const leaving = new AbortController();
    const answer = await fetch(`${opened.url}/v1/chat/completions`, {
      method: "POST",
      headers: { ...bearer(key), "content-type": "application/json" },
      body: JSON.stringify({
        model: MODEL,
        stream: true,
        messages: [
          { role: "user", content: "go on [[fault:endless]] [[fault:slow between_ms=5]]" },
        ],
      }),
      signal: leaving.signal,
    });
    const id = answer.headers.get("x-request-id") ?? "";
    await answer.body?.getReader().read();
    leaving.abort();
    await waitFor(async () => (await auditor("GET", `/api/log/${id}`)).status === 200);

    const { data } = await auditor("GET", `/api/log/${id}`);

    expect(data).toMatchObject({ outcome: "canceled", fault: "canceled", status: 499 });
    expect(await list(auditor, "status=499")).toEqual([id]);
  });
}

async function makeKey(ask: Ask, name: string): Promise<string> {
  return textIn((await ask("POST", "/api/token", { name })).data, "key");
}

function itemsIn(data: JsonObject): readonly JsonObject[] {
  return data["items"] as JsonObject[];
}

/** `sluice log` with these arguments. */
async function run(
  args: readonly string[],
  url: string,
  token: string,
): Promise<{ readonly code: number; readonly text: string }> {
  let text = "";
  const output = { write: (written: string) => (text += written) };
  const code = await runNoun(log, args, {
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
  return { code, text };
}
