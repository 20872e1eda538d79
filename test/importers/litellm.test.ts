import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import type { JsonObject } from "#lib/json.ts";
import { listOf, numberOf, objectOf, textOf } from "#lib/values.ts";
import { isPostgresReachable, openScratchDatabase } from "#test/scratch-database.ts";
import { withShared } from "#test/shared.ts";
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
import { openImporting, readExpected, type Importing } from "./importing.ts";
import { loadPostgres } from "./postgres-dump.ts";

const ROLES: Readonly<Record<string, string>> = {
  proxy_admin: "admin",
  proxy_admin_viewer: "auditor",
};
/** Spans of LiteLLM and the budgets here. */
const PERIODS: Readonly<Record<string, string>> = {
  "1d": "day",
  "24h": "day",
  "7d": "week",
  "30d": "month",
  "1mo": "month",
};

withShared("importers", () => {
  describe.skipIf(!isPostgresReachable)("LiteLLM's database", () => {
    const expected = readExpected("litellm.expected.json");
    let at: Importing;
    let sandbox: Sandbox;
    let database: { readonly url: string } & AsyncDisposable;
    let plan: JsonObject;
    beforeAll(async () => {
      database = await openScratchDatabase({ isEmpty: true });
      await loadPostgres("litellm.pg.sql", database.url);
      at = await openImporting({ LITELLM_SALT_KEY: saltIn(expected) });
      sandbox = await startSandbox();
      plan = await at.run("litellm", "--database", database.url);
      await at.run("litellm", "--database", database.url, "--apply", text(plan, "digest"));
    });
    afterAll(async () => {
      await at[Symbol.asyncDispose]();
      await sandbox.stop();
      await database[Symbol.asyncDispose]();
    });

    test("users come with role, address, limits, budgets and the amount spent", async () => {
      const users = await usersByName(at);
      const groups = new Map(
        (await listed(at, "/api/group")).map((each) => [number(each, "id"), each]),
      );
      for (const wanted of objectsIn(expected, "users")) {
        const user = users.get(text(wanted, "user_id")) ?? {};
        const group = groups.get(number(user, "group_id")) ?? {};
        expect({
          id: user["username"],
          name: user["display_name"],
          role: user["role"],
          email: user["email"],
          status: user["status"],
          used: user["used_usd"],
          quota: user["quota_usd"],
          limits: [group["rpm"] ?? null, group["tpm"] ?? null, group["concurrency"] ?? null],
          budget: budgetsIn(user),
        }).toEqual({
          id: wanted["user_id"],
          name: wanted["user_alias"] ?? wanted["user_email"] ?? wanted["user_id"],
          role: ROLES[text(wanted, "user_role")] ?? "user",
          email: wanted["user_email"] ?? null,
          status: 1,
          used: round(number(wanted, "spend")),
          quota: null,
          limits: [
            wanted["rpm_limit"] ?? null,
            wanted["tpm_limit"] ?? null,
            wanted["max_parallel_requests"] ?? null,
          ],
          budget: budgetFor(wanted),
        });
      }
    });

    test("teams come with budgets, warnings, spending and members", async () => {
      const teams = new Map(
        (await listed(at, "/api/team")).map((each) => [text(each, "name"), each]),
      );
      for (const wanted of objectsIn(expected, "teams")) {
        const team = teams.get(text(wanted, "team_alias")) ?? {};
        expect([text(wanted, "team_alias"), budgetsIn(team), team["quota_usd"]]).toEqual([
          text(team, "name"),
          budgetFor(wanted),
          null,
        ]);
        const members = await listed(at, `/api/team/${number(team, "id")}/member`);
        const owners = members
          .filter(({ role }) => role === "owner")
          .map((each) => text(each, "username"));
        expect([text(wanted, "team_alias"), owners]).toEqual([
          text(wanted, "team_alias"),
          text(wanted, "team_id") === "team-platform" ? ["u-dev"] : [],
        ]);
      }
      const homes = await homesOf(at);
      // Here a user is in one team: the one that the user leads, or the first.
      expect(homes).toMatchObject({
        "u-ben": "Research",
        "u-chloe": "Platform",
        "u-dev": "Platform",
        "u-eva": "Customer Support",
        "u-finn": "Customer Support",
        "u-hugo": "Archive",
      });
      expect(homes["default_user_id"]).toBeUndefined();
    });

    test("budgets of members bind them in the name of their team", async () => {
      const members = plannedOf(plan, "members").map((each) => each["ref"]);

      const wanted = objectsIn(expected, "teams").flatMap((team) =>
        objectsIn(team, "memberships")
          .filter((each) => typeof each["max_budget"] === "number")
          .map((each) => `${text(team, "team_id")} ${text(each, "user_id")}`),
      );
      expect(members.map(String).sort()).toEqual(wanted.sort());
    });

    test("keys come with owner, team, models, expiry, limits, budgets and spending", async () => {
      const users = await usersByName(at);
      const planned = plannedOf(plan, "keys");
      for (const wanted of objectsIn(expected, "keys")) {
        const alias = textOf(wanted["key_alias"]) ?? `key ...${text(wanted, "key").slice(-4)}`;
        const owner = users.get(ownerOf(wanted, alias)) ?? {};
        const key = (await keysOf(at, number(owner, "id"))).get(alias) ?? {};
        const { changes } = planned.find((each) => each["name"] === alias) ?? {};
        const referred = budgetRow(expected, wanted["budget_id"]);
        const expires = textOf(wanted["expires"]);
        expect({
          alias,
          last4: key["last4"],
          expires: key["expires_at"],
          models: key["models"],
          rpm: key["rpm"],
          tpm: key["tpm"],
          concurrency: key["concurrency"],
          endpoints: key["endpoints"],
          quota: key["quota_usd"],
          budget: budgetsIn(key),
          isEnabled: key["status"] !== 2,
        }).toEqual({
          alias,
          last4: text(wanted, "key").slice(-4),
          expires: expires === undefined ? null : Math.floor(Date.parse(`${expires}Z`) / 1_000),
          models: MODELS[alias] ?? wanted["models"] ?? ["*"],
          rpm: wanted["rpm_limit"] ?? referred["rpm_limit"] ?? null,
          tpm: wanted["tpm_limit"] ?? referred["tpm_limit"] ?? null,
          concurrency: wanted["max_parallel_requests"] ?? referred["max_parallel_requests"] ?? null,
          endpoints: alias === "routes-limited" ? ["text"] : null,
          quota:
            wanted["max_budget"] !== undefined && wanted["budget_duration"] === undefined
              ? number(wanted, "max_budget")
              : null,
          budget: budgetFor({ ...referred, ...wanted }),
          isEnabled: !["hugo-blocked", "archive-old"].includes(alias),
        });
        const said = JSON.stringify(changes ?? []);
        for (const [field, words] of NAMED) {
          if (wanted[field] !== undefined)
            expect([alias, field, said]).toEqual([alias, field, expect.stringContaining(words)]);
        }
      }
    });

    test("models become channels with opened credentials, limits and order", async () => {
      const channels = new Map(
        (await listed(at, "/api/channel")).map((each) => [text(each, "name"), each]),
      );
      for (const wanted of objectsIn(expected, "models")) {
        const id = text(wanted, "model_id");
        const params = objectOf(wanted["litellm_params"]) ?? {};
        const channel = channels.get(id) ?? {};
        const [provider, upstream] = REACHED[id] ?? ["", ""];
        const limits = objectOf(channel["limits"]) ?? {};
        expect({
          id,
          provider: channel["provider"],
          models: modelsOf(channel),
          status: channel["status"],
          rpm: limits["rpm"] ?? null,
          tpm: limits["tpm"] ?? null,
          weight: channel["weight"],
          label: listOf(objectOf(channel["credentials"])?.["labels"]),
        }).toEqual({
          id,
          provider,
          models: [[text(wanted, "model_name"), upstream]],
          status: 1,
          rpm: params["rpm"] ?? null,
          tpm: params["tpm"] ?? null,
          // Only weighted deployments of a model are drawn there.
          weight: numberOf(params["weight"]) ?? (id === "m-gpt4o-openai" ? 0.001 : 1),
          label: LABELS[id] ?? [expect.any(String)],
        });
      }
      expect(channels.get("m-gpt4o-azure")?.["base_url"]).toBe(
        "https://northgate-eu.openai.azure.example.com/openai/v1",
      );
      expect(channels.get("m-llama")?.["base_url"]).toBe("http://llama.example.com:8000/v1");
      expect(channels.get("m-openrouter")?.["base_url"]).toBe(
        "https://openrouter.example.com/api/v1",
      );
      expect(channels.get("m-bedrock")?.["options"]).toEqual({ region: "eu-central-1" });
      expect(channels.get("m-vertex")?.["options"]).toEqual({
        project: "northgate-ml",
        location: "europe-west4",
      });
      expect(channels.get("m-sonnet")?.["timeout"]).toEqual({ total: "2m" });
    });

    test("prices that models name are taken, also those of nothing", async () => {
      const prices = new Map(
        (await listed(at, "/api/model")).map((each) => [
          text(each, "name"),
          objectOf(objectOf(each["override"])?.["price"]),
        ]),
      );

      expect(prices.get("gpt-4o-mini")).toMatchObject({ input: 0.15, output: 0.6 });
      expect(prices.get("local-llama")).toMatchObject({ input: 0, output: 0 });
    });

    test("the plan names organizations, customers, logs and logins that are left", () => {
      const left = objectsIn(plan, "left").map(
        (each) => `${text(each, "subject")}: ${text(each, "why")}`,
      );
      const said = left.join("\n");

      for (const each of objectsIn(expected, "organizations")) {
        expect(said).toContain(`organization ${text(each, "organization_alias")}`);
      }
      for (const each of objectsIn(expected, "customers"))
        expect(said).toContain(text(each, "user_id"));
      expect(said).toContain("the log of calls");
      expect(said).toContain("the master key");
    });

    test("without the salt key the models are left, and the plan says why", async () => {
      await using other = await openImporting({ LITELLM_SALT_KEY: "another key" });
      const blind = await other.run("litellm", "--database", database.url);

      expect(plannedOf(blind, "channels")).toEqual([]);
      expect(JSON.stringify(blind["left"])).toContain("Set LITELLM_SALT_KEY");
    });

    describe("with a vendor that answers", () => {
      beforeAll(() => pointAtVendor(at, sandbox.url));

      test("each key that worked there works here as it is, and no other does", async () => {
        const outcomes: JsonObject = {};
        const wanted: JsonObject = {};
        for (const key of objectsIn(expected, "keys")) {
          const alias = textOf(key["key_alias"]) ?? "without a name";
          const status = await callWith(at, text(key, "key"), CALLED[alias] ?? "gpt-4o-mini");
          Object.assign(outcomes, { [alias]: status === 200 });
          // Vectors are no chat, but the call gets as far as the vendor.
          Object.assign(wanted, { [alias]: key["usable"] === "yes" });
        }

        expect(outcomes).toEqual(wanted);
      });

      test("the digest that LiteLLM stores is no key", async () => {
        const [key = {}] = objectsIn(expected, "keys");

        expect(await callWith(at, text(key, "token"), "gpt-4o-mini")).toBe(401);
        expect(await callWith(at, `sha256:${text(key, "token")}`, "gpt-4o-mini")).toBe(401);
        expect(await callWith(at, text(key, "key").slice(3), "gpt-4o-mini")).toBe(401);
      });
    });

    test("the ledger adds up, with the amounts spent before", async () => {
      expect(await ledgerFaults(at)).toEqual([]);
    });

    test("the same import again creates nothing", async () => {
      const again = await at.run("litellm", "--database", database.url);
      await at.run("litellm", "--database", database.url, "--apply", text(again, "digest"));

      const actions = objectsIn(again, "items").map((each) => each["action"]);
      expect(new Set(actions)).toEqual(new Set(["present"]));
    });
  });
});

/** What each model needs at its vendor. */
const REACHED: Readonly<Record<string, readonly [provider: string, upstream: string]>> = {
  "m-gpt4o-openai": ["openai", "gpt-4o"],
  "m-gpt4o-azure": ["azure-openai", "gpt-4o-eu"],
  "m-gpt4omini": ["openai", "gpt-4o-mini"],
  "m-sonnet": ["anthropic", "claude-sonnet-4-5"],
  "m-gemini": ["gemini", "gemini-2.0-flash"],
  "m-bedrock": ["bedrock", "anthropic.claude-3-5-sonnet-20241022-v2:0"],
  "m-vertex": ["vertex", "gemini-1.5-pro"],
  "m-llama": ["openai-compatible", "meta-llama/Llama-3.1-8B-Instruct"],
  "m-embed": ["openai", "text-embedding-3-small"],
  "m-openrouter": ["openrouter", "*"],
};
const LABELS: Readonly<Record<string, readonly string[]>> = {
  "m-gpt4o-openai": ["...0001"],
  "m-gpt4o-azure": ["...0002"],
  "m-sonnet": ["...0003"],
  "m-gemini": ["...0004"],
  "m-bedrock": ["...0005"],
  "m-openrouter": ["...0010"],
  "m-llama": [],
};

/** What a key may use with its team's, member's or user's list. */
const MODELS: Readonly<Record<string, readonly string[]>> = {
  "ben-notebook": ["gpt-4o", "claude-sonnet", "gemini-flash"],
  "eva-view": ["gpt-4o-mini"],
  "group-access": ["local-llama"],
  // Its user may use no model outside of teams.
  "hugo-blocked": ["none"],
};
const CALLED: Readonly<Record<string, string>> = {
  "ben-notebook": "gpt-4o",
  "chloe-research": "claude-sonnet",
  "svc-ingest": "embed-small",
  "embed-only": "embed-small",
  wildcard: "openrouter/any",
  "group-access": "local-llama",
};

/** Members of a key without a counterpart, with words of the plan about them. */
const NAMED: readonly (readonly [field: string, words: string])[] = [
  ["aliases", "names for models"],
  ["model_max_budget", "budgets of single models"],
  ["organization_id", "organization"],
  ["rotation_interval", "rotate"],
  ["allowed_routes", "routes"],
];

function saltIn(expected: JsonObject): string {
  return textOf(objectOf(expected["about"])?.["salt_key"]) ?? "";
}

function plannedOf(plan: JsonObject, kind: string): readonly JsonObject[] {
  return objectsIn(plan, "items").filter((each) => each["kind"] === kind);
}

function budgetRow(expected: JsonObject, id: unknown): JsonObject {
  return objectsIn(expected, "budgets").find((each) => each["budget_id"] === id) ?? {};
}

/** The budgets of an object here: what may be spent, from where it warns, and what was spent. */
function budgetsIn(shown: JsonObject): readonly JsonObject[] {
  return objectsIn(shown, "budgets")
    .map((each) => ({
      period: each["period"] ?? null,
      amount: each["amount_usd"] ?? null,
      warn: each["warn_usd"] ?? null,
      used: each["used_usd"] ?? null,
    }))
    .sort((one, other) => text(one, "period").localeCompare(text(other, "period")));
}

/** The same as LiteLLM has it; what was spent before the last start does not count. */
function budgetFor(wanted: JsonObject): readonly JsonObject[] {
  const several = objectsIn(wanted, "budget_limits");
  const all = several.length > 0 ? several : [wanted];
  return all
    .flatMap((each) => {
      const period = PERIODS[text(each, "budget_duration")];
      if (period === undefined) return [];
      const resets = Date.parse(
        zoned(textOf(each["budget_reset_at"]) ?? textOf(each["reset_at"]) ?? ""),
      );
      return [
        {
          period,
          amount: each["max_budget"] ?? null,
          warn: each["soft_budget"] ?? null,
          used: resets > Date.now() ? round(number(wanted, "spend")) : 0,
        },
      ];
    })
    .sort((one, other) => one.period.localeCompare(other.period));
}

function zoned(time: string): string {
  return /Z|[+-]\d\d:\d\d$/.test(time) ? time : `${time}Z`;
}

function ownerOf(key: JsonObject, alias: string): string {
  const user = textOf(key["user_id"]);
  if (user !== undefined) return user;
  return key["team_id"] === undefined ? "default_user_id" : alias;
}

async function homesOf(at: Importing): Promise<Readonly<Record<string, string | undefined>>> {
  const teams = await namesById(at, "/api/team");
  const users = await listed(at, "/api/user");
  return Object.fromEntries(
    users.map((each) => [text(each, "username"), teams.get(number(each, "team_id"))]),
  );
}
