import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { listSettings } from "#config.ts";
import { openLog } from "#lib/log.ts";
import { memberOf, textOf } from "#lib/values.ts";
import { pngUrl } from "@sluice/sandbox/testing/pictures.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import {
  asRoot,
  askWith,
  bearer,
  logIn,
  openWithRoot,
  PASSWORD,
  textIn,
  type Ask,
} from "#test/accounts.ts";
import { simulatedChannel, type TestGateway } from "#test/harness.ts";
import { channelOf, UPSTREAMS } from "#test/matrix/upstreams.ts";
import { isPostgresReachable, openScratchDatabase } from "#test/scratch-database.ts";
import { waitFor } from "#test/wait.ts";

const SECRET = "one-secret-for-all-gateways-0123456789";
/** Two by two pixels. */
const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEUlEQVR4nGP4z8DAAMQMEAoAHwQC/tuFLYcAAAAASUVORK5CYII=",
  "base64",
);
const gemini = UPSTREAMS.find(({ id }) => id === "gemini");
const log = openLog("silent");

let sandbox: Sandbox;
let pictures: ReturnType<typeof Bun.serve>;
let gateway: TestGateway;
let root: Ask;
beforeAll(async () => {
  sandbox = await startSandbox();
  pictures = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch() {
      await Bun.sleep(200);
      return new Response(Buffer.concat([PICTURE, Buffer.alloc(4_096)]));
    },
  });
  if (gemini === undefined) throw new Error("There is no such upstream.");
  const models = "models: [gpt-4o-mini, gpt-image-1-mini, unheard-of]";
  const long = `  - { name: long, provider: gemini, base_url: "${sandbox.url}/gemini/v1beta", api_key: k-12345678, models: [gemini-4-argon] }`;
  const sim = ["one", "two"].map((name) => simulatedChannel(name, sandbox.url, models)).join("\n");
  gateway = await openWithRoot({ yaml: `${channelOf(gemini, sandbox.url)}\n${long}\n${sim}`, log });
  root = askWith(gateway.url, bearer(await rootsToken(gateway.url)));
  for (const username of ["ada", "bob"]) {
    await root("POST", "/api/user", { username, role: "auditor", password: PASSWORD });
  }
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await pictures.stop(true);
  await sandbox.stop();
});

async function rootsToken(url: string): Promise<string> {
  return textIn((await (await asRoot(url))("POST", "/api/user/token")).data, "token");
}

async function chat(content: unknown, more: object = {}, headers = {}): Promise<string> {
  const messages = [{ role: "user", content }];
  const body = { model: "gpt-4o-mini", max_tokens: 500, messages, ...more };
  const answer = await gateway.post("/v1/chat/completions", body, headers);
  const text = await answer.text();
  // What fails in a stream fails after its status.
  return text.includes('"error":') && answer.status === 200 ? "cut" : String(answer.status);
}

async function twice(ask: () => Promise<string>): Promise<string> {
  return `${await ask()} ${await ask()}`;
}

async function atOnce(): Promise<string> {
  const slow = chat("hi [[fault:slow first_ms=300]]");
  const { channels, health } = gateway.gateway;
  await waitFor(() => channels.some((channel) => health.inFlight(channel) > 0));
  return `${await chat("hi")} ${await slow}`;
}

async function drawn(more: object = {}): Promise<Response> {
  const body = { model: "gpt-image-1-mini", prompt: "a fox", quality: "low", ...more };
  return await gateway.post("/v1/images/generations", body);
}

async function forPages(): Promise<string> {
  const { headers } = await gateway.get("/v1/models", { origin: "https://other.example.com" });
  return headers.get("access-control-allow-origin") ?? "absent";
}

async function costHeader(): Promise<string> {
  return (await drawn()).headers.has("sluice-cost") ? "shown" : "absent";
}

async function shownCurrency(): Promise<string> {
  const { data } = await root("GET", "/api/user/self");
  return textOf(memberOf(data["display"], "currency")) ?? "none";
}

async function shape(): Promise<string> {
  return "code" in ((await (await drawn()).json()) as object) ? "envelope" : "openai";
}

function picture(): Promise<string> {
  const url = `http://127.0.0.1:${pictures.port}/`;
  const content = [{ type: "image_url", image_url: { url } }];
  return chat(content, { model: gemini?.model });
}

async function sentAgain(): Promise<string> {
  const headers = { "idempotency-key": crypto.randomUUID() };
  const long = `Repeat after me: ${"many words ".repeat(200)}`;
  return twice(() => chat(long, {}, headers));
}

async function estimate(): Promise<string> {
  const messages = [{ role: "user", content: "hi" }];
  const body = { model: "gpt-4o-mini", messages };
  const answer = await gateway.post("/api/explain", { path: "/v1/chat/completions", body });
  return String(/"output_tokens":(\d+)/.exec(await answer.text())?.[1]);
}

async function tries(): Promise<string> {
  const before = sandbox.requests.length;
  await chat("hi [[fault:status code=500]]");
  return String(sandbox.requests.length - before);
}

async function hops(): Promise<string> {
  const before = sandbox.requests.length;
  await chat("Count from 1 to 40. [[fault:hop tokens=60]]", { model: "gemini-4-argon" });
  return String(sandbox.requests.length - before > 1);
}

async function statusPage(): Promise<string> {
  const { status } = await fetch(`${gateway.url}/status`);
  return String(status);
}

async function modelPage(): Promise<string> {
  const { status } = await fetch(`${gateway.url}/api/pricing`);
  return String(status);
}

async function newKeys(): Promise<string> {
  const made = [await root("POST", "/api/token", { name: "a" })];
  made.push(await root("POST", "/api/token", { name: "b" }));
  for (const { data } of made) await root("DELETE", `/api/token/${Number(data["id"])}`);
  return made.map(({ status }) => status).join(" ");
}

async function newAccessTokens(): Promise<string> {
  const path = "/api/user/self/access-token";
  const made = [await root("POST", path, { name: "a" }), await root("POST", path, { name: "b" })];
  for (const { data } of made) await root("DELETE", `${path}/${Number(data["id"])}`);
  return made.map(({ status }) => status).join(" ");
}

async function newServiceAccounts(): Promise<string> {
  const { data: team } = await root("POST", "/api/team", { name: "robots" });
  const statuses: number[] = [];
  for (const username of ["robot-a", "robot-b"]) {
    const fields = { username, team_id: team["id"] };
    statuses.push((await root("POST", "/api/service-account", fields)).status);
  }
  await root("DELETE", `/api/team/${Number(team["id"])}`);
  return statuses.join(" ");
}

async function overlap(): Promise<string> {
  const { data } = await root("POST", "/api/token", { name: "rotated" });
  const id = Number(data["id"]);
  const { status } = await root("POST", `/api/key/${id}/rotate`, {});
  await root("DELETE", `/api/token/${id}`);
  return String(status);
}

async function lookAround(username: string): Promise<string> {
  const session = await logIn(gateway.url, { username, password: PASSWORD });
  return String((await askWith(gateway.url, session)("GET", "/api/setting")).status);
}

function tool(depth: number): object {
  const nested = (left: number): object =>
    left === 0 ? { type: "string" } : { type: "object", properties: { a: nested(left - 1) } };
  return { type: "function", function: { name: "look", parameters: nested(depth) } };
}

const LINKS = { "links.allow": "127.0.0.1", "links.ports": "" };
const LONG = "Count to 400";

interface Case {
  readonly value: string | number;
  readonly probe: () => Promise<string>;
  readonly before: string;
  readonly after: string;
  /** Other settings that have to be so for it. */
  readonly around?: Readonly<Record<string, string>>;
}

const CASES: Readonly<Record<string, Case>> = {
  "users.rpm": {
    value: 1,
    probe: () => twice(() => chat("hi")),
    before: "200 200",
    after: "200 429",
  },
  "users.tpm": { value: 1, probe: () => chat("hi"), before: "200", after: "429" },
  "users.concurrency": { value: 1, probe: atOnce, before: "200 200", after: "429 200" },
  "users.require_second_factor": {
    value: "all",
    probe: () => lookAround("ada"),
    before: "200",
    after: "401",
  },
  log_level: { value: "fatal", probe: async () => log.level, before: "silent", after: "fatal" },
  "pricing.unpriced": {
    value: "refuse",
    // The vendor has no such model either.
    probe: () => chat("hi", { model: "unheard-of" }),
    before: "502",
    after: "403",
  },
  "pricing.assumed_output_tokens": { value: 7, probe: estimate, before: "4096", after: "7" },
  "links.allow": { value: "127.0.0.1", probe: picture, before: "400", after: "200", around: LINKS },
  "links.ports": { value: "", probe: picture, before: "400", after: "200", around: LINKS },
  "limits.json_depth": {
    value: 8,
    probe: () => chat("hi", { tools: [tool(10)] }),
    before: "200",
    after: "400",
  },
  "limits.messages": {
    value: 1,
    probe: () => chat("hi", { messages: [1, 2].map(() => ({ role: "user", content: "hi" })) }),
    before: "200",
    after: "400",
  },
  "limits.event_bytes": {
    value: "64KiB",
    probe: () => chat("hi [[fault:bigevent mib=1]]", { stream: true }),
    before: "200",
    after: "cut",
  },
  "limits.answer_bytes": { value: "1KiB", probe: () => chat(LONG), before: "200", after: "502" },
  "limits.first_byte_ms": {
    value: "100ms",
    probe: () => chat("hi [[fault:slow first_ms=400]]", { stream: true }),
    before: "200",
    after: "504",
  },
  "limits.unary_ms": {
    value: "100ms",
    probe: () => chat("hi [[fault:slow first_ms=400]]"),
    before: "200",
    after: "504",
  },
  "limits.idle_ms": {
    value: "100ms",
    probe: () => chat("hi [[fault:slow between_ms=300]]", { stream: true, max_tokens: 2 }),
    before: "200",
    after: "504",
  },
  "limits.total_ms": {
    value: "100ms",
    probe: () => chat("hi [[fault:slow first_ms=400]]"),
    before: "200",
    after: "504",
  },
  "limits.continuations": { value: 0, probe: hops, before: "true", after: "false" },
  "limits.attempts": { value: 1, probe: tries, before: "2", after: "1" },
  "limits.in_flight": { value: 1, probe: atOnce, before: "200 200", after: "503 200" },
  "limits.kept_answer_bytes": {
    value: "1KiB",
    probe: sentAgain,
    before: "200 200",
    after: "200 409",
  },
  "limits.link_bytes": {
    value: "1KiB",
    probe: picture,
    before: "200",
    after: "413",
    around: LINKS,
  },
  "limits.link_ms": { value: "50ms", probe: picture, before: "200", after: "400", around: LINKS },
  "limits.picture_pixels": {
    value: 1_000,
    probe: async () => String((await drawn({ image: pngUrl(64, 64) })).status),
    before: "200",
    after: "400",
  },
  "cors.origins": {
    value: "https://chat.example.com",
    probe: forPages,
    before: "*",
    after: "absent",
  },
  status_page: { value: "on", probe: statusPage, before: "404", after: "200" },
  model_page: { value: "on", probe: modelPage, before: "404", after: "200" },
  "answers.headers": { value: "channel", probe: costHeader, before: "shown", after: "absent" },
  "display.currency": {
    value: "EUR=0.92",
    probe: shownCurrency,
    before: "none",
    after: "EUR",
  },
  "images.shape": { value: "openai", probe: shape, before: "envelope", after: "openai" },
  "limits.keys_per_user": { value: 1, probe: newKeys, before: "200 200", after: "400 400" },
  "limits.access_tokens_per_user": {
    value: 2,
    probe: newAccessTokens,
    before: "200 200",
    after: "200 400",
  },
  "limits.service_accounts_per_team": {
    value: 1,
    probe: newServiceAccounts,
    before: "200 200",
    after: "200 400",
  },
  "limits.key_overlap_ms": { value: "1h", probe: overlap, before: "200", after: "400" },
};

/** Seen in jobs, connections, endings, stored contents and account mails: they read the same object. */
const ELSEWHERE = [
  "content_log.level",
  "content_log.max_bytes",
  "content_log.owners",
  "content_log.patterns",
  "content_log.redact",
  "content_log.retention_days",
  "limits.content_log_buffer_bytes",
  "limits.content_log_bytes",
  "limits.otel_content_bytes",
  "journal.retention_days",
  "usage.retention_days",
  "ledger.checkpoint_ms",
  "auto_disable.failing_share",
  "auto_disable.min_attempts",
  "auto_disable.no_balance",
  "auto_disable.refused",
  "auto_disable.window",
  "balances.refresh",
  "limits.connect_ms",
  "limits.caller_stall_ms",
  "limits.buffered_bytes",
  "limits.kept_user_bytes",
  "limits.drain_ms",
  "limits.alert_ms",
  "limits.asset_bytes",
  "limits.asset_groups",
  "limits.assets",
  "limits.tasks",
  "limits.task_polls",
  "videos.retention_days",
  "media.retention_days",
  "limits.media_bytes",
  "limits.downloads",
  "limits.key_downloads",
  "limits.key_sockets",
  "limits.socket_ms",
  "limits.socket_idle_ms",
  "limits.socket_lanes",
  "limits.socket_state_bytes",
  "oidc.rules",
  "registration.mode",
  "registration.domains",
  "registration.group",
  "registration.quota",
  "registration.budget_day",
  "registration.budget_month",
];

describe("a setting that is changed while the gateway runs", () => {
  test("is any of those that apply at once", () => {
    const names = listSettings().flatMap(({ path = "", stored }) =>
      stored === "at once" ? [path] : [],
    );

    expect([...Object.keys(CASES), ...ELSEWHERE].sort()).toEqual(names.sort());
  });

  test.each(Object.entries(CASES))(
    "%s applies from the next call, until it is reset",
    async (name, each) => {
      const { value, probe, before, after, around = {} } = each;
      // Other cases fail on purpose, and no channel is to rest for that.
      gateway.gateway.health.forgetAll();
      const others = Object.entries(around).filter(([other]) => other !== name);
      for (const [other, said] of others) await put(other, said === "" ? pictures.port : said);
      const seen = [await probe()];

      const changed = await put(name, value === "" ? Number(pictures.port) : value);
      seen.push(await probe());
      await root("DELETE", `/api/setting/${name}`);
      // What a bound of the last minute counted is counted still.
      seen.push(await probe());
      for (const [other] of others) await root("DELETE", `/api/setting/${other}`);

      expect(changed).toMatchObject({
        status: 200,
        data: { source: "stored", changes: "at once" },
      });
      expect(seen).toEqual([before, after, before]);
    },
  );
});

async function put(name: string, value: unknown) {
  return await root("PUT", `/api/setting/${name}`, { value });
}

interface Shown {
  name: string;
  value: string | null;
  source: string;
  place: string | null;
  stored: string | null;
  changes: string | null;
}

async function shown(ask: Ask, name: string): Promise<Shown | undefined> {
  const items = (await ask("GET", "/api/setting")).data["items"] as unknown as Shown[];
  return items.find((each) => each.name === name);
}

describe("settings", () => {
  const PLANTED = "monitoring-shows-this-obsidian-0";
  const yaml = "sandbox: auto\nusers: { rpm: 500 }\n";
  const env = { SLUICE_LIMIT_ATTEMPTS: "4", SLUICE_METRICS_TOKEN: PLANTED };

  test("are listed with description and source, secrets without their value", async () => {
    await using opened = await openWithRoot({ yaml, env });
    const ask = await asRoot(opened.url);
    const { body, data } = await ask("GET", "/api/setting");

    expect((data["items"] as unknown[]).length).toBe(listSettings().length);
    expect(await shown(ask, "users.rpm")).toMatchObject({
      value: "500",
      source: "file",
      place: "sluice.yaml:2:15 users.rpm",
      changes: "at once",
    });
    expect(await shown(ask, "limits.attempts")).toMatchObject({
      value: "4",
      source: "environment",
      place: "SLUICE_LIMIT_ATTEMPTS",
    });
    expect(await shown(ask, "metrics_token")).toMatchObject({ value: "***", changes: null });
    expect(await shown(ask, "users.tpm")).toMatchObject({ value: null, source: "default" });
    expect(JSON.stringify(body)).not.toContain(PLANTED);
  });

  const refusals: readonly (readonly [string, object, number, string])[] = [
    ["users.rpm", { value: 1 }, 400, "'users.rpm' is set by sluice.yaml:2:15 users.rpm. Change"],
    ["limits.attempts", { value: 1 }, 400, "is set by SLUICE_LIMIT_ATTEMPTS"],
    [
      "metrics_token",
      { value: PLANTED },
      400,
      "cannot change at run time: set SLUICE_METRICS_TOKEN",
    ],
    ["limits.ledger_queue", { value: 1 }, 400, "cannot change at run time"],
    ["users.tpm", { value: "many" }, 400, '"many" is not a whole number from 1 to'],
    ["users.tpm", { value: 0.5 }, 400, '"0.5" is not a whole number'],
    ["users.tpm", {}, 400, "'value'"],
    ["users.tpm", { value: 1, at: 2 }, 400, "'at' is not known"],
    ["no.such", { value: 1 }, 404, "The setting does not exist."],
  ];
  test("that cannot be set have a reason, and their values are not in the audit log", async () => {
    await using opened = await openWithRoot({ yaml, env });
    const ask = await asRoot(opened.url);

    for (const [name, body, status, message] of refusals) {
      const refused = await ask("PUT", `/api/setting/${name}`, body);
      expect({ name, status: refused.status }).toEqual({ name, status });
      expect(refused.body.message).toContain(message);
    }
    expect((await ask("DELETE", "/api/setting/users.tpm")).status).toBe(404);
    expect(JSON.stringify((await ask("GET", "/api/audit")).body)).not.toContain(PLANTED);
  });

  test("survive a restart, after which those that need one apply, too", async () => {
    await using first = await openWithRoot();
    const ask = await asRoot(first.url);
    await ask("PUT", "/api/setting/limits.attempts", { value: 2 });
    const big = await ask("PUT", "/api/setting/limits.body_bytes", { value: "64KiB" });

    expect(big.body.message).toContain("it holds from the next start");
    expect(big.data).toMatchObject({ value: "32MiB", source: "default", stored: "64KiB" });
    await first.gateway.close();

    await using second = await openWithRoot({ dataDir: first.dataDir });
    const later = await asRoot(second.url);
    expect(await shown(later, "limits.attempts")).toMatchObject({ value: "2", source: "stored" });
    expect(await shown(later, "limits.body_bytes")).toMatchObject({ value: "64KiB" });
    const sent = await second.post("/v1/chat/completions", { model: "x".repeat(70_000) });
    expect(sent.status).toBe(413);
  });

  test("in the file take precedence over stored ones, which are shown and can be removed", async () => {
    await using first = await openWithRoot();
    await (
      await asRoot(first.url)
    )("PUT", "/api/setting/users.rpm", { value: 7 });
    await first.gateway.close();

    await using second = await openWithRoot({ yaml, dataDir: first.dataDir });
    const ask = await asRoot(second.url);
    expect(await shown(ask, "users.rpm")).toMatchObject({
      value: "500",
      source: "file",
      stored: "7",
    });
    expect((await ask("DELETE", "/api/setting/users.rpm")).status).toBe(200);
    expect(await shown(ask, "users.rpm")).toMatchObject({ value: "500", stored: null });
  });

  test("are in the audit log with their new values", async () => {
    await using opened = await openWithRoot();
    const ask = await asRoot(opened.url);
    await ask("PUT", "/api/setting/limits.total_ms", { value: 60_000 });

    const rows = (await ask("GET", "/api/audit")).data["items"] as Record<string, unknown>[];
    const done = rows.find(
      ({ action, outcome }) => action === "PUT /api/setting/:name" && outcome === "done",
    );
    expect(done).toMatchObject({ object: { name: "limits.total_ms" }, details: { stored: "1m" } });
  });
});

describe.if(isPostgresReachable || process.env["CI"] !== undefined)("two gateways", () => {
  test("apply each other's settings", async () => {
    await using database = await openScratchDatabase();
    const options = { env: { DATABASE_URL: database.url, SLUICE_SECRET: SECRET } };
    await using first = await openWithRoot(options);
    await using second = await openWithRoot(options);
    const [here, there] = [await asRoot(first.url), await asRoot(second.url)];

    await here("PUT", "/api/setting/users.rpm", { value: 9 });
    await waitFor(async () => (await shown(there, "users.rpm"))?.value === "9");
    await here("DELETE", "/api/setting/users.rpm");
    await waitFor(async () => (await shown(there, "users.rpm"))?.value === null);
  });
});
