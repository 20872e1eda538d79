import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "#lib/json.ts";
import { isSignedWith } from "#lib/standard-webhooks.ts";
import { asRoot, asUser, bearer, openWithRoot, textIn, type Ask } from "#test/accounts.ts";
import type { TestGateway } from "#test/harness.ts";
import { isPostgresReachable, openScratchDatabase } from "#test/scratch-database.ts";
import { openSmtpReceiver } from "#test/smtp-receiver.ts";
import { placeSchema } from "#test/sqlite-template.ts";
import { waitFor } from "#test/wait.ts";

const KINDS = ["webhook", "slack", "discord", "feishu", "dingtalk", "wecom"] as const;
/** The answer of each service that took a message. */
const TAKEN: Readonly<Record<string, string>> = {
  slack: "ok",
  feishu: '{"code":0,"msg":"success"}',
  dingtalk: '{"errcode":0,"errmsg":"ok"}',
  wecom: '{"errcode":0,"errmsg":"ok"}',
};

interface Received {
  readonly kind: string;
  readonly headers: Headers;
  readonly body: string;
}

/** All services at one address; `refused` answers each message with this text. */
function openServices() {
  const received: Received[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const kind = new URL(request.url).pathname.split("/")[1] ?? "";
      received.push({ kind, headers: request.headers, body: await request.text() });
      if (kind === "closed") return new Response("no such hook", { status: 404 });
      return new Response(
        kind === "wrong" ? '{"code":19021,"msg":"sign match fail"}' : TAKEN[kind],
      );
    },
  });
  const urlOf = (kind: string): string => `${server.url.origin}/${kind}/secret-path-of-the-hook`;
  return { received, urlOf, port: server.port, [Symbol.asyncDispose]: () => server.stop(true) };
}

describe("on SQLite", () => describeAlerts(async () => undefined));
describe.if(isPostgresReachable || process.env["CI"] !== undefined)(
  "on PostgreSQL, with two gateways",
  () => describeAlerts(openScratchDatabase),
);

type Database = Awaited<ReturnType<typeof openScratchDatabase>>;

function describeAlerts(openDatabase: () => Promise<Database | undefined>): void {
  const opened = new AsyncDisposableStack();
  let services: ReturnType<typeof openServices>;
  let mail: Awaited<ReturnType<typeof openSmtpReceiver>>;
  let gateways: TestGateway[];
  let open: () => Promise<TestGateway>;
  let root: Ask;
  let webhookSecret: string;

  beforeAll(async () => {
    const database = await openDatabase();
    if (database !== undefined) opened.use(database);
    const dataDir = mkdtempSync(join(tmpdir(), "sluice-alerts-"));
    opened.defer(() => rmSync(dataDir, { recursive: true, force: true }));
    if (database === undefined) await placeSchema(dataDir);
    services = opened.use(openServices());
    mail = opened.use(await openSmtpReceiver());
    const env = {
      SLUICE_LINKS_ALLOW: "127.0.0.1",
      SLUICE_LINKS_PORTS: String(services.port),
      SLUICE_MAIL_SMTP_URL: mail.url,
      SLUICE_MAIL_FROM: "sluice@example.com",
      SLUICE_LIMIT_ALERT_MS: "100",
    };
    open = () =>
      database === undefined
        ? openWithRoot({ yaml: "sandbox: on", dataDir, env })
        : openWithRoot({
            yaml: "sandbox: on",
            env: {
              ...env,
              DATABASE_URL: database.url,
              SLUICE_SECRET: "a-secret-of-this-test-0123456789",
            },
          });
    gateways = [await open()];
    if (database !== undefined) gateways.push(await open());
    root = await asRoot(gateways[0]?.url ?? "");
  }, 20_000);

  afterAll(async () => {
    for (const each of gateways) await each[Symbol.asyncDispose]();
    await opened.disposeAsync();
  });

  test("every kind of rule exists and is enabled, and an open alert is shown although nothing is sent", async () => {
    const rules = itemsOf(await root("GET", "/api/alert/rule"));
    expect(rules.map(({ status }) => status)).toEqual(rules.map(() => 1));
    expect(new Set(rules.map(({ kind }) => kind)).size).toBe(15);

    await waitFor(async () => (await simulatedAlerts(root)).length === 1);
    expect(await simulatedAlerts(root)).toMatchObject([
      {
        state: "open",
        text: "Answers are simulated, because no channel is configured.",
        messages: 0,
        told_at: null,
      },
    ]);
  });

  test("a destination is created, and neither its address nor its secret is shown again", async () => {
    const rule = await ruleOf(root, "simulated");
    await root("PUT", rule, { status: 2 });
    for (const kind of KINDS) {
      const secret = kind === "feishu" || kind === "dingtalk" ? { secret: "SEC-of-the-bot" } : {};
      const url = services.urlOf(kind);
      const made = await root("POST", "/api/alert/destination", {
        name: kind,
        kind,
        url,
        ...secret,
      });
      expect([kind, made.status]).toEqual([kind, 200]);
      if (kind === "webhook") webhookSecret = textIn(made.data, "secret");
      else expect(made.data["secret"]).toBeNull();
    }
    await root("POST", "/api/alert/destination", {
      name: "mail",
      kind: "email",
      to: ["ops@example.com"],
    });

    const listed = await root("GET", "/api/alert/destination");
    expect(JSON.stringify(listed.body)).not.toMatch(/secret-path|SEC-of|whsec_/);
    expect(itemsOf(listed)).toHaveLength(KINDS.length + 1);
    const audit = await root("GET", "/api/audit");
    expect(JSON.stringify(audit.body)).not.toMatch(/secret-path|SEC-of|whsec_/);
    expect(JSON.stringify(audit.body)).toContain("POST /api/alert/destination");
    await root("PUT", rule, { status: 1 });
  });

  test("each destination is told once when an alert begins, by one gateway", async () => {
    await waitFor(() => services.received.length >= KINDS.length && mail.mails.length > 0);
    await Bun.sleep(500);

    expect(services.received.map(({ kind }) => kind).toSorted(byText)).toEqual(
      [...KINDS].toSorted(byText),
    );
    for (const { kind, body } of services.received) {
      expect([kind, body]).toEqual([kind, expect.stringContaining("Answers are simulated")]);
    }
    expect(mail.mails).toMatchObject([
      { to: ["ops@example.com"], headers: { subject: "Alert: simulated answers" } },
    ]);
    const [hook] = services.received.filter(({ kind }) => kind === "webhook");
    const id = hook?.headers.get("webhook-id") ?? "";
    const timestamp = Number(hook?.headers.get("webhook-timestamp"));
    const message = { id, timestamp, body: hook?.body ?? "" };
    const signatures = hook?.headers.get("webhook-signature") ?? "";
    expect(isSignedWith(webhookSecret, message, signatures, timestamp)).toBe(true);

    const deliveries = itemsOf(await root("GET", "/api/alert/delivery?state=delivered"));
    expect(deliveries).toHaveLength(KINDS.length + 1);
  });

  test("a restart neither repeats nor forgets an open alert", async () => {
    const [first] = gateways.splice(0, 1);
    await first?.[Symbol.asyncDispose]();
    gateways.push(await open());
    root = await asRoot(gateways[0]?.url ?? "");
    await Bun.sleep(500);

    expect(await simulatedAlerts(root)).toMatchObject([{ messages: 1 }]);
    expect(services.received).toHaveLength(KINDS.length);
  });

  test("the test of a destination shows its answer", async () => {
    const before = services.received.length;
    const good = await root("POST", "/api/alert/destination/slack/test");
    expect(good.data).toEqual({ ok: true, status: 200, answer: "ok", error: null });
    expect(services.received.at(-1)?.body).toContain("This is a test of the destination.");

    const wrong = await add(root, "wrong", "feishu", services.urlOf("wrong"));
    expect((await root("POST", `/api/alert/destination/${wrong}/test`)).data).toMatchObject({
      ok: false,
      status: 200,
      error: "code 19021: sign match fail",
    });
    const closed = await add(root, "closed", "slack", services.urlOf("closed"));
    expect((await root("POST", `/api/alert/destination/${closed}/test`)).data).toEqual({
      ok: false,
      status: 404,
      answer: "no such hook",
      error: "It answered with status 404.",
    });
    const sent = await root("POST", "/api/alert/destination/mail/test");
    expect(sent.data).toMatchObject({ ok: true, status: null });
    expect(services.received.length - before).toBe(3);
    for (const id of [wrong, closed]) await root("DELETE", `/api/alert/destination/${id}`);
  });

  test("internal addresses and unknown terms are refused", async () => {
    const make = async (url: string) =>
      (await root("POST", "/api/alert/destination", { name: "inside", kind: "slack", url })).status;
    expect(await make("http://169.254.169.254/latest/meta-data")).toBe(400);
    expect(await make("http://10.0.0.7/hook")).toBe(400);
    expect(await make("ftp://example.com/")).toBe(400);

    const rule = await ruleOf(root, "simulated");
    const refused = await root("PUT", rule, { terms: { percent: 5 } });
    expect([refused.status, refused.body.message]).toEqual([
      400,
      "The rule has the term 'percent', but the terms of simulated are: none.",
    ]);
    const missing = await root("PUT", rule, { destinations: ["nowhere"] });
    expect([missing.status, missing.body.message]).toEqual([
      400,
      "There is no destination named 'nowhere'. Create it first.",
    ]);
  });

  test("only admins change alerts, and auditors see them", async () => {
    const url = gateways[0]?.url ?? "";
    const auditor = await asUser(url, "auditor", "auditor");
    const user = await asUser(url, "user");
    expect((await auditor("GET", "/api/alert")).status).toBe(200);
    expect((await auditor("POST", "/api/alert/destination/slack/test")).status).toBe(403);
    for (const path of ["/api/alert", "/api/alert/rule", "/api/alert/destination"]) {
      expect((await user("GET", path)).status).toBe(403);
    }
  });

  test("an alert is acknowledged and silenced", async () => {
    const [alert = {}] = await simulatedAlerts(root);
    const path = `/api/alert/open/${textIn(alert, "id")}`;
    await root("POST", `${path}/acknowledge`);
    await root("POST", `${path}/silence`, { minutes: 60 });
    const [silent = {}] = await simulatedAlerts(root);
    expect(silent["acknowledged_by"]).toBe("root");
    expect(Number(silent["silenced_until"])).toBeGreaterThan(Date.now() / 1_000 + 3_500);

    const ended = await root("POST", `${path}/silence`, { minutes: 0 });
    expect(ended.body.message).toBe("The silence ended.");
    expect(await simulatedAlerts(root)).toMatchObject([{ silenced_until: null }]);
    expect((await root("POST", "/api/alert/open/alert_0/acknowledge")).status).toBe(404);
  });

  test("rules and destinations are part of the configuration document, without secrets", async () => {
    const [{ url } = { url: "" }] = gateways;
    const headers = {
      ...bearer(textIn((await root("POST", "/api/user/token")).data, "token")),
      "content-type": "application/yaml",
    };
    const send = async (method: string, path: string, body?: string) => {
      const answer = await fetch(url + path, { method, headers, ...(body && { body }) });
      return await answer.text();
    };
    const document = await send("GET", "/api/config");
    expect(document).toContain(`url: ${new URL(services.urlOf("slack")).origin}/***`);
    expect(document).not.toMatch(/secret-path|SEC-of|whsec_/);

    const same = JSON.parse(await send("POST", "/api/config/plan", document)) as Planned;
    expect(same.data.changes.filter(({ action }) => action !== "nothing")).toEqual([]);

    const changed = document
      .replace("  - name: slack\n", "  - name: chat\n")
      .replace(
        "    kind: slack\n    url: ",
        `    kind: slack\n    url: ${services.urlOf("slack")} #`,
      )
      .replace("    kind: error_rate\n", "    kind: error_rate\n    terms:\n      percent: 25\n");
    const plan = JSON.parse(await send("POST", "/api/config/plan", changed)) as Planned;
    expect(JSON.stringify(plan)).not.toContain("secret-path");
    await send("POST", `/api/config/apply?plan=${plan.data.digest}`, changed);
    const names = itemsOf(await root("GET", "/api/alert/destination")).map(({ name }) => name);
    expect(names).toContain("chat");
    expect(names).not.toContain("slack");
    const rules = itemsOf(await root("GET", "/api/alert/rule"));
    expect(rules.find(({ kind }) => kind === "error_rate")).toMatchObject({
      effective_terms: { percent: 25, minutes: 5, calls: 20 },
    });
    expect((await root("POST", "/api/alert/destination/chat/test")).data).toMatchObject({
      ok: true,
    });
  });

  test("each destination is told once when an alert ends", async () => {
    services.received.length = 0;
    const draft = { name: "real", provider: "openai", api_key: "sk-real", models: ["gpt-4o"] };
    expect((await root("POST", "/api/channel", draft)).status).toBe(200);

    await waitFor(async () => (await simulatedAlerts(root)).length === 0);
    await waitFor(() => services.received.length >= KINDS.length);
    await Bun.sleep(300);
    expect(services.received.map(({ kind }) => kind).toSorted(byText)).toEqual(
      [...KINDS].toSorted(byText),
    );
    const [hook] = services.received.filter(({ kind }) => kind === "webhook");
    expect(JSON.parse(hook?.body ?? "")).toMatchObject({ type: "alert.ended" });
    const ended = itemsOf(await root("GET", "/api/alert?state=ended&kind=simulated"));
    expect(ended.at(0)).toMatchObject({ state: "ended", messages: 2 });
  });
}

interface Planned {
  readonly data: { readonly digest: string; readonly changes: readonly { action: string }[] };
}

function itemsOf({ data }: { readonly data: JsonObject }): readonly JsonObject[] {
  return data["items"] as readonly JsonObject[];
}

async function simulatedAlerts(root: Ask): Promise<readonly JsonObject[]> {
  return itemsOf(await root("GET", "/api/alert?kind=simulated"));
}

/** The path of the rule of a kind. */
async function ruleOf(root: Ask, kind: string): Promise<string> {
  const rules = itemsOf(await root("GET", "/api/alert/rule"));
  return `/api/alert/rule/${Number(rules.find((each) => each["kind"] === kind)?.["id"])}`;
}

async function add(root: Ask, name: string, kind: string, url: string): Promise<number> {
  const { data } = await root("POST", "/api/alert/destination", { name, kind, url, status: 2 });
  return Number(data["id"]);
}

function byText(one: string, other: string): number {
  return one < other ? -1 : 1;
}
