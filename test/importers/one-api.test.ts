import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import type { JsonObject } from "#lib/json.ts";
import { listOf, objectOf, textOf } from "#lib/values.ts";
import { openScratchFolder } from "#test/scratch-folder.ts";
import { withShared } from "#test/shared.ts";
import {
  callWith,
  keysOf,
  listed,
  modelsOf,
  namesById,
  number,
  objectsIn,
  pointAtVendor,
  round,
  text,
  usersByName,
} from "./expected.ts";
import { loadSqlite, openImporting, readExpected, type Importing } from "./importing.ts";

const ROLES: Readonly<Record<number, string>> = { 1: "user", 10: "admin", 100: "admin" };
const DELETED = 3;
const UNITS = 500_000;
/** one-api numbers vendors from 26 up otherwise than new-api. */
const PROVIDERS: Readonly<Record<string, string>> = {
  OpenAI: "openai",
  "Azure OpenAI": "azure-openai",
  Anthropic: "anthropic",
  Gemini: "gemini",
  "Vertex AI": "vertex",
  "AWS Claude": "bedrock",
  DeepSeek: "deepseek",
  "Ali (DashScope)": "dashscope",
  Doubao: "ark",
  Moonshot: "moonshot",
  OpenRouter: "openrouter",
  "OpenAI compatible": "openai-compatible",
};

withShared("importers", () => {
  const expected = readExpected("one-api.expected.json");
  const users = objectsIn(expected, "users").filter(({ status }) => status !== DELETED);
  const tokens = objectsIn(expected, "tokens");
  const folder = openScratchFolder();
  let at: Importing;
  let sandbox: Sandbox;
  let database: string;
  let plan: JsonObject;
  beforeAll(async () => {
    at = await openImporting();
    sandbox = await startSandbox();
    database = loadSqlite("one-api.sqlite.sql", join(folder.path, "one-api.db"));
    plan = await at.run("one-api", database);
    await at.run("one-api", `${database}?_busy_timeout=5000`, "--apply", text(plan, "digest"));
  });
  afterAll(async () => {
    await at[Symbol.asyncDispose]();
    await sandbox.stop();
    folder[Symbol.dispose]();
  });

  test("users come with role, state, group, and the amounts left and spent", async () => {
    const found = await usersByName(at);
    const groups = await namesById(at, "/api/group");
    for (const wanted of users) {
      const user = found.get(nameHere(text(wanted, "username"))) ?? {};
      // No account here has a billion dollars: such a user has no quota.
      const isBoundless = number(wanted, "leftUsd") > 9_007_199;
      expect({
        name: user["username"],
        role: user["role"],
        status: user["status"],
        email: user["email"],
        group: groups.get(number(user, "group_id")),
        used: user["used_usd"],
        left:
          user["quota_usd"] === null
            ? null
            : round(number(user, "quota_usd") - number(user, "used_usd")),
      }).toEqual({
        name: nameHere(text(wanted, "username")),
        role: ROLES[number(wanted, "role")],
        status: wanted["status"],
        email: wanted["email"],
        group: textOf(wanted["group"]),
        used: wanted["usedUsd"],
        left: isBoundless ? null : number(wanted, "leftUsd"),
      });
    }
    expect(found.has("deleted_7dc581e243594578b9355bc526aeaa44")).toBe(false);
  });

  test("keys come with owner, expiry, models, networks and quota", async () => {
    const found = await usersByName(at);
    for (const wanted of tokens) {
      const owner = text(wanted, "owner");
      if (owner.startsWith("deleted_")) continue;
      const key =
        (await keysOf(at, number(found.get(nameHere(owner)) ?? {}, "id"))).get(
          text(wanted, "name"),
        ) ?? {};
      const isUnlimited = wanted["unlimited"] === true;
      expect({
        name: key["name"],
        last4: key["last4"],
        expires: key["expires_at"],
        models: key["models"],
        networks: key["ip_ranges"],
        used: isUnlimited ? null : key["used_usd"],
        left: isUnlimited
          ? key["quota_usd"]
          : round(number(key, "quota_usd") - number(key, "used_usd")),
      }).toEqual({
        name: wanted["name"],
        last4: text(wanted, "callerSends").slice(-4),
        expires:
          typeof wanted["expires"] === "string" ? Date.parse(wanted["expires"]) / 1_000 : null,
        models: wanted["allowedModels"] ?? ["*"],
        networks: wanted["allowedSubnets"] ?? null,
        used: isUnlimited ? null : round(number(wanted, "usedQuota") / UNITS),
        left: isUnlimited ? null : wanted["remainUsd"],
      });
    }
  });

  test("channels come with the vendors of one-api's own numbers", async () => {
    const channels = await listed(at, "/api/channel");
    const groups = await listed(at, "/api/group");
    for (const [index, wanted] of objectsIn(expected, "channels").entries()) {
      const channel = channels.find(({ id }) => id === index + 1) ?? {};
      const name = text(channel, "name");
      const mapping = objectOf(wanted["modelMapping"]) ?? {};
      const models = listOf(wanted["models"]).map(String);
      expect({
        name: name.replace(/-2$/, ""),
        provider: channel["provider"],
        status: channel["status"],
        models: modelsOf(channel),
        priority: channel["priority"],
        weight: channel["weight"],
        prompt: channel["system_prompt"],
        groups: groups
          .filter((each) => listOf(each["channels"]).includes(name))
          .map((each) => text(each, "name"))
          .sort(),
      }).toEqual({
        name: text(wanted, "name"),
        provider: PROVIDERS[text(wanted, "vendor")],
        status: wanted["status"] === 1 ? 1 : 2,
        models: models.map((each) => [
          each,
          wanted["type"] === 33
            ? "anthropic.claude-3-5-sonnet-20241022-v2:0"
            : (textOf(mapping[each]) ?? each),
        ]),
        priority: 0 - number(wanted, "priority"),
        weight: wanted["weight"],
        prompt: wanted["systemPrompt"] ?? null,
        groups: listOf(wanted["groups"]).map(String).sort(),
      });
    }
    const field = (id: number, key: string) => channels.find((each) => each["id"] === id)?.[key];
    expect(field(4, "base_url")).toBe("https://example-east.openai.azure.com/openai/v1");
    expect(field(7, "options")).toEqual({ region: "us-east-1" });
    expect(field(8, "options")).toEqual({ project: "example-project", location: "us-central1" });
    expect(field(14, "base_url")).toBe("https://llm.example.com/v1");
  });

  test("groups have their price factor", async () => {
    const factors = (await listed(at, "/api/group")).map((each) => [
      text(each, "name"),
      Number(each["price_factor"]),
    ]);

    expect(Object.fromEntries(factors)).toEqual(objectOf(expected["groups"]) ?? {});
  });

  test("the plan names deleted users with their keys, codes and logs", () => {
    const said = objectsIn(plan, "left").map((each) => text(each, "subject"));

    expect(said).toContain("users deleted_7dc581e243594578b9355bc526aeaa44");
    expect(said).toContain("key 8 (default)");
    expect(said).toContain("1 unused redemption codes");
    expect(said).toContain("the log of calls");
  });

  describe("with a vendor that answers", () => {
    beforeAll(() => pointAtVendor(at, sandbox.url));

    test("each key that worked there works here as it is, and no other does", async () => {
      const outcomes: JsonObject = {};
      const wanted: JsonObject = {};
      for (const token of tokens) {
        const [allowed = "gpt-4o"] = listOf(token["allowedModels"]).map(String);
        const group = textOf(users.find(({ username }) => username === token["owner"])?.["group"]);
        const model = allowed === "gpt-4o" && group === "svip" ? "my-local-model" : allowed;
        const name = `${text(token, "owner")} ${text(token, "name")}`;
        const status = await callWith(at, text(token, "callerSends"), model);
        Object.assign(outcomes, { [name]: status === 200 });
        // This machine is not in the only network of that key.
        const isHere = token["name"] !== "bob-remote";
        Object.assign(wanted, { [name]: token["mustWorkAfterImport"] === true && isHere });
      }

      expect(outcomes).toEqual(wanted);
    });
  });

  test("the same import again creates nothing", async () => {
    const again = await at.run("one-api", database);
    await at.run("one-api", database, "--apply", text(again, "digest"));

    const actions = objectsIn(again, "items").map((each) => each["action"]);
    expect(new Set(actions)).toEqual(new Set(["present"]));
  });

  function nameHere(name: string): string {
    return name === "root" ? "root-one-api" : name;
  }
});
