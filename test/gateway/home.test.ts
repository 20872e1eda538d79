import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { startSandbox } from "@sluice/sandbox/server.ts";
import { asRoot, asUser, bearer, openWithRoot, textIn, type Ask } from "#test/accounts.ts";
import { simulatedChannel, type TestGateway } from "#test/harness.ts";
import { isPostgresReachable, openScratchDatabase } from "#test/scratch-database.ts";
import { waitFor } from "#test/wait.ts";

describe("on SQLite", () => describeHome(async () => undefined));
describe.if(isPostgresReachable || process.env["CI"] !== undefined)("on PostgreSQL", () =>
  describeHome(openScratchDatabase),
);

type Database = Awaited<ReturnType<typeof openScratchDatabase>>;

function describeHome(openDatabase: () => Promise<Database | undefined>): void {
  const opened = new AsyncDisposableStack();
  let gateway: TestGateway;
  let root: Ask;

  beforeAll(async () => {
    const database = await openDatabase();
    if (database !== undefined) opened.use(database);
    const sandbox = await startSandbox();
    opened.defer(() => sandbox.stop());
    const broken = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => Response.json({ error: { message: "Wrong key" } }, { status: 401 }),
    });
    opened.defer(() => broken.stop(true));
    const channels = [
      simulatedChannel("well", sandbox.url, "models: [gpt-4o-mini]"),
      simulatedChannel("ill", broken.url.origin, 'models: [gpt-4o, "a<b>&c"]'),
    ];
    gateway = opened.use(
      await openWithRoot({
        yaml: `limits: { alert_ms: 100ms }\nchannels:\n${channels.join("\n")}`,
        env:
          database === undefined
            ? {}
            : { DATABASE_URL: database.url, SLUICE_SECRET: "a-secret-of-this-test-0123456789" },
      }),
    );
    root = await asRoot(gateway.url);
    const made = await root("POST", "/api/token", { name: "laptop", quota_usd: 5 });
    const key = bearer(textIn(made.data, "key"));
    for (const model of ["gpt-4o-mini", "gpt-4o"]) {
      const messages = [{ role: "user", content: "Hello" }];
      const answer = await gateway.post("/v1/chat/completions", { model, messages }, key);
      await answer.text();
    }
    await waitFor(async () => {
      const { data } = await root("GET", "/api/home");
      return Number(memberOf(data, "traffic")["calls_per_minute"]) > 0;
    });
  }, 20_000);

  afterAll(() => opened.disposeAsync());

  test("the first page has the problems, the traffic and the spend in one request", async () => {
    await waitFor(async () => {
      const { data } = await root("GET", "/api/home");
      return (memberOf(data, "problems")["channels"] as readonly unknown[]).length > 0;
    });
    const { status, data } = await root("GET", "/api/home");

    expect(status).toBe(200);
    const { alerts, channels, ...others } = memberOf(data, "problems");
    expect(channels).toEqual([
      {
        name: "ill",
        state: "refused",
        text: expect.stringMatching(/^refused since .*Wrong key \(HTTP 401\)$/),
        until: null,
      },
    ]);
    expect(alerts).toContainEqual(
      expect.objectContaining({ kind: "channel_refused", subject: "ill", state: "open" }),
    );
    expect(others).toEqual({
      unpriced_models: [],
      budgets: [],
      failing_jobs: [],
      is_simulated: false,
      redis_down_since: null,
    });
    const traffic = memberOf(data, "traffic");
    expect(traffic).toMatchObject({ calls_per_minute: 0.4, error_rate: 0.5 });
    expect(Number(traffic["first_byte_p95_ms"])).toBeGreaterThan(0);
  });

  test("spend is that of today and of this month, for everyone together and for oneself", async () => {
    await waitFor(async () => {
      const { data } = await root("GET", "/api/home");
      return Number(memberOf(data, "spend")["month_usd"]) > 0;
    }, 20_000);
    const { data } = await root("GET", "/api/home");
    const spend = memberOf(data, "spend");

    expect(spend["today_usd"]).toBe(spend["month_usd"] ?? null);
    expect(memberOf(memberOf(data, "own"), "spend")).toEqual(spend);
    expect(memberOf(data, "own")["keys"]).toContainEqual(
      expect.objectContaining({ name: "laptop", quota_usd: 5, used_usd: spend["month_usd"] }),
    );
  }, 25_000);

  test("a member gets the own keys and spend only", async () => {
    const member = await asUser(gateway.url, "member");
    await member("POST", "/api/token", { name: "mine" });
    const { data } = await member("GET", "/api/home");

    expect(data).toMatchObject({
      problems: null,
      traffic: null,
      spend: null,
      own: { spend: { today_usd: 0, month_usd: 0 }, budgets: [], keys_total: 1 },
    });
    const auditor = await asUser(gateway.url, "auditor", "auditor");
    expect((await auditor("GET", "/api/home")).data["problems"]).not.toBeNull();
  });

  test("the status page is off by default", async () => {
    expect((await fetch(`${gateway.url}/status`)).status).toBe(404);
  });

  test("the status page shows models and no channels, as JSON or as HTML without a script", async () => {
    expect((await root("PUT", "/api/setting/status_page", { value: "on" })).status).toBe(200);
    const answer = await fetch(`${gateway.url}/status`, {
      headers: { accept: "application/json" },
    });
    expect(answer.headers.get("cache-control")).toBe("public, max-age=15");
    const { models } = (await answer.json()) as { models: readonly JsonObject[] };
    expect(models.map(({ model, state, available }) => [model, state, available])).toEqual([
      ["a<b>&c", "down", 0],
      ["gpt-4o", "down", 0],
      ["gpt-4o-mini", "up", 1],
    ]);
    expect(models.map(({ hours }) => (hours as readonly unknown[]).length)).toEqual([24, 24, 24]);

    const page = await fetch(`${gateway.url}/status`, { headers: { accept: "text/html" } });
    const html = await page.text();
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(html).toContain("<td>a&lt;b&gt;&amp;c</td>");
    expect(html).not.toMatch(/<script|a<b>|\bwell\b|\bill\b/);
    await root("DELETE", "/api/setting/status_page");
    expect((await fetch(`${gateway.url}/status`)).status).toBe(404);
  });
}

function memberOf(data: JsonObject, name: string): JsonObject {
  return (data[name] ?? {}) as JsonObject;
}
