import { describe, expect, test } from "bun:test";
import { importFacts } from "#catalog/import/import-facts.ts";
import { systemClock, type Clock } from "#lib/clock.ts";
import type { Json } from "#lib/json.ts";
import { openLog } from "#lib/log.ts";
import { asRoot, asUser, openWithRoot, textIn, type Ask } from "#test/accounts.ts";
import { startSandbox } from "@sluice/sandbox/server.ts";
import { openTestGateway, simulatedChannel, type TestGateway } from "#test/harness.ts";
import { isPostgresReachable, openScratchDatabase } from "#test/scratch-database.ts";
import { readShared, withShared } from "#test/shared.ts";
import { waitFor } from "#test/wait.ts";

const DAY_MS = 86_400_000;
const TODAY = new Date().toISOString().slice(0, 10);
const dayIn = (days: number): string =>
  new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

/** As a public list writes prices, with a model that nobody knew and one whose price fell. */
const PUBLIC = {
  "gpt-4o-mini": {
    litellm_provider: "openai",
    mode: "chat",
    input_cost_per_token: 1e-7,
    output_cost_per_token: 5e-7,
    max_output_tokens: 16_384,
    deprecation_date: dayIn(30),
  },
  "swift-99": {
    litellm_provider: "openai",
    mode: "chat",
    input_cost_per_token: 2e-6,
    output_cost_per_token: 8e-6,
    max_output_tokens: 1_000,
    supports_function_calling: true,
  },
  "gpt-4o": { litellm_provider: "openai", mode: "chat", input_cost_per_token: 0 },
  "gpt-4.1-nano": {
    litellm_provider: "openai",
    mode: "chat",
    input_cost_per_token: 0,
    output_cost_per_token: 4e-7,
  },
};

function facts(content: Json = PUBLIC): object {
  return { files: importFacts(content, { date: TODAY })?.files };
}

async function openServed(
  more: Parameters<typeof openWithRoot>[0] = {},
): Promise<{ opened: TestGateway; root: Ask } & AsyncDisposable> {
  const sandbox = await startSandbox();
  const models =
    "models: [gpt-4o-mini, gpt-4.1-nano, { name: swift-99, upstream: gpt-4o-mini }, own]";
  const opened = await openWithRoot({
    yaml: `channels:\n${simulatedChannel("sim", sandbox.url, models)}\nmodels:\n  own: { like: swift-99 }`,
    ...more,
  });
  return {
    opened,
    root: await asRoot(opened.url),
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]();
      await sandbox.stop();
    },
  };
}

async function listed(opened: TestGateway, id: string): Promise<Record<string, unknown>> {
  return (await (await opened.get(`/v1/models/${id}`)).json()) as Record<string, unknown>;
}

test("an update is planned first, changes nothing until it is applied, and then changes costs", async () => {
  await using served = await openServed();
  const { opened, root } = served;

  const planned = await root("POST", "/api/catalog/plan", facts());
  expect(planned.status).toBe(200);
  expect(planned.data).toMatchObject({
    added: [{ provider: "openai", id: "swift-99", price: { input: "2", output: "8" } }],
    changed: [
      { id: "gpt-4o-mini", field: "price.input", before: "0.15", after: "0.1" },
      { id: "gpt-4o-mini", field: "price.output", before: "0.6", after: "0.5" },
      { id: "gpt-4o-mini", field: "retires", before: null, after: dayIn(30) },
    ],
    unchanged: 1,
    left_out: [
      {
        provider: "openai",
        id: "gpt-4o-mini",
        why: "its rates for priority, fast stay: the file has none",
      },
      { provider: "openai", id: "gpt-4.1-nano", why: expect.stringContaining("is 0") },
    ],
  });
  expect(await listed(opened, "gpt-4o-mini")).toMatchObject({
    pricing: { prompt: "0.00000015" },
  });
  expect(await listed(opened, "gpt-4o-mini")).not.toHaveProperty("expiration_date");

  const applied = await root("POST", "/api/catalog", facts());
  expect(applied.data).toEqual(planned.data);
  expect(await listed(opened, "gpt-4o-mini")).toMatchObject({
    pricing: { prompt: "0.0000001", completion: "0.0000005" },
    expiration_date: dayIn(30),
  });
  expect(await listed(opened, "gpt-4.1-nano")).toMatchObject({
    pricing: { prompt: "0.0000001" },
  });
  // What is said to be like a model that only the update knows has its traits.
  expect(await listed(opened, "own")).toMatchObject({
    top_provider: { max_completion_tokens: 1_000 },
  });
  expect((await root("GET", "/api/catalog")).data).toMatchObject({
    updated: TODAY,
    age_days: 0,
    is_old: false,
    updated_rows: 2,
    items: [{ provider: "openai", rows: 2 }],
  });

  expect((await root("POST", "/api/catalog/plan", facts())).data).toMatchObject({
    added: [],
    changed: [],
    unchanged: 3,
  });
});

test("updates survive a restart, yield to the file, and are removed by provider", async () => {
  await using sandbox = await startSandbox();
  const channel = simulatedChannel("sim", sandbox.url, "models: [gpt-4o-mini, gpt-4o]");
  const first = await openWithRoot({ yaml: `channels:\n${channel}` });
  await (
    await asRoot(first.url)
  )("POST", "/api/catalog", facts());
  await first.gateway.close();
  const priced = "models:\n  gpt-4o-mini: { input: 7, output: 9 }";
  {
    await using again = await openWithRoot({
      yaml: `channels:\n${channel}\n${priced}`,
      dataDir: first.dataDir,
    });
    expect(await listed(again, "gpt-4o-mini")).toMatchObject({ pricing: { prompt: "0.000007" } });
  }
  await using last = await openWithRoot({ yaml: `channels:\n${channel}`, dataDir: first.dataDir });
  const root = await asRoot(last.url);
  expect(await listed(last, "gpt-4o-mini")).toMatchObject({ pricing: { prompt: "0.0000001" } });

  expect((await root("DELETE", "/api/catalog?provider=mistral")).data).toEqual({ rows: 0 });
  expect((await root("DELETE", "/api/catalog?provider=openai")).data).toEqual({ rows: 2 });
  expect(await listed(last, "gpt-4o-mini")).toMatchObject({ pricing: { prompt: "0.00000015" } });
});

test("only users who may change models update the catalogue, and the audit log has the update", async () => {
  await using served = await openServed();
  const { opened, root } = served;
  const user = await asUser(opened.url, "ann");
  const auditor = await asUser(opened.url, "otto", "auditor");
  const admin = await asUser(opened.url, "ada", "admin");

  for (const ask of [user, auditor]) {
    expect((await ask("POST", "/api/catalog", facts())).status).toBe(403);
    expect((await ask("POST", "/api/catalog/plan", facts())).status).toBe(403);
    expect((await ask("DELETE", "/api/catalog")).status).toBe(403);
  }
  expect((await user("GET", "/api/catalog")).status).toBe(403);
  expect((await auditor("GET", "/api/catalog")).status).toBe(200);
  expect((await admin("POST", "/api/catalog", facts())).status).toBe(200);

  const log = JSON.stringify((await root("GET", "/api/audit")).data);
  expect(log).toContain("POST /api/catalog");
  expect(log).toMatch(/"added":1,"changed":1/);
});

const FAULTY = [
  ["no files", {}],
  ["an empty list", { files: [] }],
  [
    "a row without a source",
    { files: [{ provider: "openai", date: TODAY, models: [{ id: "a" }] }] },
  ],
  ["a file without a date", { files: [{ provider: "openai", models: [{ id: "a" }] }] }],
  ["a date that is to come", { files: [ownFile({ date: dayIn(30) })] }],
  ["a row with a date that is to come", { files: [ownFile({}, { date: dayIn(30) })] }],
  ["an unknown member", { files: [ownFile({}, { colour: "blue" })] }],
  ["a price that is a number", { files: [ownFile({}, { price: { input: 1, output: 1 } })] }],
  [
    "more rows than an update has",
    { files: [ownFile({ models: Array(5_001).fill({ id: "a" }) })] },
  ],
] as const;

test("a malformed update is refused as a whole", async () => {
  await using opened = await openWithRoot();
  const root = await asRoot(opened.url);
  const good = ownFile();

  for (const [what, body] of FAULTY) {
    const { status } = await root("POST", "/api/catalog", body);
    expect([what, status]).toEqual([what, 400]);
  }
  const { status } = await root("POST", "/api/catalog", {
    files: [good, ownFile({}, { colour: "blue" })],
  });
  expect(status).toBe(400);
  expect((await root("GET", "/api/catalog")).data).toMatchObject({ updated_rows: 0 });
});

function ownFile(more: object = {}, row: object = {}): object {
  const file = { provider: "openai", source: "https://vendor.example", date: TODAY };
  return { ...file, models: [{ id: "a", ...row }], ...more };
}

describe("a catalogue that is older than 60 days", () => {
  const aged = (days: number): Clock => ({
    ...systemClock,
    now: () => Date.now() + days * DAY_MS,
  });

  test("causes a warning at the start, with its date and its age", async () => {
    const lines: Record<string, unknown>[] = [];
    const log = openLog("warn", {
      write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
    });
    await using _opened = await openTestGateway({ yaml: "sandbox: auto", clock: aged(400), log });
    const warnings = () =>
      lines.filter(({ msg }) => String(msg).startsWith("model catalogue is outdated"));

    await waitFor(() => warnings().length > 0);
    expect(warnings()).toMatchObject([
      { date: expect.stringMatching(/^20\d\d-\d\d-\d\d$/), ageDays: expect.any(Number) },
    ]);
  });

  test("counts from its last update, even if that changed nothing", async () => {
    const clock = aged(400);
    await using served = await openServed({ clock });
    const { opened, root } = served;
    expect((await root("GET", "/api/catalog")).data).toMatchObject({ is_old: true });
    expect(await (await opened.get("/metrics")).text()).toMatch(
      /^sluice_catalog_age_days [1-9]\d\d$/m,
    );

    const date = new Date(clock.now()).toISOString().slice(0, 10);
    const known = [{ id: "gpt-4o-mini", price: { input: "0.15", output: "0.6" } }];
    const { data } = await root("POST", "/api/catalog", {
      files: [ownFile({ date, models: known })],
    });

    expect(data).toMatchObject({ changed: [], unchanged: 1 });
    expect((await root("GET", "/api/catalog")).data).toMatchObject({
      updated: date,
      age_days: 0,
      is_old: false,
    });
  });
});

describe.if(isPostgresReachable || process.env["CI"] !== undefined)(
  "two gateways on one PostgreSQL",
  () => {
    test("both apply an update that one of them received", async () => {
      await using sandbox = await startSandbox();
      await using database = await openScratchDatabase();
      const options = {
        yaml: `channels:\n${simulatedChannel("sim", sandbox.url, "models: [gpt-4o-mini]")}`,
        env: {
          DATABASE_URL: database.url,
          SLUICE_SECRET: "one-secret-for-all-gateways-0123456789",
        },
      };
      await using first = await openWithRoot(options);
      await using second = await openWithRoot(options);
      const root = await asRoot(first.url);
      const priceAt = async (gateway: TestGateway): Promise<string> =>
        JSON.stringify((await listed(gateway, "gpt-4o-mini"))["pricing"]);

      await root("POST", "/api/catalog", facts());
      expect(await priceAt(first)).toContain('"prompt":"0.0000001"');
      await waitFor(async () => (await priceAt(second)).includes('"prompt":"0.0000001"'));

      await (
        await asRoot(second.url)
      )("DELETE", "/api/catalog");
      await waitFor(async () => (await priceAt(first)).includes('"prompt":"0.00000015"'));
    });
  },
);

describe("a public list of prices", () => {
  test("is planned and applied as it was published, if nothing has changed since the plan", async () => {
    await using served = await openServed();
    const { opened, root } = served;
    const list = { list: PUBLIC, date: TODAY, providers: ["openai"] };

    const planned = await root("POST", "/api/catalog/plan", list);
    const digest = textIn(planned.data, "plan");
    const stale = await root("POST", `/api/catalog?plan=${"0".repeat(64)}`, list);
    const applied = await root("POST", `/api/catalog?plan=${digest}`, list);
    const repeated = await root("POST", `/api/catalog?plan=${digest}`, list);

    expect(planned.data).toMatchObject({
      format: "LiteLLM's price file",
      added: [{ provider: "openai", id: "swift-99" }],
    });
    expect([stale.status, applied.status, repeated.status]).toEqual([409, 200, 409]);
    expect(stale.body.message).toContain("outdated");
    const { data } = await root("GET", "/api/model");
    expect(JSON.stringify(data)).toContain(TODAY);
    expect((await listed(opened, "swift-99"))["id"]).toBe("swift-99");
  });

  test.each([
    ["in an unknown format", { list: { nobody: 1 } }, "known formats"],
    ["beside catalogue files", { list: PUBLIC, files: [] }, "'files'"],
    ["with a day that does not exist", { list: PUBLIC, date: "2026-02-31" }, "'date'"],
    ["without content", {}, "'files' or 'list'"],
  ])("is refused %s", async (_, body, reason) => {
    await using served = await openServed();

    const { status, body: answer } = await served.root("POST", "/api/catalog/plan", body);

    expect(status).toBe(400);
    expect(answer.message).toContain(reason);
  });
});

withShared("catalog", () => {
  test("the published lists are read as they are", async () => {
    await using served = await openServed();
    const providers = ["openai", "anthropic"];
    const formatOf = async (list: Json): Promise<unknown> => {
      const { data } = await served.root("POST", "/api/catalog/plan", { list, providers });
      return data["format"];
    };

    expect(await formatOf(readShared("catalog/litellm.prices.json"))).toBe("LiteLLM's price file");
    expect(await formatOf(readShared("catalog/models.dev.json"))).toBe("models.dev");
    const own = importFacts(PUBLIC, { date: TODAY })?.files ?? [];
    expect(await formatOf([...own])).toBe("a catalogue file");
  });
});

test("models in use without a price are listed with the price of the nearest known model", async () => {
  const upstream = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () =>
      Response.json({
        choices: [
          { index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" },
        ],
        usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 },
      }),
  });
  await using opened = await openWithRoot({
    yaml: `channels:
  - name: own
    provider: openai-compatible
    base_url: ${upstream.url.origin}/v1
    models: [gpt-4o-mini-turbo, gpt-5.4-idle]`,
  });
  const root = await asRoot(opened.url);
  const messages = [{ role: "user", content: "hi" }];
  const body = { model: "gpt-4o-mini-turbo", messages };
  expect((await opened.post("/v1/chat/completions", body)).status).toBe(200);

  const used = await root("GET", "/api/price/unpriced");
  const all = await root("GET", "/api/price/unpriced?all=true");
  await upstream.stop(true);

  expect(used.data["items"]).toMatchObject([
    {
      model: "gpt-4o-mini-turbo",
      channel: "own",
      calls: 1,
      input_tokens: 5,
      suggestion: {
        provider: "openai",
        model: "gpt-4o-mini",
        price: { input: 0.15, source: expect.stringContaining("http"), date: expect.any(String) },
      },
    },
  ]);
  expect(all.data["items"]).toMatchObject([
    { model: "gpt-4o-mini-turbo" },
    { model: "gpt-5.4-idle", calls: 0, suggestion: { model: "gpt-5.4" } },
  ]);
});
