import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "#lib/json.ts";
import { listOf, objectOf, textOf } from "#lib/values.ts";
import { loadConfig } from "#config.ts";
import { readFileHead } from "#config/read-file-head.ts";
import { openScratchFolder } from "#test/scratch-folder.ts";
import { withShared } from "#test/shared.ts";
import { listed, modelsOf, objectsIn, text } from "./expected.ts";
import {
  loadSqlite,
  materialPath,
  openImporting,
  readExpected,
  type Importing,
} from "./importing.ts";

withShared("importers", () => {
  const folder = openScratchFolder();
  const expected = objectOf(readExpected("litellm.expected.json")["config_yaml"]) ?? {};
  const env = Object.fromEntries(
    listOf(expected["env"])
      .filter((name) => typeof name === "string")
      .map((name) => [name, valueOf(name)]),
  );
  let at: Importing;
  let litellm: JsonObject;
  let portkey: JsonObject;
  beforeAll(async () => {
    at = await openImporting(env);
    const config = materialPath("litellm.config.yaml");
    litellm = await at.run("litellm", config);
    await at.run("litellm", config, "--apply", text(litellm, "digest"));
    const configs = materialPath("portkey.config.json");
    portkey = await at.run("portkey", configs);
    await at.run("portkey", configs, "--apply", text(portkey, "digest"));
  });
  afterAll(async () => {
    await at[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  test("each entry of LiteLLM's model_list is a channel at its vendor", async () => {
    const channels = (await listed(at, "/api/channel")).slice(0, WANTED.length);
    const shown = channels.map((each) => [
      text(each, "name"),
      text(each, "provider"),
      ...modelsOf(each).map(([name, upstream]) => `${name}=${upstream}`),
    ]);

    expect(shown).toEqual(WANTED.map((each) => [...each]));
    expect(WANTED.length).toBe(objectsIn(expected, "entries").length);
  });

  test("order, weight, limits, time limits and credentials are those of the entries", async () => {
    const channels = new Map(
      (await listed(at, "/api/channel")).map((each) => [text(each, "name"), each]),
    );
    const fields = (name: string, ...names: string[]) =>
      names.map((each) => channels.get(name)?.[each] ?? null);

    expect(fields("gpt-4o", "weight", "limits", "timeout", "headers")).toEqual([
      0.001,
      { rpm: 500, tpm: 300_000 },
      { first_byte: "20s", total: "1m" },
      { set: { "openai-organization": "org-northgate" } },
    ]);
    expect(fields("gpt-4o-azure-eu", "weight", "priority", "base_url")).toEqual([
      2,
      0,
      "https://northgate-eu.openai.azure.example.com/openai/v1",
    ]);
    expect(fields("gpt-4o-2", "priority", "base_url")).toEqual([
      1,
      "https://northgate-us.openai.azure.example.com/openai/v1",
    ]);
    expect(fields("claude-haiku", "body")).toEqual([{ default: { temperature: 0.2 } }]);
    expect(fields("bedrock-sonnet", "options", "status")).toEqual([{ region: "eu-central-1" }, 1]);
    // Its credential is a file on another machine.
    expect(fields("vertex-gemini", "status")).toEqual([2]);
    expect(objectOf(channels.get("openrouter")?.["credentials"])?.["count"]).toBe(1);
  });

  test("the plan says which parts of LiteLLM's file are left, and why", () => {
    const said = JSON.stringify(litellm["left"]);

    for (const words of [
      "fallbacks, context_window_fallbacks, content_policy_fallbacks, default_fallbacks",
      "provider_budget_config",
      "default_internal_user_params",
      "proxy_batch_write_at",
      "LANGFUSE_HOST",
      "1 guardrails",
    ]) {
      expect(said).toContain(words);
    }
    expect(said).not.toContain("are not set where the import runs");
  });

  test("a variable that is not set is named, and its channel is disabled", async () => {
    await using other = await openImporting({ ...env, ANTHROPIC_API_KEY: "" });
    const plan = await other.run("litellm", materialPath("litellm.config.yaml"));

    expect(JSON.stringify(plan["left"])).toContain("variables ANTHROPIC_API_KEY");
    const sonnet = objectsIn(plan, "items").find(({ name }) => name === "claude-sonnet") ?? {};
    expect(JSON.stringify(sonnet["changes"])).toContain("disabled until you give it a credential");
  });

  test("a config of Portkey is a model with a channel for each target", async () => {
    const channels = (await listed(at, "/api/channel")).slice(WANTED.length);
    const shown = channels.map((each) => [
      text(each, "provider"),
      ...modelsOf(each).map(([name, upstream]) => `${name}=${upstream}`),
      each["priority"],
      each["weight"],
      each["status"],
    ]);

    expect(shown).toEqual([
      ["openai", "pc-main-3f1a02=gpt-4o", 0, 0.7, 2],
      ["azure-openai", "pc-main-3f1a02=gpt-4o-eu", 0, 0.3, 2],
      ["anthropic", "pc-main-3f1a02=claude-sonnet-4-5", 1, 1, 2],
      ["openai-compatible", "pc-main-3f1a02=meta-llama/Llama-3.1-8B-Instruct", 2, 1, 1],
      ["openai", "pc-tiers-90bb41=gpt-4o-mini", 0, 1, 2],
      ["mistral", "pc-single-0a0a0a=mistral-large-latest", 0, 1, 1],
    ]);
    const [first = {}, azure = {}] = channels;
    expect([first["limits"], first["body"], first["timeout"]]).toEqual([
      { rpm: 500, tpm: null },
      { set: { temperature: 0.3 } },
      { total: "30s" },
    ]);
    expect(azure["base_url"]).toBe("https://northgate-eu.openai.azure.com/openai/v1");
  });

  test("the plan names the parts of Portkey's configs that are left, and why", () => {
    const said = JSON.stringify([portkey["left"], portkey["items"]]);

    for (const words of [
      "retry, cache",
      "conditions for 2 targets",
      "sticky sessions",
      "@bedrock-eu",
      "@vertex-main",
      "API keys chat-backend, ben",
      "openai-prod-a1b2c3, azure-eu-d4e5f6, anthropic-main-778899",
      "channels have no budgets",
      "max_tokens is not set",
    ]) {
      expect(said).toContain(words);
    }
  });

  test("a second import of both files creates nothing", async () => {
    for (const [program, file] of [
      ["litellm", "litellm.config.yaml"],
      ["portkey", "portkey.config.json"],
    ] as const) {
      const again = await at.run(program, materialPath(file));
      const actions = objectsIn(again, "items").map((each) => each["action"]);
      expect([program, ...new Set(actions)]).toEqual([program, "present"]);
    }
  });

  test("a configuration of another gateway is refused with the command that imports it", () => {
    mkdirSync(folder.path, { recursive: true });
    const variables = join(folder.path, "new-api.env");
    writeFileSync(variables, "SQL_DSN=root:123456@tcp(localhost:3306)/new-api\nTZ=Asia/Shanghai\n");
    const database = loadSqlite("new-api.sqlite.sql", join(folder.path, "new-api.db"));

    expect(refusalOf(materialPath("litellm.config.yaml"))).toContain("sluice import litellm ");
    expect(refusalOf(variables)).toContain("sluice import new-api ");
    expect(refusalOf(database)).toContain(`sluice import new-api ${database}`);
    expect(refusalOf(configOf(materialPath("portkey.config.json"), folder.path))).toContain(
      "sluice import portkey ",
    );
  });
});

/** The entries of the file in their order: name, provider, and models with the vendor's names. */
const WANTED: readonly (readonly string[])[] = [
  ["gpt-4o", "openai", "gpt-4o=gpt-4o", "gpt-4=gpt-4o"],
  ["gpt-4o-azure-eu", "azure-openai", "gpt-4o=gpt-4o-eu", "gpt-4=gpt-4o-eu"],
  ["gpt-4o-2", "azure-openai", "gpt-4o=gpt-4o-us", "gpt-4=gpt-4o-us"],
  ["gpt-4o-mini", "openai", "gpt-4o-mini=gpt-4o-mini"],
  ["claude-sonnet", "anthropic", "claude-sonnet=claude-sonnet-4-5"],
  ["claude-haiku", "anthropic", "claude-haiku=claude-haiku-4-5", "secret-model=claude-haiku-4-5"],
  ["bedrock-sonnet", "bedrock", "bedrock-sonnet=eu.anthropic.claude-sonnet-4-5-20250929-v1:0"],
  ["gemini-flash", "gemini", "gemini-flash=gemini-2.5-flash"],
  ["vertex-gemini", "vertex", "vertex-gemini=gemini-2.5-pro"],
  ["mistral-large", "mistral", "mistral-large=mistral-large-latest"],
  ["local-llama", "vllm", "local-llama=meta-llama/Llama-3.1-8B-Instruct"],
  ["embed-small", "openai", "embed-small=text-embedding-3-small"],
  ["whisper", "openai", "whisper=whisper-1"],
  ["openrouter", "openrouter", "openrouter/*=*"],
  ["anthropic", "anthropic", "anthropic/*=*"],
];

function valueOf(name: string): string {
  if (name === "AZURE_API_BASE_EU") return "https://northgate-eu.openai.azure.example.com";
  return `made-up-${name.toLowerCase()}`;
}

function refusalOf(path: string): string {
  try {
    loadConfig({ env: { SLUICE_CONFIG: path }, readFile: readFileHead, knownProviders: [] });
    return "accepted";
  } catch (cause) {
    return cause instanceof Error ? cause.message : "";
  }
}

/** One of Portkey's configs as a file of its own. */
function configOf(path: string, folder: string): string {
  const [first = {}] = objectsIn(readExpected(path.split("/").at(-1) ?? ""), "data");
  const alone = join(folder, "portkey.json");
  writeFileSync(alone, textOf(first["config"]) ?? JSON.stringify(first["config"]));
  return alone;
}
