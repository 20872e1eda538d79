import { expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { readLitellm } from "./read-litellm.ts";

const NOW = Date.parse("2026-11-27T10:00:00Z");
const TOKEN = "a".repeat(64);

function read(input: Partial<Parameters<typeof readLitellm>[0]>) {
  return readLitellm({ env: {}, now: NOW, ...input });
}

function modelOf(params: JsonObject, more: JsonObject = {}) {
  const entry = { model_name: "m", litellm_params: params, ...more };
  const { channels, left } = read({ config: { model_list: [entry] } });
  return { channel: channels[0], left };
}

test.each([
  ["groq/llama-3.3-70b", "groq", "llama-3.3-70b"],
  ["together_ai/meta-llama/Llama-3-8b", "together", "meta-llama/Llama-3-8b"],
  ["vertex_ai/claude-sonnet-4-5", "vertex", "claude-sonnet-4-5"],
  ["claude-sonnet-4-5", "anthropic", "claude-sonnet-4-5"],
  ["o3-mini", "openai", "o3-mini"],
  ["text-embedding-3-large", "openai", "text-embedding-3-large"],
  ["perplexity/sonar", "openai-compatible", "sonar"],
])("%s is reached by the provider %s", (model, provider, upstream) => {
  const { channel } = modelOf({ model, api_key: "k", vertex_project: "p" });

  expect([channel?.fields["provider"], channel?.fields["models"]]).toEqual([
    provider,
    [{ name: "m", upstream }],
  ]);
});

test("an unknown provider is left, but one with an address is reached as compatible", () => {
  expect(modelOf({ model: "sagemaker/x", api_key: "k" }).left[0]?.why).toBe(
    "Sluice has no provider for it.",
  );
  expect(
    modelOf({ model: "unknown/x", api_base: "https://llm.example.com/v1" }).channel?.fields,
  ).toMatchObject({ provider: "openai-compatible", base_url: "https://llm.example.com/v1" });
});

test("an own provider outranks the word before the slash", () => {
  const { channel } = modelOf({
    model: "meta-llama/Llama-3",
    custom_llm_provider: "openrouter",
    api_key: "k",
  });

  expect(channel?.fields).toMatchObject({
    provider: "openrouter",
    models: [{ name: "m", upstream: "meta-llama/Llama-3" }],
  });
});

test("a service account in a file is read, and without it the channel is disabled", () => {
  const entry = {
    model_name: "m",
    litellm_params: {
      model: "vertex_ai/gemini-2.5-pro",
      vertex_project: "p",
      vertex_credentials: "/secrets/vertex.json",
    },
  };
  const config = { model_list: [entry] };
  const account = '{"type":"service_account"}';

  expect(read({ config }).channels).toMatchObject([{ isEnabled: false }]);
  expect(read({ config, readFile: () => account }).channels).toMatchObject([
    { isEnabled: true, fields: { api_keys: [account] } },
  ]);
});

test("an old database without budgets, credentials and totals is read", () => {
  const { keys, users } = read({
    tables: {
      LiteLLM_UserTable: [{ user_id: "u", spend: 1 }],
      LiteLLM_VerificationToken: [
        { token: TOKEN, key_name: "sk-...wxyz", user_id: "u", spend: 1, max_budget: 4, models: [] },
      ],
    },
  });

  expect(users).toMatchObject([{ name: "u", role: "user", spent: 1_000_000_000 }]);
  expect(keys).toMatchObject([
    {
      name: "key ...wxyz",
      secret: { sha256: TOKEN, last4: "wxyz" },
      quota: 4_000_000_000,
      spent: 1_000_000_000,
      models: ["*"],
      isEnabled: true,
    },
  ]);
});

test("logins of LiteLLM's own pages and keys of missing teams are left", () => {
  const { keys, left } = read({
    tables: {
      LiteLLM_VerificationToken: [
        { token: TOKEN, team_id: "litellm-dashboard", key_alias: "ui" },
        { token: "b".repeat(64), team_id: "gone", key_alias: "lost" },
      ],
    },
  });

  expect(keys).toEqual([]);
  expect(left.slice(0, 2).map(({ subject }) => subject)).toEqual(["key ui", "key lost"]);
});

test("a key for routes of the management alone is disabled", () => {
  const row = { token: TOKEN, key_alias: "k", allowed_routes: ["management_routes"] };
  const { keys } = read({ tables: { LiteLLM_VerificationToken: [row] } });

  expect(keys).toMatchObject([{ isEnabled: false }]);
});

test("names for models that LiteLLM's pages stored come before those of the file", () => {
  const entry = { model_name: "m", litellm_params: { model: "openai/m", api_key: "k" } };
  const { channels } = read({
    config: { model_list: [entry], router_settings: { model_group_alias: { old: "m" } } },
    tables: {
      LiteLLM_Config: [
        { param_name: "router_settings", param_value: { model_group_alias: { fresh: "m" } } },
      ],
    },
  });

  expect(channels[0]?.fields["models"]).toEqual(["m", { name: "fresh", upstream: "m" }]);
});

test("users with an id of a machine get the name of their address", () => {
  const id = "93173158-389d-47fa-883d-c7a498a15a84";
  const { users } = read({
    tables: { LiteLLM_UserTable: [{ user_id: id, user_email: "Ada.L@example.com" }] },
  });

  expect(users).toMatchObject([{ ref: id, name: "ada.l", email: "ada.l@example.com" }]);
});
