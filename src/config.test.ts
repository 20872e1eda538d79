import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import fc from "fast-check";
import { type Config, type ConfigInput, listSettings, loadConfig } from "#config.ts";
import { CHANNEL_FIELDS } from "#config/documents/channel.ts";
import { KEY_FIELDS } from "#config/documents/key.ts";
import { MODEL_FIELDS } from "#config/documents/model.ts";
import { ConfigError } from "#config/mistakes.ts";
import { renderFieldsTable } from "#config/render-fields-table.ts";
import { renderSettingsTable } from "#config/render-settings-table.ts";
import { nanoUsd } from "#core/money.ts";
import { SEED } from "#test/seed.ts";

const knownProviders = [
  { id: "openai", needsKey: true, styles: ["chat", "responses"] },
  { id: "anthropic", needsKey: true },
  { id: "openai-compatible", needsKey: false, needsBaseUrl: true },
];

test("the root account's login needs an email address and a strong password", () => {
  const SLUICE_ADMIN_EMAIL = "root@example.com";
  const SLUICE_ADMIN_PASSWORD = "not so easily guessed";

  const { settings } = load("", { SLUICE_ADMIN_EMAIL, SLUICE_ADMIN_PASSWORD });

  expect(settings.adminEmail).toBe(SLUICE_ADMIN_EMAIL);
  expect(settings.adminPassword?.open()).toBe(SLUICE_ADMIN_PASSWORD);
  expect(mistakesOf("", { SLUICE_ADMIN_EMAIL })).toEqual([
    "SLUICE_ADMIN_PASSWORD: is missing: the root account's login needs both.",
  ]);
  expect(mistakesOf("", { SLUICE_ADMIN_PASSWORD })).toHaveLength(1);
  for (const password of ["short", "changeme-changeme", "a".repeat(30)]) {
    const env = { SLUICE_ADMIN_EMAIL, SLUICE_ADMIN_PASSWORD: password };
    const mistakes = mistakesOf("", env);
    expect(mistakes).toHaveLength(1);
    expect(mistakes.join()).not.toContain(password);
  }
});

test("single sign-on needs all of its settings, from the file or the environment, or none", () => {
  const file = `
public_url: https://gateway.example
oidc:
  issuer: https://id.example/
  client_id: sluice
  domains: Example.com, other.example
  role: auditor`;

  const { settings } = load(file, { SLUICE_OIDC_CLIENT_SECRET: "made-up-elsewhere" });

  expect(settings).toMatchObject({
    oidcIssuer: "https://id.example/",
    oidcDomains: ["example.com", "other.example"],
    oidcNewUsers: "refuse",
    oidcRole: "auditor",
    oidcSecondFactor: "ask",
  });
  expect(mistakesOf(file)).toEqual([
    "SLUICE_OIDC_CLIENT_SECRET: is missing: single sign-on needs it.",
  ]);
  expect(mistakesOf("", { SLUICE_OIDC_ISSUER: "https://id.example" })).toHaveLength(3);
  expect(load("", { SLUICE_PUBLIC_URL: "https://gateway.example" }).settings.publicUrl).toBe(
    "https://gateway.example",
  );
  for (const wrong of ["role: admin", "issuer: id.example", "issuer: https://a:b@c.example"]) {
    const mistakes = mistakesOf(`oidc: { ${wrong} }`).join();
    expect(mistakes).toContain("is not ");
    expect(mistakes).not.toContain("a:b@");
  }
});

test("S3 copies need all settings of the bucket; its variables alone have no effect", () => {
  const S3_SECRET_ACCESS_KEY = "made-up-elsewhere-too";
  const env = { S3_BUCKET: "videos", S3_ACCESS_KEY_ID: "media", S3_SECRET_ACCESS_KEY };

  const { settings } = load("media: { store: s3 }\ns3: { endpoint: 'http://minio:9000' }", env);

  expect(settings).toMatchObject({
    mediaStore: "s3",
    mediaDays: 30,
    s3Bucket: "videos",
    s3Endpoint: "http://minio:9000",
    s3Region: "us-east-1",
  });
  expect(settings.s3Secret?.open()).toBe(S3_SECRET_ACCESS_KEY);
  expect(mistakesOf("media: { store: s3 }", { S3_BUCKET: "videos" })).toEqual([
    "S3_ACCESS_KEY_ID: is missing: a store in S3 needs it.",
    "S3_SECRET_ACCESS_KEY: is missing: a store in S3 needs it.",
  ]);
  expect(load("", { S3_BUCKET: "videos" }).settings.mediaStore).toBe("off");
  expect(mistakesOf("media: { store: tape }")).toHaveLength(1);
});

test("telemetry takes the variables of OpenTelemetry, and shows no header", () => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318",
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Basic%20abc==,x-team=a",
    OTEL_RESOURCE_ATTRIBUTES: "region=eu, team=a%2Cb",
    OTEL_TRACES_SAMPLER_ARG: "0.25",
    OTEL_METRIC_EXPORT_INTERVAL: "5000",
  };

  const { settings, origins } = load("", env);

  expect(settings).toMatchObject({
    otelEndpoint: "http://127.0.0.1:4318",
    otelResource: { region: "eu", team: "a,b" },
    otelSampleRatio: 0.25,
    otelMetricIntervalMs: 5_000,
  });
  expect(settings.otelHeaders?.open()).toEqual({ authorization: "Basic abc==", "x-team": "a" });
  expect(origins.get("otel.headers")?.shown).toBe("***");
  for (const [variable, wrong] of [
    ["OTEL_EXPORTER_OTLP_HEADERS", "no-value-here"],
    ["OTEL_RESOURCE_ATTRIBUTES", "region=%zz"],
    ["OTEL_TRACES_SAMPLER_ARG", "1.5"],
    ["SLUICE_OTEL_SIGNALS", "spans"],
  ] as const) {
    const mistakes = mistakesOf("", { [variable]: wrong });
    expect(mistakes).toHaveLength(1);
    expect(mistakes.join()).not.toContain("no-value-here");
  }
});

test("the access log is off, standard output, or a file with its folder", () => {
  for (const place of ["off", "stdout", "./calls.log", "/var/log/sluice/calls.log"]) {
    expect(load(`access_log: { to: ${place} }`).settings.accessLog).toBe(place);
  }
  expect(mistakesOf("access_log: { to: stdot }")).toHaveLength(1);
  expect(mistakesOf("access_log: { max_bytes: 1B }")).toHaveLength(1);
});

test("unset settings have their defaults", () => {
  const { settings, channels, keys, models } = load();

  expect(settings).toMatchObject({
    host: "127.0.0.1",
    port: 8080,
    dataDir: "./data",
    configPath: undefined,
    bootstrapKey: undefined,
    databaseUrl: undefined,
    secret: undefined,
    logLevel: "info",
    sandbox: "auto",
    metricsToken: undefined,
    accessLog: "off",
    accessLogBytes: 67_108_864,
    accessLogFiles: 5,
    otelEndpoint: undefined,
    otelSignals: ["traces", "metrics", "logs"],
    otelServiceName: "sluice",
    otelSampleRatio: 1,
    otelPropagate: "off",
    otelDisabled: "false",
    statusPage: "off",
    modelPage: "off",
    unpriced: undefined,
    assumedOutputTokens: 4096,
    journalDays: 30,
    usageDays: 400,
    checkpointMs: 2000,
    leaseMs: 30_000,
    journalExport: undefined,
    journalParquet: "off",
    linkNetworks: [],
    linkPorts: [80, 443],
  });
  expect(settings.limits).toEqual({
    bodyBytes: 33_554_432,
    mediaBodyBytes: 67_108_864,
    jsonDepth: 64,
    messages: 5000,
    eventBytes: 4_194_304,
    answerBytes: 67_108_864,
    connectMs: 3000,
    firstByteMs: 60_000,
    unaryMs: 600_000,
    idleMs: 60_000,
    totalMs: 3_600_000,
    callerStallMs: 120_000,
    bufferedBytes: 256 * 1024 * 1024,
    attempts: 3,
    continuations: 32,
    inFlight: 10_000,
    channelInFlight: 5000,
    bigBodies: 8,
    ledgerQueue: 10_000,
    keptAnswerBytes: 8 * 1024 * 1024,
    contentLogBytes: 1024 * 1024,
    contentLogBufferBytes: 64 * 1024 * 1024,
    otelContentBytes: 65_536,
    keptUserBytes: 256 * 1024 * 1024,
    linkBytes: 20_971_520,
    picturePixels: 64_000_000,
    mediaBytes: 1_073_741_824,
    downloads: 256,
    keyDownloads: 16,
    tasks: 20_000,
    taskLeaseMs: 30_000,
    taskPolls: 32,
    assetGroups: 1000,
    assetBytes: 4_294_967_296,
    assets: 10_000,
    linkMs: 20_000,
    alertMs: 15_000,
    keysPerUser: 1000,
    accessTokensPerUser: 100,
    keyOverlapMs: 2_592_000_000,
    serviceAccountsPerTeam: 100,
    keySockets: 64,
    socketMs: 3_600_000,
    socketIdleMs: 600_000,
    socketLanes: 8,
    socketStateBytes: 16_777_216,
    drainMs: 120_000,
    drainDelayMs: undefined,
  });
  expect([channels, keys, models.size]).toEqual([[], [], 0]);
});

test("a setting with fixed values has the type of these values", () => {
  const { unpriced, sandbox, port, host } = load().settings;
  const typed: readonly [
    "allow" | "warn" | "refuse" | undefined,
    "auto" | "on" | "off",
    number,
    string,
  ] = [unpriced, sandbox, port, host];
  expect(typed).toEqual([undefined, "auto", 8080, "127.0.0.1"]);
});

test("every default is a valid value of its setting", () => {
  for (const { parser, default: value, env } of listSettings()) {
    if (value === undefined) continue;
    expect([env, parser.parse(parser.format(value))]).toEqual([env, value]);
  }
});

test("the environment takes precedence over the file, and the file over the default", () => {
  const yaml = "port: 9000\nhost: 0.0.0.0\nlimits: { attempts: 5, messages: 7 }\n";
  const { settings, origins } = load(yaml, { SLUICE_PORT: "0", SLUICE_LIMIT_ATTEMPTS: "2" });

  expect(settings).toMatchObject({ port: 0, host: "0.0.0.0", logLevel: "info" });
  expect(settings.limits).toMatchObject({ attempts: 2, messages: 7, inFlight: 10_000 });
  expect(origins.get("port")).toEqual({ from: { variable: "SLUICE_PORT" }, shown: "0" });
  expect(origins.get("host")).toMatchObject({
    from: { file: "sluice.yaml", position: { line: 2, column: 7 }, path: "host" },
    shown: "0.0.0.0",
  });
  expect(origins.get("log_level")).toEqual({ from: "default", shown: "info" });
});

test("every setting has a source, and a unique name and variable", () => {
  const rows = listSettings();

  expect(load().origins.size).toBe(rows.length);
  expect(new Set(rows.map((row) => row.env)).size).toBe(rows.length);
});

test("an empty variable counts as unset", () => {
  expect(load("port: 9000", { SLUICE_PORT: "", SLUICE_CONFIG: "" }).settings.port).toBe(9000);
});

test("durations and sizes may have a unit or be plain numbers", () => {
  const limits = (yaml: string): object => load(`limits:\n${yaml}`).settings.limits;

  expect(limits("  idle_ms: 90s")).toMatchObject({ idleMs: 90_000 });
  expect(limits("  idle_ms: 10m")).toMatchObject({ idleMs: 600_000 });
  expect(limits("  idle_ms: 250")).toMatchObject({ idleMs: 250 });
  expect(limits("  idle_ms: 250ms")).toMatchObject({ idleMs: 250 });
  expect(limits("  total_ms: 1d")).toMatchObject({ totalMs: 86_400_000 });
  expect(limits("  body_bytes: 32MiB")).toMatchObject({ bodyBytes: 33_554_432 });
  expect(limits("  body_bytes: 64MB")).toMatchObject({ bodyBytes: 64_000_000 });
  expect(limits("  body_bytes: 5 kib")).toMatchObject({ bodyBytes: 5120 });
  expect(limits("  body_bytes: 4096")).toMatchObject({ bodyBytes: 4096 });
});

test.each([
  ["limits: { idle_ms: 90y }", '"90y" is not a duration from 1ms to 1h, such as 30s.'],
  ["limits: { idle_ms: 2h }", '"2h" is not a duration from 1ms to 1h, such as 30s.'],
  ["limits: { idle_ms: 1.5m }", '"1.5m" is not a duration from 1ms to 1h, such as 30s.'],
  ["limits: { body_bytes: 10 }", '"10" is not a size from 1KiB to 1GiB, such as 32MiB.'],
  ["limits: { body_bytes: 1TiB }", '"1TiB" is not a size from 1KiB to 1GiB, such as 32MiB.'],
  ["limits: { attempts: 0 }", '"0" is not a whole number from 1 to 20.'],
  ["limits: { attempts: 1e1 }", '"1e1" is not a whole number from 1 to 20.'],
  ["port: -1", '"-1" is not a whole number from 0 to 65535.'],
  ["port: [80]", "is a list, not a whole number from 0 to 65535."],
  ["port:", "has no value; give it a whole number from 0 to 65535, or leave it out."],
  ["host: 1.2.3.400", '"1.2.3.400" is not an IP address or a host name.'],
  ['data_dir: "a\\0b"', '"a\\u0000b" is not a path.'],
  ["log_level: inof", '"inof" is not known here; did you mean "info"?'],
  ["sandbox: true", '"true" is not known here; known values: auto, on, off.'],
  ["limits: 5", "is not a map of body_bytes, "],
])("a setting with a value of the wrong type is reported: %s", (yaml, why) => {
  expect(mistakesOf(yaml)).toEqual([expect.stringContaining(why)]);
});

test("words that YAML would convert stay words", () => {
  expect(load("sandbox: off\nhost: ::1").settings).toMatchObject({ sandbox: "off", host: "::1" });
});

test("all mistakes are reported together, each with its position, variables first", () => {
  const yaml = [
    "prot: 80",
    "channels:",
    "  - name: main",
    "    provider: opnai",
    "    weight: 0",
    "  - provider: anthropic",
    "limits:",
    "  atempts: 3",
  ].join("\n");

  expect(mistakesOf(yaml, { SLUICE_PORT: "eighty" })).toEqual([
    'SLUICE_PORT: "eighty" is not a whole number from 0 to 65535.',
    'sluice.yaml:1:1: "prot" is not known here; did you mean "port"?',
    'sluice.yaml:4:15 channels[0].provider: "opnai" is not a provider; did you mean "openai"?',
    'sluice.yaml:5:13 channels[0].weight: "0" is not a number above 0 of at most 1000 and 3 decimals.',
    'sluice.yaml:6:5 channels[1]: "name" is missing.',
    'sluice.yaml:6:5 channels[1]: "api_key" is missing; anthropic requires a credential.',
    'sluice.yaml:8:3 limits: "atempts" is not known here; did you mean "attempts"?',
  ]);
});

test("a value in the file is validated even if the environment takes precedence", () => {
  expect(mistakesOf("port: high", { SLUICE_PORT: "80" })).toEqual([
    expect.stringContaining("sluice.yaml:1:7 port:"),
  ]);
});

test("a long list of mistakes is truncated", () => {
  const yaml = Array.from({ length: 5000 }, (_, i) => `unknown${i}: 1`).join("\n");
  const error = errorOf(yaml);

  expect(error.mistakes.length).toBeLessThanOrEqual(1000);
  expect(error.message.split("\n").length).toBeLessThan(110);
});

test("a misspelt variable is a mistake unless the file uses it", () => {
  expect(mistakesOf("", { SLUICE_SECERT: "x" })).toEqual([
    'SLUICE_SECERT: The variable is unknown; did you mean "SLUICE_SECRET"?',
  ]);
  expect(mistakesOf("", { SLUICE_LIMIT_SPEED: "1" })).toHaveLength(1);
  expect(load("host: ${SLUICE_HOSTS}", { SLUICE_HOSTS: "::1" }).settings.host).toBe("::1");
  expect(load("", { SLUICE_TEST_SEED: "1", SLUICE_SERVICE_HOST: "10.0.0.1" })).toBeDefined();
});

test("a Kubernetes service link is recognised and explained", () => {
  expect(mistakesOf("", { SLUICE_PORT: "tcp://10.0.0.7:8080" })).toEqual([
    expect.stringContaining("enableServiceLinks: false"),
  ]);
});

describe("secrets", () => {
  test("the bootstrap key has at least 24 visible characters", () => {
    expect(mistakesOf("", { SLUICE_BOOTSTRAP_KEY: "too-short-to-be-a-key" })).toHaveLength(1);
    expect(mistakesOf("", { SLUICE_BOOTSTRAP_KEY: "with a space 012345678901234" })).toHaveLength(
      1,
    );
    const { bootstrapKey } = load("", { SLUICE_BOOTSTRAP_KEY: "a".repeat(24) }).settings;
    expect(bootstrapKey?.open()).toBe("a".repeat(24));
  });

  test("a known sample value is refused as the shared secret", () => {
    const samples = [
      "changeme-changeme-changeme-changeme",
      "CHANGE_ME_3f9a1c77e0b24d5a9b8c7d6e5f4a3b2c",
      "0".repeat(64),
      "0123456789abcdef0123456789abcdef",
      "please-replace-me-with-a-real-secret",
    ];
    for (const SLUICE_SECRET of samples) {
      expect(mistakesOf("", { SLUICE_SECRET })).toEqual([expect.stringContaining("openssl rand")]);
    }
    const good = "3f9a1c77e0b24d5a9b8c7d6e5f4a3b2c";
    expect(load("", { SLUICE_SECRET: good }).settings.secret?.open()).toBe(good);
    expect(mistakesOf("", { SLUICE_SECRET: good.slice(1) })).toHaveLength(1);
  });

  test("a database URL must be a PostgreSQL URL", () => {
    const url = "postgres://sluice:pw@db.internal:5432/sluice";
    expect(load("", { DATABASE_URL: url }).settings.databaseUrl?.open()).toBe(url);
    expect(load(`database_url: ${url}`).settings.databaseUrl?.open()).toBe(url);
    expect(mistakesOf("", { DATABASE_URL: "mysql://root:hunter2@db/x" })).toEqual([
      "DATABASE_URL: The value is not a URL that starts with postgres:// or postgresql://.",
    ]);
  });

  test("no dump of a configuration shows a secret", () => {
    const env = {
      SLUICE_BOOTSTRAP_KEY: "s3cr3t-bootstrap-0123456789",
      SLUICE_SECRET: "s3cr3t-pepper-3f9a1c77e0b24d5a9b8c7d6e",
      DATABASE_URL: "postgres://u:s3cr3t@db/x",
    };
    const yaml =
      "channels: [{ name: a, provider: openai, api_key: s3cr3t-upstream-key }]\n" +
      "keys: [{ name: b, key: s3cr3t-key-0123456789012345 }]\n";
    const config = load(yaml, env);

    expect(inspect(config, { depth: 20 })).not.toContain("s3cr3t");
    expect(JSON.stringify([config, [...config.origins]])).not.toContain("s3cr3t");
    expect(config.origins.get("secret")?.shown).toBe("***");
  });
});

describe("the file", () => {
  test("is sluice.yaml if it exists, or the file that a variable names", () => {
    const files = { "sluice.yaml": "port: 1", "/etc/other.yaml": "port: 2" };
    const byDefault = loadFrom(files, {});
    const named = loadFrom(files, { SLUICE_CONFIG: "/etc/other.yaml" });

    expect(byDefault.settings).toMatchObject({ port: 1, configPath: "sluice.yaml" });
    expect(byDefault.origins.get("SLUICE_CONFIG")).toEqual({
      from: "default",
      shown: "sluice.yaml",
    });
    expect(named.settings).toMatchObject({ port: 2, configPath: "/etc/other.yaml" });
    expect(named.origins.get("SLUICE_CONFIG")?.from).toEqual({ variable: "SLUICE_CONFIG" });
  });

  test("must exist if a variable names it", () => {
    expect(mistakesOf(undefined, { SLUICE_CONFIG: "/nowhere.yaml" })).toEqual([
      'SLUICE_CONFIG: "/nowhere.yaml" does not exist.',
    ]);
  });

  test("that is unreadable is reported with the system's error", () => {
    const readFile = (): never => {
      throw Object.assign(new Error("no"), { code: "EACCES" });
    };
    const error = caught(() => loadConfig({ env: {}, readFile, knownProviders }));
    expect(error.mistakes).toEqual(['sluice.yaml: "sluice.yaml" cannot be read (EACCES).']);
  });
});

describe("the manual", () => {
  const manual = readFileSync(new URL("../docs/configuration.md", import.meta.url), "utf8");

  test("has the same table of settings as the code", () => {
    const table = /<!-- settings: begin -->\n([^]*)<!-- settings: end -->/.exec(manual)?.[1];
    expect(table).toBe(`\n${renderSettingsTable()}\n`);
  });

  test.each([
    ["channels", CHANNEL_FIELDS],
    ["keys", KEY_FIELDS],
    ["models", MODEL_FIELDS],
  ])("has the same table of %s as the code", (name, fields) => {
    const marked = new RegExp(`<!-- ${name}: begin -->\n([^]*)<!-- ${name}: end -->`);
    expect(marked.exec(manual)?.[1]).toBe(`\n${renderFieldsTable(fields)}\n`);
  });

  test("has a complete example with which the gateway would start", () => {
    const [, example = ""] = /```yaml\n([^]*?)```/.exec(manual) ?? [];
    const config = load(example, {
      OPENAI_KEY_1: "sk-one",
      OPENAI_KEY_2: "sk-two",
      ANTHROPIC_KEY: "sk-three",
      CI_KEY: "a-key-of-twenty-four-characters",
    });

    expect(config.channels.map((channel) => channel.name)).toEqual([
      "openai-main",
      "anthropic-main",
      "local",
    ]);
    expect(config.keys[0]?.quota).toBe(nanoUsd(25_000_000_000));
    expect(config.models.get("gpt-4o-mini")?.rates?.input).toBe(150_000);
  });

  test("quotes mistakes exactly as the gateway reports them", () => {
    const yaml = `${"\n".repeat(11)}channels: [{ name: a, provider: opnai }]`;
    const [port, provider] = mistakesOf(yaml, { SLUICE_PORT: "eighty" });

    expect(manual).toContain(`  ${port}\n`);
    expect(manual).toContain(provider?.replace(/^sluice\.yaml:\d+:\d+/, "") ?? "absent");
  });
});

test("a malformed file never reveals a secret, whether it is accepted or refused", () => {
  const lines = [
    "port: 8080",
    "secret: ${PEPPER}",
    "database_url: postgres://u:s3cr3t@db/x",
    "channels:",
    "  - name: a",
    "    provider: openai",
    "    base_url: https://u:s3cr3t@host/v1?key=s3cr3t",
    "    api_key: ${UPSTREAM}",
    "  - name: b",
    "    provider: openai",
    "    api_keys: [s3cr3t-one, ' s3cr3t two']",
    "keys:",
    "  - name: k",
    "    key: s3cr3t-short",
    "  - name: ${UPSTREAM}",
    "  - { name: l, key: 's3cr3t }",
    '    key: "s3cr3t\\q"',
    "models:",
    "  x: { input: '${PEPPER}', output: 1 }",
  ];
  const env = { PEPPER: "s3cr3t-changeme", UPSTREAM: "s3cr3t-upstream with a space" };
  const garbled = fc
    .subarray(lines, { minLength: 1 })
    .chain((kept) => fc.tuple(fc.constant(kept), fc.array(fc.nat(8), { maxLength: kept.length })))
    .map(([kept, indents]) =>
      kept
        .map((line, at) => {
          const indent = indents[at] ?? 0;
          return indent > 5 ? " ".repeat(indent - 5) + line : line;
        })
        .join("\n"),
    );

  fc.assert(
    fc.property(garbled, (yaml) => {
      expect(outcomeOf(() => load(yaml, env))).not.toContain("s3cr3t");
    }),
    { seed: SEED, numRuns: 500 },
  );
});

function load(yaml?: string, env: Record<string, string> = {}): Config {
  return loadFrom(yaml === undefined ? {} : { "sluice.yaml": yaml }, env);
}

function loadFrom(files: Record<string, string>, env: Record<string, string>): Config {
  const readFile: ConfigInput["readFile"] = (path) => {
    const text = files[path];
    return text === undefined ? undefined : new TextEncoder().encode(text);
  };
  return loadConfig({ env, readFile, knownProviders });
}

function errorOf(yaml: string | undefined, env?: Record<string, string>): ConfigError {
  return caught(() => load(yaml, env));
}

function mistakesOf(yaml?: string, env?: Record<string, string>): readonly string[] {
  return errorOf(yaml, env).mistakes;
}

function caught(run: () => unknown): ConfigError {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error("The configuration was taken.");
}

function outcomeOf(run: () => Config): string {
  try {
    return inspect(run(), { depth: 20 });
  } catch (error) {
    if (error instanceof ConfigError) return inspect([error.message, error.mistakes, error]);
    throw error;
  }
}
