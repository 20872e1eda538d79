import { describe, expect, test } from "bun:test";
import { type Config, loadConfig } from "#config.ts";
import { ConfigError } from "#config/mistakes.ts";

const SECRET = "a-secret-of-some-length-0123456789";

function load(yaml: string, env: Readonly<Record<string, string>> = {}): Config {
  return loadConfig({
    env: { SLUICE_CONFIG: "sluice.yaml", ...env },
    readFile: () => new TextEncoder().encode(yaml),
    knownProviders: [{ id: "local", needsKey: false }],
  });
}

function mistakesOf(yaml: string): string {
  try {
    load(yaml);
    return "";
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

describe("limits in the file", () => {
  test("of a key are requests, tokens and concurrent calls", () => {
    const [key] = load(
      `keys: [{ name: a, key: ${SECRET}, limits: { rpm: 60, tpm: 100000, concurrency: 5 } }]`,
    ).keys;
    expect(key?.limits).toEqual({
      requestsPerMinute: 60,
      tokensPerMinute: 100_000,
      concurrency: 5,
    });
  });

  test("of models and channels are requests and tokens, each optional", () => {
    const { models, channels } = load(
      "models: { m: { limits: { tpm: 9 } } }\n" +
        "channels: [{ name: a, provider: local, limits: { rpm: 3 } }]",
    );
    expect(models.get("m")?.limits).toEqual({ tokensPerMinute: 9 });
    expect(channels[0]?.limits).toEqual({ requestsPerMinute: 3 });
  });

  test("are absent by default", () => {
    const { keys, models, channels } = load(
      `keys: [{ name: a, key: ${SECRET} }]\nmodels: { m: { context: 9 } }\n` +
        "channels: [{ name: a, provider: local }]",
    );
    expect(keys[0]).not.toHaveProperty("limits");
    expect(models.get("m")).not.toHaveProperty("limits");
    expect(channels[0]).not.toHaveProperty("limits");
  });

  test.each([
    ["{ rpm: 0 }", '"0" is not a whole number from 1 to 1000000'],
    ["{ tpm: 1.5 }", '"1.5" is not a whole number'],
    ["{ tpm: 100000001 }", "is not a whole number from 1 to 100000000"],
    ["{ rmp: 5 }", 'did you mean "rpm"?'],
    ["{}", "has no limit. Set rpm, tpm, concurrency, or leave it out"],
    ["5", "is not a map of rpm, tpm, concurrency"],
    ["", "is not a map of rpm, tpm, concurrency"],
  ])("that are invalid are refused: %s", (limits, why) => {
    const yaml = `keys:\n  - name: a\n    key: ${SECRET}\n    limits: ${limits}`;
    expect(mistakesOf(yaml)).toContain(why);
  });

  test("on concurrent calls are for keys; a channel has its own setting", () => {
    const yaml = "channels: [{ name: a, provider: local, limits: { concurrency: 3 } }]";
    expect(mistakesOf(yaml)).toContain('"concurrency" is not known here');
  });
});

describe("the counter server", () => {
  test.each(["redis://h", "rediss://:password@h:6380/2", "valkey://h:1", "valkeys://h"])(
    "is set by a URL: %s",
    (url) => {
      expect(load("", { REDIS_URL: url }).settings.redisUrl?.open()).toBe(url);
    },
  );

  test("is treated as a secret: an invalid URL is not echoed", () => {
    const { origins } = load("", { REDIS_URL: "redis://:password@h" });
    expect(origins.get("redis_url")?.shown).toBe("***");
    expect(mistakesOf("redis_url: 'http://:password@h'")).toContain("is not a URL that starts");
    expect(mistakesOf("redis_url: 'http://:password@h'")).not.toContain("password");
  });
});
