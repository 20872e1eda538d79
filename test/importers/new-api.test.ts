import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { isObject, type JsonObject } from "#lib/json.ts";
import { listOf, objectOf, textOf } from "#lib/values.ts";
import { openScratchFolder } from "#test/scratch-folder.ts";
import { withShared } from "#test/shared.ts";
import { waitFor } from "#test/wait.ts";
import {
  callWith,
  keysOf,
  ledgerFaults,
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
/** The root user here has this name. */
const RENAMED: Readonly<Record<string, string>> = { root: "root-new-api" };
/** Providers here by the names that the expected facts have for vendors. */
const PROVIDERS: Readonly<Record<string, string>> = {
  OpenAI: "openai",
  "Azure OpenAI": "azure-openai",
  Anthropic: "anthropic",
  Gemini: "gemini",
  "Vertex AI": "vertex",
  "AWS Bedrock": "bedrock",
  DeepSeek: "deepseek",
  "Ali (DashScope)": "dashscope",
  "VolcEngine (Doubao)": "ark",
  Moonshot: "moonshot",
  OpenRouter: "openrouter",
  "Custom (base_url is the whole URL)": "openai-compatible",
};

withShared("importers", () => {
  const expected = readExpected("new-api.expected.json");
  const owners = new Map(
    objectsIn(expected, "users").map((each) => [text(each, "username"), each]),
  );
  const folder = openScratchFolder();
  let at: Importing;
  let sandbox: Sandbox;
  let database: string;
  let plan: JsonObject;
  beforeAll(async () => {
    at = await openImporting();
    sandbox = await startSandbox();
    database = loadSqlite("new-api.sqlite.sql", join(folder.path, "new-api.db"));
    plan = await at.run("new-api", database);
    await at.run("new-api", database, "--apply", text(plan, "digest"));
  });
  afterAll(async () => {
    await at[Symbol.asyncDispose]();
    await sandbox.stop();
    folder[Symbol.dispose]();
  });

  const live = objectsIn(expected, "users").filter(({ deleted }) => deleted === false);

  test("users come with role, state, address, group, and the amounts left and spent", async () => {
    const users = await usersByName(at);
    const groups = await namesById(at, "/api/group");
    const shown = live.map((each) => {
      const user = users.get(nameHere(each)) ?? {};
      return {
        username: user["username"],
        display_name: user["display_name"],
        role: user["role"],
        status: user["status"],
        email: user["email"],
        group: groups.get(number(user, "group_id")),
        used: user["used_usd"],
        left: round(number(user, "quota_usd") - number(user, "used_usd")),
      };
    });

    expect(shown).toEqual(
      live.map((each) => ({
        username: nameHere(each),
        display_name: each["displayName"],
        role: ROLES[number(each, "role")],
        status: each["status"],
        email: each["email"],
        group: textOf(each["group"]),
        used: each["usedUsd"],
        left: number(each, "leftUsd"),
      })),
    );
  });

  test("a deleted user and a deleted key are left, and the plan says so", () => {
    const left = objectsIn(plan, "left").map((each) => text(each, "subject"));

    expect(left).toContain("users heidi");
    expect(left).toContain("key 15 (bob-deleted)");
  });

  test("keys come with their owner, state, expiry, models, networks, group and quota", async () => {
    const users = await usersByName(at);
    const groups = await namesById(at, "/api/group");
    const shown: JsonObject[] = [];
    const wanted: JsonObject[] = [];
    for (const token of objectsIn(expected, "tokens")) {
      if (token["deleted"] === true) continue;
      const owner = users.get(RENAMED[text(token, "owner")] ?? text(token, "owner")) ?? {};
      const key = (await keysOf(at, number(owner, "id"))).get(text(token, "name")) ?? {};
      shown.push({
        name: key["name"] ?? null,
        status: key["status"] ?? null,
        last4: key["last4"] ?? null,
        expires_at: key["expires_at"] ?? null,
        models: key["models"] ?? null,
        networks: key["ip_ranges"] ?? null,
        group: groups.get(number(key, "group_id")) ?? null,
        left:
          key["quota_usd"] === null
            ? null
            : round(number(key, "quota_usd") - number(key, "used_usd")),
        used: key["quota_usd"] === null ? 0 : (key["used_usd"] ?? null),
      });
      wanted.push({
        name: text(token, "name"),
        // The keys of a disabled user are disabled.
        status: owners.get(text(token, "owner"))?.["status"] === 2 ? 2 : (token["status"] ?? null),
        last4: text(token, "callerSends").slice(-4),
        expires_at:
          typeof token["expires"] === "string" ? Date.parse(token["expires"]) / 1_000 : null,
        models: token["allowedModels"] ?? ["*"],
        networks: token["allowedIps"] ?? null,
        group: groupHere(token),
        left: token["unlimited"] === true ? null : (token["remainUsd"] ?? null),
        used: token["unlimited"] === true ? 0 : (token["usedUsd"] ?? null),
      });
    }

    expect(shown).toEqual(wanted);
  });

  test("channels come with vendor, address, models, order, groups, credentials and state", async () => {
    const channels = new Map(
      (await listed(at, "/api/channel")).map((each) => [text(each, "name"), each]),
    );
    const groups = await listed(at, "/api/group");
    for (const wanted of objectsIn(expected, "channels")) {
      const name = text(wanted, "name");
      const channel = channels.get(name) ?? {};
      const parts = [...channels.keys()].filter((each) => each === name || each === `${name}-2`);
      const served = parts.flatMap((each) => modelsOf(channels.get(each) ?? {}));
      const mapping = objectOf(wanted["modelMapping"]) ?? {};
      const names = listOf(wanted["models"]).map(String);
      const isBedrock = wanted["type"] === 33;
      expect({
        name,
        provider: channel["provider"],
        status: channel["status"],
        models: served.map(([model]) => model).sort(),
        upstreams: isBedrock ? "its own" : Object.fromEntries(served),
        priority: number(channel, "priority"),
        weight: channel["weight"],
        credentials: number(objectOf(channel["credentials"]) ?? {}, "count"),
        groups: groups
          .filter((each) => listOf(each["channels"]).includes(name))
          .map((each) => text(each, "name"))
          .filter((each) => !each.includes(" for "))
          .sort(),
        tags: channel["tags"] ?? [],
        notes: channel["notes"] ?? null,
      }).toEqual({
        name,
        provider: PROVIDERS[text(wanted, "vendor")],
        status: wanted["status"] === 1 ? 1 : 2,
        models: [...names].sort(),
        upstreams: isBedrock
          ? "its own"
          : Object.fromEntries(names.map((each) => [each, textOf(mapping[each]) ?? each])),
        priority: 0 - number(wanted, "priority"),
        // A channel without a weight beside others with one gets the least share.
        weight: number(wanted, "weight") === 0 ? 0.001 : wanted["weight"],
        credentials: objectsIn(wanted, "keys").filter((each) => each["enabled"] === true).length,
        groups: listOf(wanted["groups"]).map(String).sort(),
        tags: typeof wanted["tag"] === "string" ? [wanted["tag"]] : [],
        notes: wanted["remark"] ?? null,
      });
    }
  });

  test("addresses, regions and changes of requests are those of the channels", async () => {
    const channels = new Map(
      (await listed(at, "/api/channel")).map((each) => [text(each, "name"), each]),
    );
    const field = (name: string, key: string) => channels.get(name)?.[key] ?? null;

    expect(field("azure-east", "base_url")).toBe("https://example-east.openai.azure.com/openai/v1");
    expect(field("deepseek", "base_url")).toBe("https://api.deepseek.com/v1");
    expect(field("moonshot", "base_url")).toBe("https://api.moonshot.cn/v1");
    expect(field("openrouter", "base_url")).toBe("https://openrouter.ai/api/v1");
    expect(field("custom-vllm", "base_url")).toBe("https://llm.example.com/v1");
    expect(field("openai-dead", "base_url")).toBe("https://proxy.example.com/v1");
    expect(field("openai-primary", "headers")).toEqual({
      set: { "openai-organization": "org-made-up" },
    });
    expect(field("anthropic", "headers")).toEqual({
      set: { "anthropic-beta": "prompt-caching-2024-07-31" },
    });
    expect(field("openrouter", "headers")).toEqual({ set: { "x-title": "Example" } });
    expect(field("ali-qwen", "body")).toEqual({
      set: { enable_thinking: false, temperature: 0.3 },
    });
    expect(field("custom-vllm", "system_prompt")).toBe("You are the example assistant.");
    expect(field("aws-bedrock", "options")).toEqual({ region: "us-east-1" });
    expect(field("vertex", "options")).toEqual({
      project: "example-project",
      location: "us-central1",
    });
    expect(field("vertex-2", "options")).toEqual({
      project: "example-project",
      location: "europe-west1",
    });
    expect(modelsOf(channels.get("aws-bedrock") ?? {})).toEqual([
      ["claude-sonnet-4-20250514", "us.anthropic.claude-sonnet-4-20250514-v1:0"],
    ]);
  });

  test("groups have their price factor, and pairs of groups a factor of their own", async () => {
    const factors = (await listed(at, "/api/group")).map((each) => [
      text(each, "name"),
      Number(each["price_factor"]),
    ]);

    const ratios = objectOf(objectOf(expected["groups"])?.["ratio"]) ?? {};
    expect(Object.fromEntries(factors)).toEqual({ ...ratios, "default for vip": 0.9 });
  });

  test("prices are those that calls cost there", async () => {
    const stored = new Map(
      (await listed(at, "/api/model")).map((each) => [
        text(each, "name"),
        objectOf(objectOf(each["override"])?.["price"]),
      ]),
    );
    const prices = objectOf(expected["prices"]) ?? {};
    for (const [model, wanted] of Object.entries(prices)) {
      if (!isObject(wanted)) continue;
      const price = stored.get(model) ?? {};
      if (typeof wanted["tieredExpr"] === "string") {
        expect(price).toMatchObject({ input: 1.5, output: 7.5, cached_input: 0.15 });
        expect(price["variants"]).toEqual([
          { when: { above_input_tokens: 200_000 }, input: 3, output: 11.25, cached_input: 0.3 },
        ]);
      } else if (model === "my-flat-model") {
        const left = objectsIn(plan, "left").map((each) => text(each, "subject"));
        expect(left).toContain("price of my-flat-model");
      } else if (typeof wanted["perCallUsd"] === "number") {
        expect([model, price["image"]]).toEqual([model, wanted["perCallUsd"]]);
      } else {
        expect([model, price["input"], price["cached_input"] ?? null]).toEqual([
          model,
          wanted["inputUsdPerMTok"],
          wanted["cacheReadUsdPerMTok"] ?? null,
        ]);
        expect(Number(price["output"])).toBeCloseTo(number(wanted, "outputUsdPerMTok"), 6);
        if (wanted["cacheWriteUsdPerMTok"] !== undefined) {
          expect(Number(price["cache_write"])).toBe(number(wanted, "cacheWriteUsdPerMTok"));
        }
      }
    }
  });

  test("the plan names options, codes, subscriptions and logs that are left", () => {
    const left = objectsIn(plan, "left").map((each) => text(each, "subject"));

    expect(left).toContain("the log of calls");
    expect(left).toContain("3 unused redemption codes");
    expect(left.some((each) => each.startsWith("1 subscriptions"))).toBe(true);
    const taken = new Set(["GroupRatio", "GroupGroupRatio", "CacheRatio", "ModelPrice"]);
    const options = left.find((each) => each.startsWith("options ")) ?? "";
    for (const name of ["SystemName", "UserUsableGroups", "TopupGroupRatio", "SensitiveWords"]) {
      expect(options).toContain(name);
    }
    for (const name of taken) expect(options.split(/[ ,]+/)).not.toContain(name);
  });

  describe("with a vendor that answers", () => {
    beforeAll(() => pointAtVendor(at, sandbox.url));

    test("each key that worked there works here as it is, and no other does", async () => {
      const outcomes: JsonObject = {};
      const wanted: JsonObject = {};
      for (const token of objectsIn(expected, "tokens")) {
        const name = text(token, "name");
        const status = await callWith(at, text(token, "callerSends"), modelFor(token));
        Object.assign(outcomes, { [name]: status === 200 });
        // This machine is not in the only network of that key.
        const isHere = name !== "bob-remote-ip";
        Object.assign(wanted, { [name]: token["mustWorkAfterImport"] === true && isHere });
      }

      expect(outcomes).toEqual(wanted);
    });

    test("a key works without the prefix too, and not with another ending", async () => {
      const [token = {}] = objectsIn(expected, "tokens");
      const stored = text(token, "keyStored");

      expect(await callWith(at, stored, "gpt-4o-mini")).toBe(200);
      expect(await callWith(at, `${stored}-1`, "gpt-4o-mini")).toBe(401);
      expect(await callWith(at, stored.slice(1), "gpt-4o-mini")).toBe(401);
    });

    test("a key of another group than its owner's uses that group's channels and price", async () => {
      const token = objectsIn(expected, "tokens").find(({ name }) => name === "bob-vip-lane") ?? {};
      await callWith(at, text(token, "callerSends"), "gpt-4o-mini");
      const groups = await namesById(at, "/api/group");
      let call: JsonObject | undefined;
      await waitFor(async () => {
        const calls = await listed(at, "/api/log?page_size=100");
        call = calls.find(({ token_name: key }) => key === "bob-vip-lane");
        return call !== undefined;
      });

      expect(groups.get(number(call ?? {}, "group_id"))).toBe("vip");
      const { input_tokens: input, output_tokens: output } = objectOf(call?.["usage"]) ?? {};
      const usual = (Number(input) * 0.15 + Number(output) * 0.6) / 1_000_000;
      expect(number(call ?? {}, "cost_usd")).toBeCloseTo(usual * 0.8, 9);
    });
  });

  test("the same import again creates nothing", async () => {
    const before = await usersByName(at);
    const again = await at.run("new-api", database);
    await at.run("new-api", database, "--apply", text(again, "digest"));

    const actions = objectsIn(again, "items").map((each) => each["action"]);
    expect(new Set(actions)).toEqual(new Set(["present"]));
    expect(actions.length).toBe(listOf(plan["items"]).length);
    expect((await usersByName(at)).size).toBe(before.size);
  });

  test("the ledger adds up, and the audit log has counts and no secret", async () => {
    expect(await ledgerFaults(at)).toEqual([]);
    const rows = JSON.stringify(await listed(at, "/api/audit?page_size=100"));

    expect(rows).toContain('"keys":24');
    for (const secret of ["sk-oai-made-up-0001", "made-up-secret-access-key"]) {
      expect(rows).not.toContain(secret);
    }
    for (const token of objectsIn(expected, "tokens")) {
      expect(rows).not.toContain(text(token, "keyStored"));
    }
  });

  test("a digest of another plan is refused, and so is a database of the other program", async () => {
    expect(await at.refusal("new-api", database, "--apply", "0".repeat(64))).toContain(
      "The plan is outdated",
    );
    expect(await at.refusal("one-api", database)).toContain("sluice import new-api");
    const misspelt = await at.refusal("new-api", "root:a-password@unix(/run/db)/new-api");
    expect(misspelt).toContain("There is no file with this name");
    expect(misspelt).not.toContain("a-password");
  });

  function nameHere(user: JsonObject): string {
    return RENAMED[text(user, "username")] ?? text(user, "username");
  }

  /** The group that a key has here, if it is not its owner's. */
  function groupHere(token: JsonObject): string | null {
    const given = textOf(token["group"]);
    const own = textOf(owners.get(text(token, "owner"))?.["group"]);
    if (given === undefined) return null;
    const chosen = given === "auto" ? textOf(listOf(token["autoGroups"])[0]) : given;
    if (chosen === own) return null;
    return own === "vip" && chosen === "default" ? "default for vip" : (chosen ?? null);
  }

  function modelFor(token: JsonObject): string {
    const [allowed] = listOf(token["allowedModels"]);
    if (typeof allowed === "string") return allowed;
    const group = groupHere(token) ?? textOf(owners.get(text(token, "owner"))?.["group"]);
    return group === "team-blue" ? "gemini-2.5-flash" : "gpt-4o-mini";
  }
});
