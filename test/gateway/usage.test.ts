import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import {
  asRoot,
  asUser,
  bearer,
  logIn,
  openWithRoot,
  ROOT,
  textIn,
  type Ask,
} from "#test/accounts.ts";
import { openBooks, type Row } from "#test/books.ts";
import { simulatedChannel, type TestGateway } from "#test/harness.ts";

const MODELS = ["gpt-4o-mini", "gpt-4o"] as const;

let sandbox: Sandbox;
let opened: TestGateway;
let ada: Ask;
let bob: Ask;
let auditor: Ask;
let team: number;
/** Two keys of hers and one of his, each with a call of each model; and one of a model that nobody has. */
let keys: number[];
const startedOn = new Date().toISOString().slice(0, 10);
beforeAll(async () => {
  sandbox = await startSandbox();
  const channel = simulatedChannel("secret-channel", sandbox.url, `models: [${MODELS.join(", ")}]`);
  opened = await openWithRoot({ yaml: `channels:\n${channel}` });
  ada = await asUser(opened.url, "ada");
  bob = await asUser(opened.url, "bob");
  const root = await asRoot(opened.url);
  team = Number((await root("POST", "/api/team", { name: "builders" })).data["id"]);
  for (const user of itemsIn((await root("GET", "/api/user")).data)) {
    if (user["username"] !== "bob") continue;
    await root("PUT", `/api/user/${Number(user["id"])}`, { team_id: team, team_role: "owner" });
  }
  auditor = await asUser(opened.url, "watcher", "auditor");
  keys = [];
  for (const [ask, name, labels] of [
    [ada, "one", { "x-claude-code-session-id": "s-1", "sluice-tags": "project=x, agent=y" }],
    [ada, "two", { session_id: "s-2", "sluice-tags": "project=x" }],
    [bob, "one", {}],
  ] as const) {
    const { data } = await ask("POST", "/api/token", { name });
    keys.push(Number(data["id"]));
    for (const model of [...MODELS, "no-such-model"]) {
      await call(textIn(data, "key"), model, labels);
    }
  }
  using books = openBooks(opened.dataDir);
  await books.whenSettled();
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  await sandbox.stop();
});

async function call(key: string, model: string, labels: Record<string, string>): Promise<void> {
  const messages = [{ role: "user", content: "hi" }];
  const headers = { ...bearer(key), ...labels };
  await (await opened.post("/v1/chat/completions", { model, messages }, headers)).text();
}

async function usage(ask: Ask, query = "", path = "/api/usage/self"): Promise<JsonObject> {
  const { status, data } = await ask("GET", `${path}?${query}`);
  expect(status).toBe(200);
  return data;
}

const itemsIn = (data: JsonObject): readonly JsonObject[] => data["items"] as JsonObject[];

/** What the journal says of some calls. */
function booked(isMeant: (call: Row) => boolean): JsonObject {
  using books = openBooks(opened.dataDir);
  const calls = books.calls().filter(isMeant);
  const sum = (column: string): number =>
    calls.reduce((total, each) => total + Number(each[column]), 0);
  const cost = (sum("cost") / 1e9).toFixed(9).replace(/\.?0+$/, "");
  return { calls: calls.length, output_tokens: sum("output_tokens"), cost_usd: cost };
}

describe("usage", () => {
  test("comes from the journal: users see their own calls, auditors see all", async () => {
    const own = await usage(ada);
    const all = await usage(auditor, "", "/api/usage");

    const hers = booked(({ key_id: id }) => id === keys[0] || id === keys[1]);
    expect(own).toMatchObject({ total: hers, items: [hers], is_complete: true });
    expect(own["total"]).toMatchObject({ calls: 6, failed_calls: 2 });
    expect(all["total"]).toMatchObject(booked(() => true));
  });

  test("is grouped by any dimension, the most expensive first", async () => {
    const byKeyAndModel = itemsIn(await usage(ada, "by=model,key"));
    const byAll = await usage(auditor, "by=day,user,channel", "/api/usage");

    expect(byKeyAndModel).toHaveLength(6);
    for (const item of byKeyAndModel) {
      const { key_id: key, model } = item;
      expect(item).toMatchObject(
        booked((each) => each["key_id"] === key && each["model"] === (model ?? "no-such-model")),
      );
    }
    expect(byKeyAndModel.map(({ model }) => model)).toEqual([
      "gpt-4o",
      "gpt-4o",
      "gpt-4o-mini",
      "gpt-4o-mini",
      null,
      null,
    ]);
    expect(byAll["by"]).toEqual(["day", "user", "channel"]);
    expect(itemsIn(byAll)).toHaveLength(4);
    expect(itemsIn(byAll)[0]).toMatchObject({
      day: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
      channel: "secret-channel",
    });
  });

  test("is filtered by time, key, model and, for auditors, user and channel", async () => {
    const user = itemsIn(await usage(auditor, `by=user&key_id=${keys[2]}`, "/api/usage"))[0];
    const total = async (ask: Ask, query: string, path?: string) =>
      (await usage(ask, query, path))["total"];

    expect(await total(ada, "model=gpt-4o")).toMatchObject({ calls: 2 });
    expect(await total(ada, `key_id=${keys[0]}`)).toMatchObject({ calls: 3 });
    expect(await total(ada, "to=2020-01-01")).toMatchObject({ calls: 0 });
    expect(await total(ada, `from=${startedOn}`)).toMatchObject({ calls: 6 });
    expect(
      await total(auditor, `user_id=${Number(user?.["user_id"])}`, "/api/usage"),
    ).toMatchObject({
      calls: 3,
    });
    expect(await total(auditor, "channel=secret-channel", "/api/usage")).toMatchObject({
      calls: 6,
    });
  });

  test("[A5-3] of another user's key is empty, and users see no channels", async () => {
    for (const key of [keys[2], 4_711]) {
      expect(await usage(ada, `key_id=${key}&by=key`)).toMatchObject({
        total: { calls: 0, cost_usd: "0" },
        items: [],
      });
    }
    for (const query of ["by=channel", "by=user", "channel=secret-channel", "user_id=1"]) {
      expect((await ada("GET", `/api/usage/self?${query}`)).status).toBe(400);
    }
    expect(JSON.stringify(await usage(ada, "by=hour,model,key"))).not.toContain("secret-channel");
    expect((await ada("GET", "/api/usage")).status).toBe(403);
  });

  test("names in one request the user who spent most this month", async () => {
    const from = `${startedOn.slice(0, 7)}-01`;
    const { items, others, total } = await usage(
      auditor,
      `by=user&from=${from}&limit=1`,
      "/api/usage",
    );

    expect(items).toMatchObject([{ user_name: "ada", calls: 6 }]);
    expect(others).toMatchObject({ calls: 3 });
    expect(total).toMatchObject({ calls: 9 });
  });

  test("has the cost of a session in one request, for its user and for auditors", async () => {
    const hers = booked(({ key_id: id }) => id === keys[0]);
    const session = "session=s-1";

    expect((await usage(ada, session))["total"]).toMatchObject(hers);
    expect((await usage(auditor, session, "/api/usage"))["total"]).toMatchObject(hers);
    expect((await usage(bob, session))["total"]).toMatchObject({ calls: 0 });
    expect(itemsIn(await usage(ada, "by=session"))).toMatchObject([
      { session: "s-1", calls: 3 },
      { session: "s-2", calls: 3 },
    ]);
    expect(itemsIn(await usage(ada, "by=tag,model&model=gpt-4o"))).toMatchObject([
      { tag: "project=x", model: "gpt-4o", calls: 2 },
      { tag: "agent=y", model: "gpt-4o", calls: 1 },
    ]);
  });

  test("of a team is for its owners, with the names of its members and without channels", async () => {
    const report = await usage(bob, "by=user,endpoint", "/api/usage/team");
    const byTeam = itemsIn(await usage(auditor, "by=team,key", "/api/usage"));

    expect(report["total"]).toMatchObject({ calls: 3 });
    expect(itemsIn(report)).toMatchObject([{ user_name: "bob", endpoint: "text", calls: 3 }]);
    expect(byTeam.filter((each) => each["team_id"] === team)).toMatchObject([
      { team_name: "builders", key_id: keys[2], key_name: "one", calls: 3 },
    ]);
    for (const query of ["by=channel", "by=team", "team_id=1"])
      expect((await bob("GET", `/api/usage/team?${query}`)).status).toBe(400);
    expect((await ada("GET", "/api/usage/team")).status).toBe(404);
  });

  test("of a key is shown to its user with or without a quota", async () => {
    const shown = await ada("GET", `/api/token/${keys[0]}`);
    const cost = Number(booked(({ key_id: id }) => id === keys[0])["cost_usd"]);

    expect(shown.data).toMatchObject({ quota_usd: null, used_usd: cost });
    expect(cost).toBeGreaterThan(0);
  });

  test("is compared with the period before", async () => {
    const to = new Date(Date.now() + 24 * 3_600_000).toISOString().slice(0, 10);
    const now = await usage(ada, `by=model&from=${startedOn}&to=${to}&compare=previous`);
    // The day after has no calls, and this day is its period before.
    const later = new Date(Date.now() + 48 * 3_600_000).toISOString().slice(0, 10);
    const after = await usage(ada, `by=day&from=${to}&to=${later}&compare=previous`);

    expect(itemsIn(now)[0]).toMatchObject({ calls: 2, previous: { calls: 0, cost_usd: "0" } });
    expect(now).toMatchObject({ total: { calls: 6, previous: { calls: 0 } } });
    // On the first day of a month, it is the month before.
    const { from } = after["previous"] as JsonObject;
    if (to.endsWith("-01")) return;
    expect(from).toBe(Date.parse(startedOn) / 1_000);
    expect(itemsIn(after)).toMatchObject([{ day: to, calls: 0, previous: { calls: 6 } }]);
  });

  test("is CSV for spreadsheets, which run no cell of it as a formula", async () => {
    const headers = await logIn(opened.url, { email: ROOT.email, password: ROOT.password });
    const csv = async (query: string, accept: string): Promise<string> => {
      const response = await fetch(`${opened.url}/api/usage?${query}`, {
        headers: { ...headers, accept },
      });
      expect(response.headers.get("content-type")).toStartWith("text/csv");
      return await response.text();
    };

    const byHeader = await csv("by=user,model", "text/csv");
    const byQuery = await csv("by=user,model&format=csv", "*/*");
    const [head, first, ...rest] = byHeader.trimEnd().split("\r\n");

    expect(byQuery).toBe(byHeader);
    expect(head).toStartWith("user_id,user_name,model,calls,failed_calls,input_tokens,");
    expect(first).toMatch(/^\d+,ada,gpt-4o,2,0,/);
    expect(rest).toHaveLength(5);
  });

  test.each([
    "by=week",
    "by=tag,session",
    "tag=a%3Db&session=x",
    "limit=0",
    "compare=next",
    "format=xml",
    "from=soon",
    "from=2026-02-01&to=2026-01-01",
    "key_id=x",
    "to=9999-99-99",
    "from=2026-02-01&to=2026-02-30",
  ])("refuses %s", async (query) => {
    const root = await asRoot(opened.url);
    expect((await root("GET", `/api/usage?${query}`)).status).toBe(400);
  });
});
