import { describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { readDescribedChannel, readDescribedModel } from "./described.ts";

const PROVIDERS = [
  { id: "vendor", needsKey: true, styles: ["chat", "messages"] },
  { id: "server", needsKey: false, needsBaseUrl: true },
];

function read(json: JsonObject, isKeyOptional = false) {
  return readDescribedChannel(json, PROVIDERS, { isKeyOptional });
}

function mistakeIn(json: JsonObject): unknown {
  try {
    return read({ name: "a", provider: "vendor", api_key: "k-12345", ...json });
  } catch (error) {
    return error;
  }
}

describe("a channel that is described in JSON", () => {
  test("equals the same description in the file", () => {
    const { credentials, ...rest } = read({
      name: "main",
      provider: "vendor",
      base_url: "https://vendor.example/v1/",
      api_keys: ["first-credential", "second-credential"],
      models: ["plain", { name: "alias", upstream: "meta/llama" }],
      style: "messages",
      priority: -1,
      weight: 0.25,
      max_concurrent: 7,
      limits: { rpm: 60, tpm: null },
    });

    expect(rest).toEqual({
      name: "main",
      provider: "vendor",
      baseUrl: "https://vendor.example/v1",
      models: {
        kind: "listed",
        upstreamNames: new Map([
          ["plain", "plain"],
          ["alias", "meta/llama"],
        ]),
      },
      style: "messages",
      priority: -1,
      weight: 0.25,
      maxConcurrent: 7,
      limits: { requestsPerMinute: 60 },
    });
    expect(credentials.map((each) => each.open())).toEqual([
      "first-credential",
      "second-credential",
    ]);
  });

  test("treats null like an omitted field", () => {
    const told = { name: "a", provider: "vendor", api_key: "k-12345" };
    const nothing = { base_url: null, models: null, style: null, options: null, weight: null };

    expect(JSON.stringify(read({ ...told, ...nothing }))).toBe(JSON.stringify(read(told)));
  });

  const mistakes: readonly (readonly [JsonObject, string, string | undefined])[] = [
    [{ provider: "vndor" }, 'did you mean "vendor"', "provider"],
    [{ base_url: "https://user:pw@vendor.example" }, "base_url: The value is not", "base_url"],
    [{ base_url: "ftp://vendor.example" }, "base_url: The value is not", "base_url"],
    [{ weight: 0 }, 'weight: "0" is not a number above 0', "weight"],
    [{ models: [] }, "models: is an empty list", "models"],
    [{ models: ["a", { name: "a" }] }, "models[1]: is a duplicate name", "models[1]"],
    [{ style: "gemini" }, "style:", "style"],
    [{ limits: { rpm: "many" } }, 'limits.rpm: "many" is not a whole number', "limits.rpm"],
    [{ api_keys: ["x"] }, 'cannot be combined with "api_key"', "api_keys"],
    [{ api_key: " padded " }, "api_key: The value is not a credential", "api_key"],
    [{ api_key: null }, '"api_key" is missing; vendor requires a credential', undefined],
    [{ provider: "server" }, '"base_url" is missing', undefined],
    [{ nmae: "b" }, 'did you mean "name"', "nmae"],
  ];
  test.each(mistakes)("is refused for %j", (json, message, param) => {
    const mistake = mistakeIn(json);

    expect(mistake).toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining(message),
    });
    if (param !== undefined) expect(mistake).toMatchObject({ param });
    expect(String(mistake)).not.toContain("padded");
    expect(String(mistake)).not.toContain("pw@");
  });

  test("needs no credential if one may be stored already", () => {
    expect(read({ name: "a", provider: "vendor" }, true).credentials).toEqual([]);
  });
});

describe("a model that is described in JSON", () => {
  test("has a price exact to six decimals, as a number or as text", () => {
    const limits = { rpm: 5 };

    expect(
      readDescribedModel("m", { input: 0.15, output: "0.000001", context: 9, limits }),
    ).toEqual({
      rates: { input: 150_000, output: 1 },
      contextTokens: 9,
      limits: { requestsPerMinute: 5 },
    });
    expect(readDescribedModel("m", { input: 1e-6, output: 0 }).rates).toEqual({
      input: 1,
      output: 0,
    });
  });

  test("refuses half a price and a name with spaces", () => {
    expect(() => readDescribedModel("m", { input: 1 })).toThrow('"output" is missing');
    expect(() => readDescribedModel("a b", { context: 1 })).toThrow("is not a model's name");
  });
});
