import { expect, test } from "bun:test";
import { check } from "./check.ts";

const YAML = `port: 9000
secret: \${PEPPER}
channels:
  - name: main
    provider: openai
    base_url: http://127.0.0.1:9000/v1
    api_keys: [s3cr3t-upstream-one, s3cr3t-upstream-two]
    models: [gpt-4o, { name: fast, upstream: gpt-4o-mini }]
    style: chat
    limits: { rpm: 500 }
keys:
  - { name: ci, key: s3cr3t-key-0123456789012345, quota: 25.5, expires_at: 2030-12-31,
      limits: { rpm: 60, concurrency: 5 } }
models:
  gpt-4o: { input: 2.5, output: 10, cached_input: 1.25, context: 128000, limits: { tpm: 9000 } }
`;
const env = {
  PEPPER: "s3cr3t-3f9a1c77e0b24d5a9b8c7d6e5f4a3b2c",
  DATABASE_URL: "postgres://sluice:s3cr3t@db.internal/sluice",
  SLUICE_LIMIT_ATTEMPTS: "2",
};

test("a valid configuration is printed with the source of each value, without secrets", () => {
  const { code, text } = run(YAML, env);

  expect(code).toBe(0);
  expect(text).toMatch(/^  port +9000 +sluice\.yaml:1:7$/m);
  expect(text).toMatch(/^  limits\.attempts +2 +SLUICE_LIMIT_ATTEMPTS$/m);
  expect(text).toMatch(/^  log_level +info +default$/m);
  expect(text).toMatch(/^  secret +\*\*\* +sluice\.yaml:2:9$/m);
  expect(text).toMatch(/^  database_url +\*\*\* +DATABASE_URL$/m);
  expect(text).toMatch(/^  bootstrap_key +none +default$/m);
  expect(text).toMatch(/^  main +openai +http:\/\/127\.0\.0\.1:9000\/v1 +2 credentials /m);
  expect(text).toContain(
    "priority 0, weight 1, at most 5000 calls, 500 requests/min  style chat  gpt-4o, fast (gpt-4o-mini)",
  );
  expect(text).toMatch(
    /^  ci  \*\*\*  up to \$25\.50  until 2030-12-31T00:00:00\.000Z  60 requests\/min, 5 at once, \*$/m,
  );
  expect(text).toContain(
    "gpt-4o  input $2.5/M, output $10/M, cached_input $1.25/M, context 128000, 9000 tokens/min",
  );
  expect(text).not.toContain("s3cr3t");
});

test("an invalid configuration prints all mistakes, and nothing else", () => {
  const { code, text } = run("prot: 1\nkeys: [{ name: ci, key: s3cr3t }]", { SLUICE_PORT: "x" });

  expect(code).toBe(1);
  expect(text).toBe(
    [
      "The configuration has 3 mistakes:",
      '  SLUICE_PORT: "x" is not a whole number from 0 to 65535.',
      '  sluice.yaml:1:1: "prot" is not known here; did you mean "port"?',
      "  sluice.yaml:2:25 keys[0].key: The value is not a secret of 24 to 512 visible ASCII characters without spaces.",
      "",
    ].join("\n"),
  );
});

test("names with control characters cannot affect the terminal", () => {
  const { text } = run('"\\u001b[2Jevil\\u202e": 1\nhost: "\\u001b[31m"', {});
  expect(text).not.toMatch(/[^\P{C}\n]/u);
  expect(text).toContain("evil");
});

test("an unexpected error is not reported as a configuration mistake", () => {
  const knownProviders = {
    map: () => {
      throw new TypeError("broken");
    },
  } as never;
  const readFile = (): undefined => undefined;
  const output = { write: () => true };
  expect(() => check({ env: {}, readFile, knownProviders, output })).toThrow(TypeError);
});

test("the configuration and its mistakes are printed as JSON", () => {
  const good = run(
    "port: 9000\nchannels: [{ name: main, provider: openai, api_key: sk-1234567890 }]",
    {},
    true,
  );
  const bad = run("port: many", {}, true);

  const printed = JSON.parse(good.text) as { settings: { name: string }[] };
  expect([good.code, printed]).toMatchObject([
    0,
    { valid: true, channels: ["main"], warnings: [] },
  ]);
  expect(printed.settings.find(({ name }) => name === "port")).toMatchObject({ value: "9000" });
  expect(good.text).not.toContain("sk-1234567890");
  expect(bad.code).toBe(1);
  expect(JSON.parse(bad.text)).toMatchObject({
    valid: false,
    mistakes: [expect.stringContaining("port")],
  });
});

function run(
  yaml: string,
  variables: Record<string, string>,
  isJson = false,
): { code: 0 | 1; text: string } {
  let text = "";
  const code = check({
    isJson,
    env: variables,
    readFile: () => new TextEncoder().encode(yaml),
    knownProviders: [{ id: "openai", needsKey: true }],
    output: { write: (piece) => (text += piece) },
  });
  return { code, text };
}
