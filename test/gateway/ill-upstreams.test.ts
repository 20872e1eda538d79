import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { alerts } from "#cli/alerts.ts";
import { channels } from "#cli/channels.ts";
import { connectToServer } from "#cli/client.ts";
import { doctor } from "#cli/doctor.ts";
import type { Noun } from "#cli/command.ts";
import { runNoun } from "#cli/run.ts";
import { loadConfig } from "#config.ts";
import type { JsonObject } from "#lib/json.ts";
import { startSandbox } from "@sluice/sandbox/server.ts";
import { asRoot, bearer, openWithRoot, textIn, tokenOf, type Ask } from "#test/accounts.ts";
import { simulatedChannel, type TestGateway } from "#test/harness.ts";
import { CUT, openScriptedVendor } from "#test/scripted-vendor.ts";
import { isPostgresReachable, openScratchDatabase } from "#test/scratch-database.ts";
import { waitFor } from "#test/wait.ts";

/** An ill upstream of each kind, the model that only it serves, and the words for it. */
const ILLS = [
  ["refusing", "gpt-4o", "refused", /refused since 20.*the key is not ours.*HTTP 401/i],
  ["broken", "gpt-4.1", "failing", /failing: 1 of 1 attempts failed.*The boiler is out.*HTTP 500/],
  ["cut", "gpt-4.1-mini", "failing", /failing: .*(ended|broke|incomplete|closed)/i],
  ["page", "gpt-4.1-nano", "failing", /failing: .*The upstream sent a web page/],
  ["gone", "o3", "unreachable", /unreachable: 1 of 1 attempts failed/],
  ["late", "o4-mini", "slow", /slow, its answers come too late: 1 of 1 attempts failed/],
] as const;

describe("on SQLite", () => describeIlls(async () => undefined));
describe.if(isPostgresReachable || process.env["CI"] !== undefined)("on PostgreSQL", () =>
  describeIlls(openScratchDatabase),
);

type Database = Awaited<ReturnType<typeof openScratchDatabase>>;

function describeIlls(openDatabase: () => Promise<Database | undefined>): void {
  const opened = new AsyncDisposableStack();
  let gateway: TestGateway;
  let root: Ask;
  let token: string;

  beforeAll(async () => {
    const database = await openDatabase();
    if (database !== undefined) opened.use(database);
    const urls = await openIllUpstreams(opened);
    const ill = ILLS.map(([name, model]) =>
      simulatedChannel(name, urls.get(name) ?? "", `models: [${model}]`),
    );
    // Another channel answers in place of the refused one.
    const well = simulatedChannel(
      "well",
      urls.get("well") ?? "",
      "models: [gpt-4o-mini, gpt-4o]\npriority: 10",
    );
    gateway = opened.use(
      await openWithRoot({
        yaml: `limits:\n  first_byte_ms: 700\n  unary_ms: 900\n  alert_ms: 100ms\nchannels:\n${[...ill, well].join("\n")}`,
        env:
          database === undefined
            ? {}
            : { DATABASE_URL: database.url, SLUICE_SECRET: "a-secret-of-this-test-0123456789" },
      }),
    );
    root = await asRoot(gateway.url);
    token = await tokenOf(gateway.url, "operator", "admin");
    await beginAtOneCall(root);
    const made = await root("POST", "/api/token", { name: "any" });
    const models = [...ILLS.map(([, model]) => model), "gpt-4o-mini"];
    await Promise.all(models.map((model) => call(gateway, textIn(made.data, "key"), model)));
    await waitFor(async () => Number(sumOf(await healthOf(root, "well"))["attempts"]) === 2);
    await waitFor(async () => (await openAlerts(root)).length >= ILLS.length);
  }, 40_000);

  afterAll(() => opened.disposeAsync());

  test("the API names an ill upstream of each kind in plain words", async () => {
    const { data: list } = await root("GET", "/api/channel");
    const listed = new Map(
      (list["items"] as readonly JsonObject[]).map(({ name, health }) => [name, health]),
    );
    for (const [name, , state, words] of ILLS) {
      const { state: shown, text } = await healthOf(root, name);
      expect([name, shown, text]).toEqual([name, state, expect.stringMatching(words)]);
      expect(listed.get(name)).toMatchObject({ state, text: expect.stringMatching(words) });
    }
    const well = await healthOf(root, "well");
    expect(well["text"]).toBe("healthy");
    expect(sumOf(well)).toMatchObject({ failed: 0, success_rate: 1 });
    expect(Number(sumOf(well)["first_byte_p95_ms"])).toBeGreaterThan(0);
    // The sum of a day is kept for some seconds.
    await waitFor(async () => Number((await healthOf(root, "well"))["spend_today_usd"]) > 0);

    const { data: history } = await root("GET", "/api/channel/broken/history");
    expect(history["items"]).toMatchObject([{ attempts: 1, failed: 1, success_rate: 0 }]);
    expect((await root("GET", "/api/channel/broken/history?since=1")).status).toBe(400);
  }, 20_000);

  test("`sluice channels list` names each of them", async () => {
    const lines = await run(channels, ["list"], gateway.url, token);
    for (const [name, , , words] of ILLS) {
      expect(lines.find((line) => line.includes(name))).toMatch(words);
    }
  });

  test("the metrics name the state of each of them", async () => {
    const text = await (await fetch(`${gateway.url}/metrics`)).text();
    for (const [name, , state] of ILLS) {
      expect(text).toContain(
        `sluice_channel_condition{channel="${name}",condition="${state}"} 1\n`,
      );
    }
  });

  test("an alert names each of them, in the API and by `sluice alerts`", async () => {
    const found = await openAlerts(root);
    const lines = await run(alerts, ["list"], gateway.url, token);
    for (const [name, , state, words] of ILLS) {
      const kind = state === "refused" ? "channel_refused" : "channel_failing";
      const alert = found.find((each) => each["kind"] === kind && each["subject"] === name);
      expect([name, alert?.["text"]]).toEqual([name, expect.stringMatching(words)]);
      expect(lines.find((line) => line.includes(`Channel ${name}:`))).toMatch(words);
    }
    const down = found.flatMap((each) =>
      each["kind"] === "model_down" ? [textIn(each, "subject")] : [],
    );
    expect(new Set(down)).toEqual(new Set(["broken", "cut", "gone", "late", "page"]));
  });

  test("`sluice doctor` names each of them", async () => {
    let text = "";
    const output = { write: (written: string) => (text += written) };
    await doctor({
      output,
      loadConfig: () => loadConfig({ env: {}, readFile: () => undefined, knownProviders: [] }),
      reach: () => reach(gateway.url, token),
    });
    for (const [name, , , words] of ILLS) {
      expect(text.split("\n").find((line) => line.includes(`channel ${name} `))).toMatch(words);
    }
  }, 20_000);
}

async function openIllUpstreams(
  opened: AsyncDisposableStack,
): Promise<ReadonlyMap<string, string>> {
  const sandbox = await startSandbox();
  opened.defer(() => sandbox.stop());
  const cut = opened.use(await openScriptedVendor());
  cut.play([`data: {"id":"1","choices":[{"index":0,"delta":{"content":"Hel"}}]}\n\n`, CUT]);
  const page = opened.use(await openScriptedVendor());
  page.play(["<!doctype html><h1>It works!</h1>"], "text/html");
  const late = opened.use(await openScriptedVendor());
  late.play([60_000]);
  const failing = (status: number, message: string): string => {
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => Response.json({ error: { message } }, { status }),
    });
    opened.defer(() => server.stop(true));
    return server.url.origin;
  };
  const gone = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  await gone.stop(true);
  return new Map([
    ["refusing", failing(401, "The key is not ours.")],
    ["broken", failing(500, "The boiler is out.")],
    ["cut", cut.url],
    ["page", page.url],
    ["gone", gone.url.origin],
    ["late", late.url],
    ["well", sandbox.url],
  ]);
}

/** By default, five calls have to fail. */
async function beginAtOneCall(root: Ask): Promise<void> {
  const { data } = await root("GET", "/api/alert/rule");
  const rules = data["items"] as readonly JsonObject[];
  const rule = rules.find(({ kind }) => kind === "channel_failing");
  const changed = await root("PUT", `/api/alert/rule/${Number(rule?.["id"])}`, {
    terms: { calls: 1 },
  });
  expect(changed.data["effective_terms"]).toEqual({ minutes: 5, percent: 50, calls: 1 });
}

async function call(gateway: TestGateway, key: string, model: string): Promise<void> {
  const messages = [{ role: "user", content: "Hello" }];
  const body = { model, messages, stream: true };
  const answer = await gateway.post("/v1/chat/completions", body, bearer(key));
  await answer.text().catch(() => "");
}

async function openAlerts(root: Ask): Promise<readonly JsonObject[]> {
  const { data } = await root("GET", "/api/alert");
  return (data["items"] as readonly JsonObject[]).filter((each) =>
    ["channel_refused", "channel_failing", "model_down"].includes(textIn(each, "kind")),
  );
}

async function healthOf(root: Ask, name: string): Promise<JsonObject> {
  const { data } = await root("GET", `/api/channel/${name}`);
  return data["health"] as JsonObject;
}

function sumOf(health: JsonObject): JsonObject {
  return health["last_5_minutes"] as JsonObject;
}

async function run(
  noun: Noun,
  words: readonly string[],
  url: string,
  token: string,
): Promise<readonly string[]> {
  let text = "";
  const output = { write: (written: string) => (text += written) };
  const code = await runNoun(noun, words, {
    input: process.stdin,
    output,
    errors: output,
    reach: () => reach(url, token),
    readLink: () => Promise.reject(new Error("Nothing is read.")),
  });
  expect([code, text]).toEqual([0, text]);
  return text.split("\n");
}

async function reach(url: string, token: string) {
  const reached = await connectToServer(url, token);
  if (reached === undefined) throw new Error("Nothing listens.");
  return reached;
}
