import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import type { JsonObject } from "#lib/json.ts";
import { objectOf } from "#lib/values.ts";
import { openScratchFolder } from "#test/scratch-folder.ts";
import { callWith, keysOf, listed, number, pointAtVendor, text, usersByName } from "./expected.ts";
import { openImporting, type Importing } from "./importing.ts";

const KEY = `${"a1B2".repeat(12)}`;
const BOUND_KEY = `${"c3D4".repeat(12)}`;

/** Rows in the columns of one-hub's source, February 2026. */
const TABLES: Readonly<Record<string, readonly JsonObject[]>> = {
  users: [
    {
      id: 1,
      username: "root",
      role: 100,
      status: 1,
      quota: 5_000_000,
      used_quota: 0,
      group: "default",
      deleted_at: null,
    },
    {
      id: 2,
      username: "ada",
      role: 1,
      status: 1,
      quota: 1_000_000,
      used_quota: 500_000,
      group: "vip",
      deleted_at: null,
    },
    {
      id: 3,
      username: "gone_del_x1y2z3",
      role: 1,
      status: 1,
      quota: 0,
      used_quota: 0,
      group: "default",
      deleted_at: "2026-01-02 03:04:05",
    },
  ],
  tokens: [
    {
      id: 1,
      user_id: 2,
      key: KEY,
      status: 1,
      name: "open",
      expired_time: -1,
      remain_quota: 0,
      unlimited_quota: 1,
      used_quota: 0,
      group: "",
      backup_group: "default",
      setting: "{}",
      deleted_at: null,
    },
    {
      id: 2,
      user_id: 2,
      key: BOUND_KEY,
      status: 1,
      name: "bound",
      expired_time: -1,
      remain_quota: 250_000,
      unlimited_quota: 0,
      used_quota: 250_000,
      group: "default",
      backup_group: "",
      deleted_at: null,
      setting: JSON.stringify({
        limits: {
          limit_model_setting: { enabled: true, models: ["gpt-4o-mini"] },
          limits_ip_setting: { enabled: true, whitelist: ["127.0.0.1", "10.0.0.0/8"] },
        },
      }),
    },
  ],
  channels: [
    channel(1, 1, "openai", {
      models: "gpt-4o-mini,dall-e-3",
      group: "default,vip",
      model_headers: '{"x-team":"a"}',
      custom_parameter: '{"overwrite":true,"user":"x"}',
      tag: "main",
    }),
    channel(2, 28, "deepseek", {
      models: "deepseek-chat",
      proxy: "http://10.0.0.1:3128",
      custom_parameter: '{"temperature":0.5}',
    }),
    channel(3, 32, "bedrock", {
      key: "us-east-1|AKIA|secret",
      models: "claude-3-5-sonnet-20241022",
    }),
    channel(4, 42, "vertex", {
      key: '{"type":"service_account","project_id":"p"}',
      other: "us-central1|p-1",
      models: "gemini-1.5-pro",
    }),
    channel(5, 35, "cloudflare", { key: "account|token", models: "@cf/meta/llama-3" }),
    channel(6, 41, "suno", { models: "suno" }),
    channel(7, 1, "deleted", { models: "gpt-4o", deleted_at: "2026-01-02 03:04:05" }),
  ],
  options: [
    { key: "QuotaPerUnit", value: "500000" },
    { key: "ModelRatio", value: '{"gpt-4o-mini":99}' },
  ],
  user_groups: [
    { id: 1, symbol: "default", name: "Default", ratio: 1, api_rate: 600, enable: 1 },
    { id: 2, symbol: "vip", name: "VIP", ratio: 0.8, api_rate: 0, enable: 1 },
    { id: 3, symbol: "old", name: "Old", ratio: 1, api_rate: 0, enable: 0 },
  ],
  prices: [
    {
      model: "gpt-4o-mini",
      type: "tokens",
      input: 0.075,
      output: 0.3,
      extra_ratios: '{"cached_tokens":0.5}',
    },
    { model: "claude-3-5-*", type: "tokens", input: 1.5, output: 7.5, extra_ratios: null },
    { model: "dall-e-3", type: "times", input: 20, output: 0, extra_ratios: null },
  ],
};

function channel(id: number, type: number, name: string, more: JsonObject): JsonObject {
  return {
    id,
    type,
    key: "sk-of-the-vendor",
    status: 1,
    name,
    weight: 1,
    base_url: "",
    other: "",
    models: "",
    group: "default",
    tag: "",
    model_mapping: "",
    model_headers: "",
    custom_parameter: "",
    priority: 0,
    proxy: "",
    test_model: "",
    only_chat: 0,
    pre_cost: 1,
    plugin: "{}",
    deleted_at: null,
    ...more,
  };
}

let at: Importing;
let sandbox: Sandbox;
let database: string;
let plan: JsonObject;
const folder = openScratchFolder();

beforeAll(async () => {
  at = await openImporting();
  sandbox = await startSandbox();
  database = join(folder.path, "one-hub.db");
  writeTables(database);
  plan = await at.run("one-hub", database);
  await at.run("one-hub", database, "--apply", text(plan, "digest"));
});

afterAll(async () => {
  await at[Symbol.asyncDispose]();
  await sandbox.stop();
  folder[Symbol.dispose]();
});

function writeTables(path: string): void {
  using db = new Database(path, { create: true });
  for (const [table, rows] of Object.entries(TABLES)) {
    const columns = Object.keys(rows[0] ?? {});
    const names = columns.map((each) => `"${each}"`).join(", ");
    db.run(`create table "${table}" (${names})`);
    const insert = db.prepare(
      `insert into "${table}" (${names}) values (${columns.map(() => "?").join(", ")})`,
    );
    for (const row of rows) insert.run(...columns.map((each) => (row[each] ?? null) as string));
  }
}

test("users and keys come with their amounts, models and networks, and keys work", async () => {
  const users = await usersByName(at);
  const ada = users.get("ada") ?? {};
  expect([ada["quota_usd"], ada["used_usd"]]).toEqual([3, 1]);
  expect([...users.keys()].some((name) => name.startsWith("gone"))).toBe(false);
  const keys = await keysOf(at, number(ada, "id"));
  expect(keys.get("bound")).toMatchObject({
    models: ["gpt-4o-mini"],
    ip_ranges: ["127.0.0.1", "10.0.0.0/8"],
    quota_usd: 1,
    used_usd: 0.5,
  });
  await pointAtVendor(at, sandbox.url);

  expect(await callWith(at, `sk-${KEY}`, "gpt-4o-mini")).toBe(200);
  expect(await callWith(at, KEY, "gpt-4o-mini")).toBe(200);
  expect(await callWith(at, `sk-${BOUND_KEY}`, "deepseek-chat")).toBe(404);
});

test("prices come from the list of prices, also by pattern", async () => {
  const prices = new Map(
    (await listed(at, "/api/model")).map((each) => [
      text(each, "name"),
      objectOf(objectOf(each["override"])?.["price"]),
    ]),
  );
  expect(prices.get("gpt-4o-mini")).toMatchObject({
    input: 0.15,
    output: 0.6,
    cached_input: 0.075,
  });
  expect(prices.get("claude-3-5-sonnet-20241022")).toMatchObject({ input: 3, cached_input: 0.3 });
  expect(prices.get("dall-e-3")).toMatchObject({ image: 0.04 });
});

test("everything without a counterpart is named in the plan", () => {
  const said = JSON.stringify(plan);
  for (const each of [
    "Suno: Sluice does not speak the protocol",
    "the switches of the groups old",
    "'#' and a channel's id behind a key",
    "try the group default; here, none do",
    "Its setting custom_parameter has no counterpart here.",
  ])
    expect(said).toContain(each);
});

test("a database of one-hub is refused as one of its relatives, with the command that takes it", async () => {
  expect(await at.refusal("one-api", database)).toContain("sluice import one-hub");
  expect(await at.refusal("new-api", database)).toContain("sluice import one-hub");
});
