import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { type Config, loadConfig } from "#config.ts";
import { SEED, times } from "#test/seed.ts";
import { ConfigError } from "./mistakes.ts";
import { readFileHead } from "./read-file-head.ts";

test.each(["", "\n \n", "# only a comment\n", "---\n", "null", "\uFEFF# a byte order mark"])(
  "a file without content is a valid configuration: %j",
  (yaml) => {
    expect(load(yaml).settings.port).toBe(8080);
  },
);

test.each([
  "port: 9000\r\nhost: '::1'\r\n",
  "\uFEFFport: 9000\nhost: '::1'",
  "{port: 9000, host: '::1'}",
])("line ends, byte order marks and brackets make no difference: %j", (yaml) => {
  expect(load(yaml).settings).toMatchObject({ port: 9000, host: "::1" });
});

test.each([
  ["port: 1\nport: 2", 'sluice.yaml:2:1: "port" is a duplicate; the first is on line 1.'],
  [
    "port: 1\n  host: x",
    "sluice.yaml:1:7: A value contains a colon. Quote it, or check the indentation.",
  ],
  ["host: a: b", "sluice.yaml:1:7: A value contains a colon"],
  ["\tport: 1", "sluice.yaml:1:1: Tabs are not allowed for indentation"],
  ["host: 'x", "sluice.yaml:1:9: A quote, bracket, comma or colon is missing here"],
  ["host: @x", "sluice.yaml:1:7: A value cannot start with this character"],
  ['host: "\\q"', "sluice.yaml:1:8: A backslash in double quotes starts an escape"],
  ["{ host: ${HOST} }", "and quote ${...} inside brackets."],
  ["port: 1\n---\nport: 2", "The file has more than one document"],
  ["port: !!int 5", "sluice.yaml:1:7: Tags (!) are not supported."],
  ["host: *nobody", "sluice.yaml:1:7 host: is an alias (*) without an earlier anchor (&)"],
  ["host: *", "quote a literal asterisk"],
  ["? [a]\n: b", "has a name that is not plain text."],
  ["just text", "The file must be a map"],
  ["- a\n- b", "The file must be a map"],
  [`limits: ${"[".repeat(40)}${"]".repeat(40)}`, "is nested too deeply."],
  ["[".repeat(50_000), "This is nested too deeply."],
])("an invalid configuration is reported with its position: %#", (yaml, why) => {
  expect(mistakesOf(yaml)).toContainEqual(expect.stringContaining(why));
});

test("a file that is not UTF-8 or is too long is reported", () => {
  expect(mistakesOf(Uint8Array.of(0x61, 0x3a, 0x20, 0xff))).toEqual([
    "sluice.yaml: The file is not UTF-8 text.",
  ]);
  expect(mistakesOf("#".repeat(1024 * 1024 + 1))).toEqual([
    "sluice.yaml: The file is longer than 1048576 bytes.",
  ]);
  expect(load("#".repeat(1024 * 1024)).settings.port).toBe(8080);
});

test("an anchor can be used repeatedly, with the positions of its uses", () => {
  const { channels } = load(
    "channels:\n  - { name: a, provider: local, models: &m [x, y] }\n" +
      "  - { name: b, provider: local, models: *m }",
  );
  const upstreamNames = new Map([
    ["x", "x"],
    ["y", "y"],
  ]);
  expect(channels).toMatchObject([
    { name: "a", models: { kind: "listed", upstreamNames } },
    { name: "b", models: { kind: "listed", upstreamNames } },
  ]);
  expect(mistakesOf("port: &p x\nlimits: { attempts: *p }")).toEqual([
    expect.stringContaining("sluice.yaml:1:10 port:"),
    expect.stringContaining("sluice.yaml:2:21 limits.attempts:"),
  ]);
});

test("an alias means the latest value of its anchor, even after a copy of an earlier one", () => {
  const models = ["&m [&x one]", "[&x two]", "*m", "[*x]"];
  const rows = models.map((list, i) => `  - { name: c${i}, provider: local, models: ${list} }`);
  const { channels } = load(`channels:\n${rows.join("\n")}`);

  expect(
    channels.map(({ models }) => models.kind === "listed" && [...models.upstreamNames.keys()]),
  ).toEqual([["one"], ["two"], ["one"], ["two"]]);
});

test("nested aliases are limited", () => {
  const rows = Array.from({ length: 12 }, (_, i) => {
    const item = i === 0 ? "x" : `*a${i - 1}`;
    return `  - &a${i} [${Array.from({ length: 9 }, () => item).join(", ")}]`;
  });
  const bomb = `channels:\n${rows.join("\n")}`;

  expect(mistakesOf(bomb)).toContainEqual(
    expect.stringContaining("exceeds the limit of 100 aliases."),
  );
  expect(mistakesOf("channels: &a [*a]")).toContainEqual(
    expect.stringContaining("without an earlier anchor"),
  );
});

test("at most a hundred aliases are followed", () => {
  const aliases = (count: number): string =>
    `keys: &k [x]\nchannels: [${Array.from({ length: count }, () => "*k").join(", ")}]`;

  expect(mistakesOf(aliases(100)).join()).not.toContain("aliases");
  expect(mistakesOf(aliases(101))).toContainEqual(
    expect.stringContaining("exceeds the limit of 100 aliases."),
  );
});

test("copies of a large value are limited by the number of values", () => {
  const large = Array.from({ length: 20_000 }, (_, i) => `m${i}`).join(",");
  const copies = Array.from({ length: 8 }, (_, i) => `  - { name: c${i}, models: *m }`).join("\n");
  const yaml = `channels:\n  - { name: a, provider: local, models: &m [${large}] }\n${copies}`;
  expect(mistakesOf(yaml)).toContainEqual(
    expect.stringContaining("beyond the limit of 100000 values"),
  );
});

test("every sequence of bytes is accepted or refused with mistakes", () => {
  const tokens = fc.constantFrom(...TOKENS);
  const nonsense = fc.array(tokens, { maxLength: 40 }).map((parts) => parts.join(""));
  const anyText = fc.oneof(nonsense, fc.string({ unit: "binary" }), mutated(EXAMPLE));

  fc.assert(
    fc.property(anyText, (yaml) => void outcomeOf(yaml)),
    { seed: SEED, numRuns: times(250, 3_000) },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void outcomeOf(bytes)),
    { seed: SEED, numRuns: times(120, 1_000) },
  );
});

test("every mistake of a malformed file has a position inside it", () => {
  fc.assert(
    fc.property(mutated(EXAMPLE), (yaml) => {
      const lines = yaml.split(/\r\n?|\n/);
      for (const mistake of mistakesOf(yaml)) {
        const [, line, column] = /^sluice\.yaml:(\d+):(\d+)[: ]/.exec(mistake) ?? [];
        expect(Number(line)).toBeWithin(1, lines.length + 1);
        expect(Number(column)).toBeGreaterThanOrEqual(1);
      }
    }),
    { seed: SEED, numRuns: 500 },
  );
});

test("only the start of a file is read; a missing file is undefined", () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-config-"));
  try {
    const path = join(folder, "sluice.yaml");
    writeFileSync(path, "port: 9000\n");

    expect(new TextDecoder().decode(readFileHead(path, 100))).toBe("port: 9000\n");
    expect(new TextDecoder().decode(readFileHead(path, 4))).toBe("port");
    expect(readFileHead(join(folder, "other.yaml"), 100)).toBeUndefined();
    expect(() => readFileHead(folder, 100)).toThrow();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const TOKENS = [
  ..."port host channels keys models limits name provider key ${A} ${B:-c} ${ $${".split(" "),
  ..."&a *a !!str : - [ ] { } ' \" \\ # | > ? % @ ~ << 1e9 🎈".split(" "),
  ..."\n|\n  |\n    |: |- |, |---\n|...\n|\t|\r|\0|\uFEFF|\u2028".split("|"),
];

const EXAMPLE = `port: 8080
limits:
  idle_ms: 60s
  body_bytes: 32MiB
channels:
  - &main
    name: main
    provider: local
    base_url: http://127.0.0.1:9000/v1
    api_key: \${A}
    models: [gpt-4o-mini, { name: fast, upstream: "gpt-4o-mini" }]
keys:
  - { name: ci, key: 'a-key-of-twenty-four-characters', quota: 25.5, expires_at: 2030-12-31 }
models:
  gpt-4o-mini: { input: 0.15, output: 0.60 }
`;

/** The text with pieces of it cut out, doubled or moved. */
function mutated(text: string): fc.Arbitrary<string> {
  const at = fc.nat(text.length);
  const edits = fc.array(fc.tuple(at, at, fc.constantFrom("cut", "double", "move")), {
    minLength: 1,
    maxLength: 4,
  });
  return edits.map((list) => {
    let out = text;
    for (const [a, b, kind] of list) {
      const start = Math.min(a, b) % (out.length + 1);
      const end = Math.min(start + (Math.abs(a - b) % 40), out.length);
      const piece = out.slice(start, end);
      const rest = out.slice(0, start) + out.slice(end);
      if (kind === "cut") out = rest;
      else if (kind === "double") out = out.slice(0, end) + piece + out.slice(end);
      else out = rest.slice(0, a % (rest.length + 1)) + piece + rest.slice(a % (rest.length + 1));
    }
    return out;
  });
}

function load(file: string | Uint8Array): Config {
  const bytes = typeof file === "string" ? new TextEncoder().encode(file) : file;
  const env = { A: "sk-local", SLUICE_HOST: "" };
  const readFile = (_: string, maxBytes: number): Uint8Array => bytes.subarray(0, maxBytes);
  return loadConfig({ env, readFile, knownProviders: [{ id: "local", needsKey: false }] });
}

function outcomeOf(file: string | Uint8Array): Config | readonly string[] {
  try {
    return load(file);
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
}

function mistakesOf(file: string | Uint8Array): readonly string[] {
  const outcome = outcomeOf(file);
  return "settings" in outcome ? [] : outcome;
}
