import { expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { programOf, readOneApi } from "./read-one-api.ts";

const USER: JsonObject = { id: 1, username: "Ada L", role: 1, status: 1, quota: 500_000 };
const TOKEN: JsonObject = {
  id: 1,
  user_id: 1,
  key: "abc123",
  status: 1,
  name: "k",
  unlimited_quota: 1,
};
const CHANNEL: JsonObject = {
  id: 1,
  type: 1,
  key: "sk-x",
  status: 1,
  name: "main",
  models: "gpt-4o",
};

test("an old version without groups, tags and multiple keys is read", () => {
  const { channels, users, keys, groups } = readOneApi("new-api", {
    channels: [CHANNEL],
    users: [USER],
    tokens: [TOKEN],
  });

  expect(channels).toMatchObject([{ name: "main", isEnabled: true, changes: [] }]);
  expect(users).toMatchObject([{ name: "ada-l", quota: 1_000_000_000, group: "default" }]);
  expect(keys).toMatchObject([
    { secret: { text: "sk-abc123", isPrefixOptional: true }, models: ["*"] },
  ]);
  expect(groups).toMatchObject([{ ref: "default", channels: ["1"] }]);
});

test("types of channels that no known version has are left, with the number", () => {
  const { channels, left } = readOneApi("new-api", { channels: [{ ...CHANNEL, type: 4711 }] });

  expect(channels).toEqual([]);
  expect(left[0]).toEqual({
    subject: "channel 1 (main)",
    why: "Type 4711 is not known to this version of Sluice.",
  });
});

test("both programs number vendors differently", () => {
  const providers = (["new-api", "one-api"] as const).map((program) =>
    [36, 40, 42].map(
      (type) =>
        readOneApi(program, { channels: [{ ...CHANNEL, type }] }).channels[0]?.fields["provider"],
    ),
  );

  expect(providers).toEqual([
    [undefined, "siliconflow", "mistral"],
    ["deepseek", "ark", "vertex"],
  ]);
});

test("the columns of the tables tell the program", () => {
  expect(programOf({ channels: [{ ...CHANNEL, auto_ban: 1 }] })).toBe("new-api");
  expect(programOf({ tokens: [{ ...TOKEN, subnet: "" }] })).toBe("one-api");
  expect(programOf({ channels: [CHANNEL], tokens: [TOKEN] })).toBeUndefined();
});

test("another number of units in a dollar changes quotas and prices", () => {
  const { users, models } = readOneApi("new-api", {
    channels: [CHANNEL],
    users: [{ ...USER, used_quota: 100 }],
    options: [
      { key: "QuotaPerUnit", value: "1000" },
      { key: "ModelRatio", value: '{"gpt-4o": 0.002}' },
    ],
  });

  expect(users).toMatchObject([{ quota: 500_100_000_000, spent: 100_000_000 }]);
  expect(models).toMatchObject([{ fields: { input: "2", output: "8" } }]);
});

test("prices of models that no channel serves are not taken", () => {
  const { models } = readOneApi("one-api", {
    channels: [CHANNEL],
    options: [{ key: "ModelRatio", value: '{"gpt-4o": 1.25, "o1": 7.5}' }],
  });

  expect(models.map(({ name }) => name)).toEqual(["gpt-4o"]);
});

test("mappings are followed to their end, and a circle ends", () => {
  const { channels } = readOneApi("new-api", {
    channels: [
      {
        ...CHANNEL,
        models: "a,x",
        model_mapping: '{"a": "b", "b": "c", "x": "y", "y": "x"}',
      },
    ],
  });

  expect(channels[0]?.fields["models"]).toEqual([
    { name: "a", upstream: "c" },
    { name: "x", upstream: "y" },
  ]);
});

test("deployments of Azure lost their dots until May 2025", () => {
  const models = (["one-api", "new-api"] as const).map((program) => {
    const azure = {
      ...CHANNEL,
      type: 3,
      models: "gpt-3.5-turbo",
      base_url: "https://x.example.com",
    };
    const { channels } = readOneApi(program, {
      channels: [{ ...azure, created_time: 1_800_000_000 }],
    });
    return channels[0]?.fields["models"];
  });

  expect(models).toEqual([
    [{ name: "gpt-3.5-turbo", upstream: "gpt-35-turbo" }],
    ["gpt-3.5-turbo"],
  ]);
});

test("a service account for each of several credentials of Bedrock has its region", () => {
  const { channels } = readOneApi("new-api", {
    channels: [
      {
        ...CHANNEL,
        type: 33,
        key: "AK1|s1|us-east-1\nAK2|s2|eu-west-1\nAK3|s3|us-east-1",
        models: "claude-sonnet-4-20250514",
        channel_info: '{"is_multi_key": true}',
      },
    ],
  });

  expect(
    channels.map(({ ref, name, fields }) => [ref, name, fields["api_keys"], fields["options"]]),
  ).toEqual([
    ["1", "main", ["AK1:s1", "AK3:s3"], { region: "us-east-1" }],
    ["1.2", "main-2", ["AK2:s2"], { region: "eu-west-1" }],
  ]);
});

test("keys of new-api whose list of models is on and empty may use no model", () => {
  const limited = { ...TOKEN, model_limits: "", model_limits_enabled: true };
  const { keys } = readOneApi("new-api", {
    users: [USER],
    tokens: [limited, { ...limited, id: 2, model_limits_enabled: false, model_limits: "gpt-4o" }],
  });

  expect(keys.map(({ models }) => models)).toEqual([["none"], ["*"]]);
});

test("a key with networks of which none is valid works nowhere", () => {
  const { keys } = readOneApi("one-api", {
    users: [USER],
    tokens: [{ ...TOKEN, subnet: "not a network" }],
  });

  expect(keys[0]?.networks).toEqual(["192.0.2.255"]);
  expect(keys[0]?.changes.join()).toContain("not");
});
