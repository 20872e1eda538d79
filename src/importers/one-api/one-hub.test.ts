import { expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { programOf, readOneApi } from "./read-one-api.ts";

const CHANNEL: JsonObject = {
  id: 1,
  type: 1,
  key: "sk-x",
  status: 1,
  name: "main",
  models: "gpt-4o",
  proxy: "",
};

test("one-hub is known by its own columns", () => {
  expect(programOf({ channels: [CHANNEL] })).toBe("one-hub");
  expect(programOf({ tokens: [{ id: 1, backup_group: "" }] })).toBe("one-hub");
  expect(programOf({ channels: [{ id: 1, auto_ban: 1 }] })).toBe("new-api");
  expect(programOf({ channels: [{ id: 1, config: "" }] })).toBe("one-api");
});

test("one-hub numbers vendors in its own way, and orders the parts of credentials otherwise", () => {
  const fieldsOf = (more: JsonObject) =>
    readOneApi("one-hub", { channels: [{ ...CHANNEL, ...more }] }).channels.map(
      ({ fields }) => fields,
    );

  expect(fieldsOf({ type: 25 })).toMatchObject([{ provider: "gemini" }]);
  expect(fieldsOf({ type: 31 })).toMatchObject([{ provider: "groq" }]);
  expect(fieldsOf({ type: 32, key: "eu-west-1|AKIA|secret" })).toMatchObject([
    { provider: "bedrock", api_keys: ["AKIA:secret"], options: { region: "eu-west-1" } },
  ]);
  expect(fieldsOf({ type: 32, key: "eu-west-1|api-key" })).toEqual([]);
  expect(fieldsOf({ type: 42, key: "{}", other: "us-central1|p-1" })).toMatchObject([
    { provider: "vertex", options: { project: "p-1", location: "us-central1" } },
  ]);
  expect(fieldsOf({ type: 35, key: "account|token" })).toMatchObject([
    {
      base_url: "https://api.cloudflare.com/client/v4/accounts/account/ai/v1",
      api_keys: ["token"],
    },
  ]);
  const base_url = "https://dashscope.aliyuncs.com/compatible-mode/";
  expect(fieldsOf({ type: 17, base_url })).toMatchObject([
    { base_url: "https://dashscope.aliyuncs.com/compatible-mode/v1" },
  ]);
  // Azure's deployments keep their dots.
  const azure = { type: 3, base_url: "https://x.openai.azure.com", models: "gpt-4.1" };
  expect(fieldsOf(azure)).toMatchObject([{ models: ["gpt-4.1"] }]);
});

test("headers and forced members become overrides, and other members are named", () => {
  const [forced, plain] = ['{"overwrite":true,"user":"x"}', '{"user":"x"}'].map(
    (custom_parameter) =>
      readOneApi("one-hub", {
        channels: [{ ...CHANNEL, custom_parameter, model_headers: '{"x-a":"b"}' }],
      }).channels[0],
  );

  expect(forced?.fields).toMatchObject({
    headers: { set: { "x-a": "b" } },
    body: { set: { user: "x" } },
  });
  expect(plain?.fields).not.toHaveProperty("body");
  expect(plain?.changes).toEqual(["Its setting custom_parameter has no counterpart here."]);
});

test("prices of one-hub are taken by name before pattern, with their factors", () => {
  const price = (more: JsonObject): JsonObject => ({
    type: "tokens",
    input: 1,
    output: 2,
    ...more,
  });
  const { models, left } = readOneApi("one-hub", {
    channels: [{ ...CHANNEL, models: "gpt-4o,gpt-4o-audio,claude-x,free,unknown" }],
    prices: [
      price({ model: "gpt-*", input: 9 }),
      price({ model: "gpt-4o", extra_ratios: { cached_tokens: 0.5 } }),
      price({
        model: "gpt-4o-a*",
        extra_ratios: { input_audio_tokens: 20, output_audio_tokens: 10 },
      }),
      price({ model: "claude-x" }),
      price({ model: "free", input: 0, output: 5 }),
    ],
  });

  expect(Object.fromEntries(models.map(({ name, fields }) => [name, fields]))).toMatchObject({
    "gpt-4o": { input: "2", output: "4", cached_input: "1" },
    "gpt-4o-audio": { input: "2", output: "4", audio_input: "40", audio_output: "40" },
    "claude-x": { cached_input: "0.2", cache_write: "2.5" },
  });
  expect(left.map(({ subject }) => subject)).toContain("prices of free, unknown");
});

test("groups come from their table, with factor and rate", () => {
  const { groups } = readOneApi("one-hub", {
    channels: [CHANNEL],
    options: [{ key: "GroupRatio", value: '{"vip":9}' }],
    user_groups: [
      { symbol: "default", ratio: 1, api_rate: 0, enable: 1 },
      { symbol: "vip", ratio: "0.80", api_rate: 60, enable: true },
    ],
  });

  expect(groups).toMatchObject([
    { ref: "default", fields: {} },
    { ref: "vip", fields: { price_factor: "0.8", limits: { rpm: 60 } } },
  ]);
});
