import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { COMMANDS, NOUNS } from "#cli/commands.ts";
import { auditRows } from "#cli/audit-rows.ts";
import { readVerb } from "#cli/command.ts";
import { PLAIN_OPTIONS, unexpectedWord } from "#cli/plain-arguments.ts";
import { loadConfig } from "#config.ts";
import { ConfigError } from "#config/mistakes.ts";
import { ROUTES } from "#http/registry.ts";
import { Router } from "#http/router.ts";
import { PROVIDERS } from "#providers/index.ts";
import { requirementsOf } from "#providers/provider.ts";
import { exampleOf } from "../../site/generated/providers.ts";

interface Block {
  readonly file: string;
  /** The words behind the fence: `yaml` is a configuration of the gateway, `yaml compose` is not. */
  readonly kind: string;
  readonly text: string;
}

const blocks: readonly Block[] = ["README.md", "CONTRIBUTING.md", "SECURITY.md"]
  .concat(
    readdirSync("docs", { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".md"))
      .map((file) => `docs/${file}`),
  )
  .flatMap((file) => blocksIn(file));

function blocksIn(file: string): readonly Block[] {
  const fences = readFileSync(file, "utf8").matchAll(/^( *)```([^\n]*)\n([^]*?)^ *```/gm);
  return [...fences].map(([, , kind = "", text = ""]) => ({ file, kind: kind.trim(), text }));
}

describe("the documents", () => {
  test("have configurations with which the gateway would start", () => {
    const configurations = blocks.filter(({ kind }) => kind === "yaml");

    expect(configurations.length).toBeGreaterThan(30);
    expect(configurations.flatMap(mistakesIn)).toEqual([]);
  });

  test("have a channel for each provider with which the gateway would start", () => {
    const examples = PROVIDERS.map((each) => ({
      file: each.id,
      kind: "yaml",
      text: exampleOf(each),
    }));

    expect(examples.flatMap(mistakesIn)).toEqual([]);
  });

  test("have commands that the command line accepts", async () => {
    const lines = commandsIn("sluice");
    const refusals = await Promise.all(lines.map(refusalOf));

    expect(lines.length).toBeGreaterThan(60);
    expect(refusals.flat()).toEqual([]);
  });

  test("call paths that the gateway serves", () => {
    const calls = commandsIn("curl").map(({ file, words }) => ({ file, ...callOf(words) }));
    const router = new Router(ROUTES);
    const unknown = calls
      .filter(({ method, path }) => path !== undefined && router.find(method, path) === undefined)
      .map(({ file, method, path }) => `${file}: ${method} ${path}`);

    expect(calls.filter(({ path }) => path !== undefined).length).toBeGreaterThan(25);
    expect(unknown).toEqual([]);
  });

  test("run only scripts that the project has", () => {
    const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as {
      readonly scripts: object;
    };
    const known = [...Object.keys(scripts), "test"];
    const unknown = commandsIn("npm")
      .filter(({ words: [, verb, name = ""] }) => verb === "run" && !known.includes(name))
      .map(({ file, words }) => `${file}: ${words.join(" ")}`);

    expect(unknown).toEqual([]);
  });
});

/** A secret that every setting accepts as such. */
const ANY_VALUE = "A-value-of-more-than-24-characters-0123456789";

/** Settings that an example of another subject needs. */
const DESCRIBED_ELSEWHERE = {
  OTLP_HEADERS: "authorization=Bearer%20TOKEN",
  SLUICE_MAIL_SMTP_URL: "smtp://mail.example.com",
  SLUICE_MAIL_FROM: "gateway@example.com",
  SLUICE_PUBLIC_URL: "https://gateway.example.com",
};

function mistakesIn({ file, text }: Block): readonly string[] {
  const names = [...text.matchAll(/(?<!\$)\$\{(\w+)(:-[^}]*)?\}/g)]
    .filter(([, , fallback]) => fallback === undefined)
    .map(([, name = ""]) => name);
  // Each needs a secret of its own.
  const env = {
    ...Object.fromEntries(names.map((name) => [name, `${ANY_VALUE}-${name}`])),
    ...DESCRIBED_ELSEWHERE,
  };
  const readFile = () => Buffer.from(text);
  const knownProviders = PROVIDERS.map(requirementsOf);
  try {
    loadConfig({ env, readFile, knownProviders });
    return [];
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause;
    return cause.mistakes.map((mistake) => `${file}: ${mistake}`);
  }
}

interface Line {
  readonly file: string;
  readonly words: readonly string[];
}

/** All uses of a program in shell examples. */
function commandsIn(program: string): readonly Line[] {
  return blocks
    .filter(({ kind }) => kind === "sh")
    .flatMap(({ file, text }) =>
      text
        .replaceAll("\\\n", " ")
        .split("\n")
        .flatMap(commandsOfLine)
        .map((words) => ({ file, words })),
    )
    .filter(({ words: [first] }) => first === program);
}

/** The commands of a line, without variables before them, redirections and comments. */
function commandsOfLine(line: string): readonly (readonly string[])[] {
  const words =
    line.match(/"(?:[^"\\]|\\.)*"|'[^']*'|[|;&]+|(?:[^\s"'|;&]|"[^"]*"|'[^']*')+/g) ?? [];
  const commands: string[][] = [[]];
  for (const word of words) {
    if (word.startsWith("#")) break;
    if (/^[|;&]+$/.test(word)) commands.push([]);
    else commands.at(-1)?.push(unquoted(word));
  }
  return commands.map((each) => {
    const start = each.findIndex((word) => !/^(\w+=.*|npx|sudo|\.\/.*\/)$/.test(word));
    const own = each.slice(Math.max(0, start));
    const end = own.findIndex((word) => /^\d?[<>]/.test(word));
    const kept = end < 0 ? own : own.slice(0, end);
    const isScript = kept[0] === "npm" && kept[2] === "sluice";
    return isScript ? ["sluice", ...kept.slice(kept[3] === "--" ? 4 : 3)] : kept;
  });
}

function unquoted(word: string): string {
  return word.replaceAll(
    /'([^']*)'|"((?:[^"\\]|\\.)*)"/g,
    (_, one?: string, two?: string) => one ?? two ?? "",
  );
}

const INPUTS = {
  readLine: () => Promise.resolve("a secret"),
  readFile: () => Promise.resolve('{"name":"main","provider":"openai"}'),
  readLink: () => Promise.resolve("{}"),
};

/** These read their own arguments. */
const OTHERS = ["backup", "restore", "completion", "help"];
/** Their arguments are read, but they would open databases and files. */
const NOT_ASKED = /^(import|models update)\b/;

async function refusalOf({ file, words: [, name = "start", ...words] }: Line): Promise<string[]> {
  const written = `${file}: sluice ${[name, ...words].join(" ")}`;
  if (Object.hasOwn(PLAIN_OPTIONS, name)) {
    const unexpected = unexpectedWord(name, words);
    return unexpected === undefined ? [] : [`${written}: ${unexpected}`];
  }
  if (OTHERS.includes(name) || (name === "audit" && words[0] === "verify")) {
    const known =
      COMMANDS.find((each) => each.name === name)
        ?.rows.flat()
        .join(" ") ?? "";
    const unknown = words.filter((word) => word.startsWith("--") && !known.includes(word));
    return unknown.map((word) => `${written}: unknown option ${word}`);
  }
  const noun = name === "audit" ? auditRows : NOUNS.find((each) => each.name === name);
  if (noun === undefined) return [`${written}: unknown command`];
  try {
    const { verb, words: read } = readVerb(noun, words, INPUTS);
    if (!NOT_ASKED.test(`${name} ${verb.usage}`)) await verb.ask(read);
    return [];
  } catch (cause) {
    return [`${written}: ${cause instanceof Error ? cause.message : String(cause)}`];
  }
}

const URL_OF_GATEWAY = /^(?:http:\/\/(?:127\.0\.0\.1|localhost):8080|\$\w*URL)(\/[^?#]*)/;

function callOf(words: readonly string[]) {
  const path = words
    .map((word) => URL_OF_GATEWAY.exec(word)?.[1])
    .find((each) => each !== undefined);
  const given = words[words.findIndex((word) => word === "-X" || word === "--request") + 1];
  const hasBody = words.some((word) => /^(-d|--data.*|-F|--form)$/.test(word));
  const named = words.some((word) => word === "-X" || word === "--request") ? given : undefined;
  return { method: named ?? (hasBody ? "POST" : "GET"), path };
}
