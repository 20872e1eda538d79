import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { asRoot, asUser, bearer, openWithRoot, textIn, type Ask } from "#test/accounts.ts";
import { simulatedChannel, type TestGateway } from "#test/harness.ts";
import { isPostgresReachable, openScratchDatabase } from "#test/scratch-database.ts";

const MODELS = ["gpt-4o", "gpt-4o-mini"];
const SECRET = "one-secret-for-all-gateways-0123456789";
const FORMS = [
  "/v1/key",
  "/v1/dashboard/billing/subscription",
  "/v1/dashboard/billing/usage",
  "/api/v1/key",
  "/api/v1/credits",
];

let sandbox: Sandbox;
let onSqlite: Opened;
beforeAll(async () => {
  sandbox = await startSandbox();
  onSqlite = await open({});
});
afterAll(async () => {
  await onSqlite.gateway[Symbol.asyncDispose]();
  await sandbox.stop();
});

interface Opened {
  readonly gateway: TestGateway;
  readonly root: Ask;
}

async function open(env: Readonly<Record<string, string>>): Promise<Opened> {
  const channel = simulatedChannel("sim", sandbox.url, `models: [${MODELS.join(", ")}]`);
  const gateway = await openWithRoot({ yaml: `channels:\n${channel}`, env });
  return { gateway, root: await asRoot(gateway.url) };
}

/** The members of a form, of any type. */
type Body = Readonly<Record<string, unknown>>;

/** What a holder sees of a new key of `owner` with these fields. */
async function holderOf(fields: object, { gateway, root: owner }: Opened) {
  const { data } = await owner("POST", "/api/token", fields);
  const headers = bearer(textIn(data, "key"));
  return {
    async see(path: string) {
      const response = await gateway.get(path, headers);
      const body = (await response.json()) as Body;
      return { status: response.status, headers: response.headers, body };
    },
    async call(): Promise<number> {
      const messages = [{ role: "user", content: "hi" }];
      const body = { model: "gpt-4o", max_tokens: 50, messages };
      const response = await gateway.post("/v1/chat/completions", body, headers);
      await response.text();
      return response.status;
    },
  };
}

/** Unix seconds at which the day and the month after now begin. */
function resets(): { readonly day: number; readonly month: number } {
  const now = new Date();
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  return { day: Date.UTC(year, month, day + 1) / 1_000, month: Date.UTC(year, month + 1) / 1_000 };
}

describe("a key without limits", () => {
  test("shows its models and its spending, and that nothing binds it", async () => {
    const { see, call } = await holderOf({ name: "free" }, onSqlite);
    await call();

    const { status, headers, body } = await see("/v1/key");

    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body).toMatchObject({
      object: "key",
      name: "free",
      models: MODELS,
      model_patterns: ["*"],
      endpoints: null,
      ip_ranges: null,
      expires_at: null,
      rpm: null,
      requests: null,
      tokens: null,
      left_usd: null,
      budgets: [],
    });
    expect(body["used_usd"]).toBeGreaterThan(0);
    expect([body["used_day_usd"], body["used_month_usd"]]).toEqual([
      body["used_usd"],
      body["used_usd"],
    ]);
    expect(body["data"]).toMatchObject({ limit: null, limit_remaining: null, limit_reset: null });
  });

  test("has the limit in one-api's form that its clients take for none", async () => {
    const { see, call } = await holderOf({ name: "free in one-api" }, onSqlite);
    await call();

    const { body: key } = await see("/v1/key");
    const { body: subscription } = await see("/v1/dashboard/billing/subscription");
    const { body: credits } = await see("/api/v1/credits");

    expect(subscription).toEqual({
      object: "billing_subscription",
      has_payment_method: true,
      soft_limit_usd: 100_000_000,
      hard_limit_usd: 100_000_000,
      system_hard_limit_usd: 100_000_000,
      access_until: 0,
    });
    expect(credits).toEqual({ data: { total_credits: 100_000_000, total_usage: key["used_usd"] } });
  });
});

async function showsEveryBudget(opened: Opened): Promise<void> {
  const { see, call } = await holderOf(
    { name: "bound", quota_usd: 5, budget_day_usd: 0.5, budget_month_usd: 2 },
    opened,
  );
  expect(await call()).toBe(200);

  const { body } = await see("/v1/key");
  const { body: openRouter } = await see("/api/v1/key");

  const used = Number(body["used_usd"]);
  expect(used).toBeGreaterThan(0);
  const own = (period: string, amount: number, resetsAt: number | null) => ({
    owner: "key",
    period,
    amount_usd: amount,
    used_usd: used,
    held_usd: 0,
    left_usd: expect.closeTo(amount - used, 9),
    resets_at: resetsAt,
  });
  const { day, month } = resets();
  expect(body["budgets"]).toEqual([
    own("total", 5, null),
    own("month", 2, month),
    own("day", 0.5, day),
  ]);
  expect(body["left_usd"]).toBeCloseTo(0.5 - used, 9);
  expect(openRouter).toEqual({ data: body["data"] });
  expect(body["data"]).toMatchObject({
    label: "bound",
    limit: 0.5,
    limit_remaining: body["left_usd"],
    limit_reset: "daily",
    usage: used,
    usage_daily: used,
    usage_weekly: used,
    usage_monthly: used,
  });
}

describe("a key with budgets", () => {
  test("shows the spent and the remaining amount of each, and when it resets", () =>
    showsEveryBudget(onSqlite));

  test.if(isPostgresReachable || process.env["CI"] !== undefined)(
    "shows the same on PostgreSQL",
    async () => {
      await using database = await openScratchDatabase();
      const opened = await open({ DATABASE_URL: database.url, SLUICE_SECRET: SECRET });
      await using _gateway = opened.gateway;

      await showsEveryBudget(opened);
    },
  );

  test("has one-api's limit above its spending by the remaining amount", async () => {
    const { see, call } = await holderOf(
      { name: "both", quota_usd: 5, budget_day_usd: 0.5, expires_at: 4_000_000_000 },
      onSqlite,
    );
    await call();

    const { body: key } = await see("/v1/key");
    const { body: subscription } = await see("/dashboard/billing/subscription");
    const { body: usage } = await see("/dashboard/billing/usage");

    expect(key["expires_at"]).toBe(4_000_000_000);
    expect(subscription["access_until"]).toBe(4_000_000_000);
    expect(usage).toEqual({
      object: "list",
      total_usage: expect.closeTo(Number(key["used_usd"]) * 100, 7),
    });
    const left = Number(subscription["hard_limit_usd"]) - Number(usage["total_usage"]) / 100;
    expect(left).toBeCloseTo(Number(key["left_usd"]), 9);
  });

  test("is shown to its holder even if nothing is left", async () => {
    const { see, call } = await holderOf({ name: "empty", quota_usd: 0 }, onSqlite);

    expect(await call()).toBe(402);
    expect((await see("/v1/key")).body).toMatchObject({ used_usd: 0, left_usd: 0 });
    expect((await see("/api/v1/credits")).body["data"]).toEqual({
      total_credits: 0,
      total_usage: 0,
    });
  });
});

describe("usage in one-api's form", () => {
  test("is that of the days from the first to the one before the last", async () => {
    const { see, call } = await holderOf({ name: "days" }, onSqlite);
    await call();
    const day = (offset: number): string =>
      new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
    const usage = async (first: number, last: number): Promise<number> => {
      const dates = `start_date=${day(first)}&end_date=${day(last)}`;
      return Number((await see(`/v1/dashboard/billing/usage?${dates}`)).body["total_usage"]);
    };

    expect(await usage(0, 1)).toBeGreaterThan(0);
    expect(await usage(-30, 1)).toBe(await usage(0, 1));
    expect(await usage(-30, 0)).toBe(0);
    expect(await usage(1, 2)).toBe(0);
  });

  test.each([
    ["start_date=yesterday", "start_date"],
    ["end_date=2026-02-30", "end_date"],
    ["start_date=2026-02-02&end_date=2026-02-02", "end_date"],
  ])("is refused for %s, with the parameter", async (query, param) => {
    const { see } = await holderOf({ name: query }, onSqlite);

    const { status, body } = await see(`/v1/dashboard/billing/usage?${query}`);

    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { param } });
  });
});

test("a key shows the remaining amounts of its user and its team, and not the spending of others", async () => {
  const { gateway, root } = onSqlite;
  const member = await asUser(gateway.url, "mia");
  const team = await root("POST", "/api/team", { name: "crew", quota_usd: 1, budget_day_usd: 7 });
  const id = Number((await member("GET", "/api/user/self")).data["id"]);
  await root("PUT", `/api/user/${id}`, { team_id: Number(team.data["id"]) });
  await root("PUT", `/api/user/${id}/quota`, { budget_month_usd: 3, reason: "a test" });
  const { see } = await holderOf({ name: "own", quota_usd: 2 }, { gateway, root: member });

  const { body } = await see("/v1/key");

  const { day, month } = resets();
  const own = { amount_usd: 2, used_usd: 0, held_usd: 0, left_usd: 2, resets_at: null };
  expect(body["budgets"]).toEqual([
    { owner: "key", period: "total", ...own },
    { owner: "team", period: "total", left_usd: 1, resets_at: null },
    { owner: "user", period: "month", left_usd: 3, resets_at: month },
    { owner: "team", period: "day", left_usd: 7, resets_at: day },
  ]);
  expect(body["left_usd"]).toBe(1);
  expect(body["data"]).toMatchObject({ limit: 1, limit_remaining: 1, limit_reset: null });
});

test("a key shows its rate limits and their remaining allowances; asking counts as a request", async () => {
  const { see } = await holderOf({ name: "slow", rpm: 3, tpm: 1_000, concurrency: 2 }, onSqlite);

  const { headers, body } = await see("/v1/key");
  await see("/api/v1/key");
  await see("/v1/dashboard/billing/usage");
  const refused = await see("/v1/key");

  expect(body).toMatchObject({ rpm: 3, tpm: 1_000, concurrency: 2 });
  expect(body["user_limits"]).toEqual({ rpm: null, tpm: null, concurrency: null });
  expect(body["requests"]).toEqual({ limit: 3, left: 2, full_in_ms: 20_000 });
  expect(body["tokens"]).toEqual({ limit: 1_000, left: 1_000, full_in_ms: 0 });
  expect(headers.get("x-ratelimit-remaining-requests")).toBe("2");
  expect(refused.status).toBe(429);
});

test("a key for some models and endpoints shows them, and may ask for itself", async () => {
  const { see } = await holderOf(
    { name: "narrow", models: ["gpt-4o-m*", "o9"], endpoints: ["embeddings"] },
    onSqlite,
  );

  const { status, body } = await see("/v1/key");

  expect(status).toBe(200);
  expect(body).toMatchObject({
    models: ["gpt-4o-mini"],
    model_patterns: ["gpt-4o-m*", "o9"],
    endpoints: ["embeddings"],
  });
});

test.each(FORMS)("%s is refused without a key, in the format of the chat style", async (path) => {
  const response = await fetch(onSqlite.gateway.url + path);

  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({ error: { message: expect.any(String) } });
});
