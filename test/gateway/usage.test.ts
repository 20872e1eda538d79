import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { asRoot, asUser, bearer, openWithRoot, textIn, type Ask } from "#test/accounts.ts";
import { openBooks, type Row } from "#test/books.ts";
import { simulatedChannel, type TestGateway } from "#test/harness.ts";

const MODELS = ["gpt-4o-mini", "gpt-4o"] as const;

let sandbox: Sandbox;
let opened: TestGateway;
let ada: Ask;
let auditor: Ask;
/** Two keys of hers and one of his, each with a call of each model; and one of a model that nobody has. */
let keys: number[];
const startedOn = new Date().toISOString().slice(0, 10);
beforeAll(async () => {
  sandbox = await startSandbox();
  const channel = simulatedChannel("secret-channel", sandbox.url, `models: [${MODELS.join(", ")}]`);
  opened = await openWithRoot({ yaml: `channels:\n${channel}` });
  ada = await asUser(opened.url, "ada");
  const bob = await asUser(opened.url, "bob");
  auditor = await asUser(opened.url, "watcher", "auditor");
  keys = [];
  for (const [ask, name] of [
    [ada, "one"],
    [ada, "two"],
    [bob, "one"],
  ] as const) {
    const { data } = await ask("POST", "/api/token", { name });
    keys.push(Number(data["id"]));
    for (const model of [...MODELS, "no-such-model"]) await call(textIn(data, "key"), model);
  }
  using books = openBooks(opened.dataDir);
  await books.whenSettled();
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  await sandbox.stop();
});

async function call(key: string, model: string): Promise<void> {
  const messages = [{ role: "user", content: "hi" }];
  await (await opened.post("/v1/chat/completions", { model, messages }, bearer(key))).text();
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

  test.each([
    "by=week",
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
