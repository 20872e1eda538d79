import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Config, loadConfig } from "#config.ts";
import { ConfigError } from "#config/mistakes.ts";
import { nanoUsd } from "#core/money.ts";
import { formatDecimal } from "#lib/decimal.ts";
import { SEED } from "#test/seed.ts";

const SECRET = "a-key-of-twenty-four-characters";

describe("a channel", () => {
  test("needs only a name and a provider if the provider needs no key", () => {
    expect(channel("name: a, provider: local")).toEqual({
      name: "a",
      provider: "local",
      credentials: [],
      models: { kind: "discover" },
      priority: 0,
      weight: 1,
      maxConcurrent: 5000,
    });
  });

  test("has all properties of its entry in the file", () => {
    const { credentials, ...rest } = channel(
      "name: A.b-c_1, provider: openai, api_keys: [sk-one, sk-two], style: responses, " +
        "base_url: 'http://127.0.0.1:9000/v1/', priority: -3, weight: 0.25, max_concurrent: 7, " +
        "models: [gpt-4o, { name: fast, upstream: org/gpt:mini }, { name: plain }]",
    );

    expect(rest).toEqual({
      name: "A.b-c_1",
      provider: "openai",
      baseUrl: "http://127.0.0.1:9000/v1",
      style: "responses",
      priority: -3,
      weight: 0.25,
      maxConcurrent: 7,
      models: {
        kind: "listed",
        upstreamNames: new Map([
          ["gpt-4o", "gpt-4o"],
          ["fast", "org/gpt:mini"],
          ["plain", "plain"],
        ]),
      },
    });
    expect(credentials.map((one) => one.open())).toEqual(["sk-one", "sk-two"]);
  });

  test("without its own limit has the default limit", () => {
    const { channels } = load(
      "limits: { channel_in_flight: 9 }\nchannels: [{ name: a, provider: local }]",
    );
    expect(channels[0]?.maxConcurrent).toBe(9);
  });

  test.each([
    ["http://10.0.0.1", "http://10.0.0.1"],
    ["https://Example.COM/v1///", "https://example.com/v1"],
    ["HTTPS://example.com:443/a b", undefined],
    ["https://example.com/v1?key=1", undefined],
    ["https://example.com/v1?", undefined],
    ["https://example.com/v1#x", undefined],
    ["https://user:pw@example.com/v1", undefined],
    ["https://user@example.com/v1", undefined],
    ["ftp://example.com", undefined],
    ["file:///etc/passwd", undefined],
    ["example.com/v1", undefined],
    ["http:example.com", undefined],
    ["https://", undefined],
    ["https://exa\tmple.com", undefined],
    ["https://example.com\\\\@evil.example", undefined],
  ])("is reached over plain http or https: %j", (url, expected) => {
    const yaml = `channels: [{ name: a, provider: local, base_url: "${url}" }]`;
    if (expected === undefined) {
      expect(mistakesOf(yaml)).toEqual([
        expect.stringMatching(/base_url: The value is not an http:\/\/ or https:\/\/ URL/),
      ]);
    } else expect(load(yaml).channels[0]?.baseUrl).toBe(expected);
  });

  test.each([
    ["name: a b, provider: local", '"a b" is not a name of 1 to 64 letters'],
    ['name: "", provider: local', '"" is not a name of 1 to 64 letters'],
    [`name: ${"x".repeat(65)}, provider: local`, "is not a name of 1 to 64 letters"],
    ["provider: local", '"name" is missing.'],
    ["name: a", '"provider" is missing.'],
    ["name: a, provider: openai", '"api_key" is missing; openai requires a credential.'],
    ["name: a, provider: compatible", '"base_url" is missing; compatible has no default URL'],
    ["name: a, provider: openai, api_key: k, api_keys: [l]", 'cannot be combined with "api_key"'],
    ["name: a, provider: openai, api_keys: []", "is an empty list"],
    ["name: a, provider: openai, api_keys: sk-one", "is not a list"],
    ["name: a, provider: openai, api_key: ' k'", "The value is not a credential"],
    ["name: a, provider: openai, api_key: ''", "The value is not a credential"],
    ["name: a, provider: openai, api_key: k, style: chatt", 'did you mean "chat"?'],
    ["name: a, provider: local, models: []", "leave it out to use the upstream"],
    ["name: a, provider: local, models: [x, x]", "is a duplicate name"],
    ["name: a, provider: local, models: [{ upstream: x }]", '"name" is missing.'],
    ["name: a, provider: local, models: [a b]", '"a b" is not a model\'s name'],
    ["name: a, provider: local, weight: 0", '"0" is not a number above 0'],
    ["name: a, provider: local, weight: -1", '"-1" is not a number above 0'],
    ["name: a, provider: local, weight: 1e9", '"1e9" is not a number above 0'],
    ["name: a, provider: local, priority: 1.5", '"1.5" is not a whole number'],
    ["name: a, provider: local, baseUrl: x", 'did you mean "base_url"?'],
  ])("that is invalid is refused: %s", (yaml, why) => {
    expect(mistakesOf(`channels: [{ ${yaml} }]`)).toEqual([expect.stringContaining(why)]);
  });

  test("has a unique name", () => {
    const yaml = "channels:\n  - { name: a, provider: local }\n  - { name: a, provider: local }";
    expect(mistakesOf(yaml)).toEqual([
      "sluice.yaml:3:13 channels[1].name: is a duplicate name. Choose another one.",
    ]);
  });
});

describe("a key", () => {
  test("may use all models without a limit or an expiry by default", () => {
    const [key] = load(`keys: [{ name: ci, key: ${SECRET} }]`).keys;

    expect(key).toMatchObject({ name: "ci", models: ["*"] });
    expect(key?.secret.open()).toBe(SECRET);
    expect(key).not.toHaveProperty("quota");
    expect(key).not.toHaveProperty("expiresAt");
  });

  test.each([
    ["25", 25_000_000_000],
    ["0", 0],
    ['"0.1"', 100_000_000],
    ["0.000000001", 1],
    ["1.1", 1_100_000_000],
    ["4503599.627370497", 4_503_599_627_370_497],
    ["9007199.254740991", Number.MAX_SAFE_INTEGER],
    ["1e-3", 1_000_000],
  ])("has a quota exact to the nano-dollar: %s", (written, expected) => {
    const [key] = load(`keys: [{ name: a, key: ${SECRET}, quota: ${written} }]`).keys;
    expect(key?.quota).toBe(nanoUsd(expected));
  });

  test.each([
    ["2030-12-31", "2030-12-31T00:00:00.000Z"],
    ["2030-12-31T18:00Z", "2030-12-31T18:00:00.000Z"],
    ["2030-12-31T18:00:00.5+02:00", "2030-12-31T16:00:00.500Z"],
    ["2028-02-29", "2028-02-29T00:00:00.000Z"],
  ])("expires at a moment independent of the time zone: %s", (written, expected) => {
    const [key] = load(`keys: [{ name: a, key: ${SECRET}, expires_at: "${written}" }]`).keys;
    expect(new Date(key?.expiresAt ?? 0).toISOString()).toBe(expected);
  });

  test("can be restricted to some endpoints", () => {
    const [key] = load(`keys: [{ name: a, key: ${SECRET}, endpoints: [text, images] }]`).keys;
    expect(key?.endpoints).toEqual(["text", "images"]);
  });

  test("can be restricted to client networks", () => {
    const [key] = load(`keys: [{ name: a, key: ${SECRET}, networks: [10.0.0.0/8, "::1"] }]`).keys;
    expect(key?.networks).toEqual(["10.0.0.0/8", "::1"]);
  });

  test.each([
    ["name: a", '"key" is missing.'],
    [`name: a, key: ${SECRET}, endpoints: []`, "leave it out to allow all endpoints"],
    [`name: a, key: ${SECRET}, endpoints: [image]`, "did you mean"],
    [`name: a, key: ${SECRET}, networks: []`, "leave it out to allow any address"],
    [`name: a, key: ${SECRET}, networks: [10.0.0.0/33]`, "is not an IP network"],
    [`key: ${SECRET}`, '"name" is missing.'],
    ["name: a, key: too-short", "The value is not a secret of 24 to 512"],
    [`name: a, key: ${SECRET}, quota: -1`, '"-1" is not an amount'],
    [`name: a, key: ${SECRET}, quota: $5`, '"$5" is not an amount'],
    [`name: a, key: ${SECRET}, quota: 0.0000000001`, "is not an amount"],
    [`name: a, key: ${SECRET}, quota: 9007199.254740992`, "is not an amount"],
    [`name: a, key: ${SECRET}, quota: .inf`, "is not an amount"],
    [`name: a, key: ${SECRET}, models: []`, "leave it out to allow all models"],
    [`name: a, key: ${SECRET}, models: ["a*b"]`, '"a*b" is not a model name'],
    [`name: a, key: ${SECRET}, expires_at: 2030-02-30`, "is not a date"],
    [`name: a, key: ${SECRET}, expires_at: 2029-02-29`, "is not a date"],
    [`name: a, key: ${SECRET}, expires_at: 2030-13-01`, "is not a date"],
    [`name: a, key: ${SECRET}, expires_at: "2030-12-31T18:00:00"`, "is not a date"],
    [`name: a, key: ${SECRET}, expires_at: "2030-12-31T25:00:00Z"`, "is not a date"],
    [`name: a, key: ${SECRET}, expires_at: tomorrow`, "is not a date"],
  ])("that is invalid is refused: %s", (yaml, why) => {
    expect(mistakesOf(`keys: [{ ${yaml} }]`)).toEqual([expect.stringContaining(why)]);
  });

  test("has a unique name and secret", () => {
    const yaml = `keys:\n  - { name: a, key: ${SECRET} }\n  - { name: a, key: ${SECRET} }`;
    expect(mistakesOf(yaml)).toEqual([
      "sluice.yaml:3:13 keys[1].name: is a duplicate name. Choose another one.",
      "sluice.yaml:3:21 keys[1].key: is already the key of another entry.",
    ]);
  });
});

describe("a model's price", () => {
  test("is exact to the pico-dollar and keeps its position in the file", () => {
    const { models } = load(
      "models:\n  gpt-4.1: { input: 0.15, output: 8.29, cached_input: 0.075, cache_write: 1.1,\n" +
        "    audio_input: 1e-6, audio_output: 0, context: 128000, max_output: 16384 }",
    );
    expect(models.get("gpt-4.1")).toEqual({
      rates: {
        input: 150_000,
        output: 8_290_000,
        cachedInput: 75_000,
        cacheWrite: 1_100_000,
        audioInput: 1,
        audioOutput: 0,
      },
      contextTokens: 128_000,
      maxOutputTokens: 16_384,
      source: "sluice.yaml:2:3",
    });
  });

  test("with any six decimals is exact", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100_000_000_000 }), (rate) => {
        const { models } = load(`models: { x: { input: ${formatDecimal(rate, 6)}, output: 0 } }`);
        expect(models.get("x")?.rates?.input).toBe(rate);
      }),
      { seed: SEED },
    );
  });

  test("may be per image, second, character and search, and per kind of result", () => {
    const { models } = load(
      "models:\n  painter: { image: 0.04, search: 0.0025, grades: { 4K: { image: 0.24 } } }\n" +
        "  speaker: { character: 15, second: 0.000128333333, image_input: 10, image_output: 40,\n" +
        "    input: 5, output: 10, long_cache_write: 6 }",
    );

    expect(models.get("painter")?.rates).toEqual({
      input: 0,
      output: 0,
      image: 40_000_000_000,
      search: 2_500_000_000,
      grades: { "4K": { image: 240_000_000_000 } },
    });
    expect(models.get("speaker")?.rates).toEqual({
      input: 5_000_000,
      output: 10_000_000,
      longCacheWrite: 6_000_000,
      imageInput: 10_000_000,
      imageOutput: 40_000_000,
      character: 15_000_000,
      second: 128_333_333,
    });
  });

  test("may have conditional variants", () => {
    const { models } = load(`
models:
  x:
    input: 2
    output: 10
    variants:
      - { when: { service_tier: [flex, Batch], region: eu }, factor: 0.5 }
      - { when: { speed: fast, above_input_tokens: 200000 }, input: 4, search: 0.02 }
      - { when: { from: 2026-12-01, until: 2026-12-31, hours: [mon-fri 01:00-04:00] }, factor: 2 }`);

    expect(models.get("x")?.rates?.variants).toEqual([
      { when: { serviceTiers: ["flex", "batch"], regions: ["eu"] }, factor: 500 },
      {
        when: { speeds: ["fast"], aboveInputTokens: 200_000 },
        rates: { input: 4_000_000, search: 20_000_000_000 },
      },
      {
        when: { from: "2026-12-01", until: "2026-12-31", hours: ["mon-fri 01:00-04:00"] },
        factor: 2_000,
      },
    ]);
  });

  test.each([
    ["{}", "is not a list of price variants"],
    ["[]", "is not a list of price variants"],
    ["[{ factor: 2 }]", '"when" is missing'],
    ["[{ when: {}, factor: 2 }]", "has no condition"],
    ["[{ when: { speed: fast } }]", "needs either a factor or prices"],
    ["[{ when: { speed: fast }, factor: 2, input: 1 }]", "needs either a factor or prices"],
    ["[{ when: { speed: fast }, factor: 101 }]", '"101" is not a factor'],
    ["[{ when: { sped: fast }, factor: 2 }]", 'did you mean "speed"?'],
    ["[{ when: { until: 2026-02-30 }, factor: 2 }]", '"2026-02-30" is not a day'],
    ["[{ when: { hours: '22:00-02:00' }, factor: 2 }]", '"22:00-02:00" is not hours'],
    ["[{ when: { region: [] }, factor: 2 }]", "must have 1 to 32 items"],
  ])("with invalid variants is refused: %s", (variants, why) => {
    const yaml = `models: { x: { input: 1, output: 2, variants: ${variants} } }`;
    expect(mistakesOf(yaml)).toEqual([expect.stringContaining(why)]);
  });

  test("is required for variants", () => {
    const yaml = "models: { x: { variants: [{ when: { speed: fast }, factor: 2 }] } }";
    expect(mistakesOf(yaml)).toEqual([expect.stringContaining("a price that is not given here")]);
  });

  test("is optional", () => {
    const { models } = load("models: { x: { context: 8192 } }");
    expect(models.get("x")).toEqual({ contextTokens: 8192, source: "sluice.yaml:1:11" });
  });

  test.each([
    ["x: { input: 1 }", '"output" is missing; a price needs input and output'],
    ["x: { output: 1 }", '"input" is missing; a price needs input and output'],
    ["x: { input: -1, output: 1 }", '"-1" is not a price'],
    ["x: { input: NaN, output: 1 }", '"NaN" is not a price'],
    ["x: { input: 0.0000001, output: 1 }", '"0.0000001" is not a price'],
    ["x: { input: 100001, output: 1 }", '"100001" is not a price'],
    ["x: { input: 1, output: [1] }", "is a list, not a price"],
    ["x: { image: 50.1 }", '"50.1" is not a price in US dollars, such as 0.15'],
    ["x: { search: 1e-13 }", '"1e-13" is not a price'],
    ["x: { image: 0.1, output: x }", '"x" is not a price in US dollars per million'],
    ["x: { image: 1, grades: 4K }", "is not a map from kinds"],
    ["x: { image: 1, grades: {} }", "is not a map from kinds"],
    ["x: { image: 1, grades: { 4K: {} } }", "has no price"],
    ["x: { image: 1, grades: { ' ': { image: 1 } } }", '" " is not a valid kind of result'],
    ["x: { image: 1, grades: { 4K: { imag: 1 } } }", 'did you mean "image"?'],
    ["x: { context: 0 }", '"0" is not a whole number'],
    ["x: { contxt: 1 }", 'did you mean "context"?'],
    ["x: 1", "is not a map of input, output"],
    ["'a b': { context: 1 }", '"a b" is not a model\'s name'],
  ])("that is invalid is refused: %s", (yaml, why) => {
    expect(mistakesOf(`models: { ${yaml} }`)).toEqual([expect.stringContaining(why)]);
  });

  test("given twice for one model is refused with both lines", () => {
    const yaml = "models:\n  x: { context: 1 }\n  x: { context: 2 }";
    expect(mistakesOf(yaml)).toEqual([
      'sluice.yaml:3:3 models: "x" is a duplicate; the first is on line 2.',
    ]);
  });
});

test("empty sections are accepted", () => {
  const { channels, keys, models } = load("channels:\nkeys: []\nmodels:\nlimits:\n");
  expect([channels, keys, models.size]).toEqual([[], [], 0]);
});

test.each(["channels: x", "channels: { a: b }", "keys: x", "models: [a]", "channels: [a]"])(
  "a section of the wrong type is refused: %s",
  (yaml) => {
    expect(mistakesOf(yaml)).toHaveLength(1);
  },
);

function load(yaml: string): Config {
  const readFile = (): Uint8Array => new TextEncoder().encode(yaml);
  const knownProviders = [
    { id: "openai", needsKey: true, styles: ["chat", "responses"] },
    { id: "compatible", needsKey: false, needsBaseUrl: true },
    { id: "local", needsKey: false },
  ];
  return loadConfig({ env: {}, readFile, knownProviders });
}

function channel(fields: string): Config["channels"][number] {
  const [only] = load(`channels: [{ ${fields} }]`).channels;
  if (only === undefined) throw new Error("There is no channel.");
  return only;
}

function mistakesOf(yaml: string): readonly string[] {
  try {
    load(yaml);
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
  return [];
}
