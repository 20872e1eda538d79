import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, textOf } from "#lib/values.ts";
import type { ImportDocument } from "#core/import.ts";
import { readLitellm } from "#importers/litellm/read-litellm.ts";
import { LITELLM_TABLES } from "#importers/litellm/tables.ts";
import type { Program } from "#importers/one-api/channel-types.ts";
import { ONE_API_TABLES, programOf, readOneApi } from "#importers/one-api/read-one-api.ts";
import { readPortkey } from "#importers/portkey/read-portkey.ts";
import { writeImport } from "#importers/write-import.ts";
import { ForeignDatabaseError } from "#storage/foreign/foreign-database.ts";
import { openForeignDatabase } from "#storage/foreign/open-foreign-database.ts";
import { cell, UsageError, type Noun, type Prompt, type Verb, type Words } from "./command.ts";

const OPTIONS = { apply: "<digest>", name: "<name>" } as const;
/** A large import creates about a thousand objects in a second. */
const TIMEOUT_MS = 15 * 60_000;
const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;
const HOW =
  "shows what is taken, changed and left, and why; --apply with the digest of that plan makes it. " +
  "A repeated import creates nothing twice. --name: for a second installation of one program";

/** The data of another gateway, read here and created through the API. */
export const imports: Noun = {
  name: "import",
  verbs: [
    {
      usage: "litellm <config.yaml>",
      doc: `reads LiteLLM's file, and with --database its PostgreSQL database, whose credentials LITELLM_SALT_KEY or LITELLM_MASTER_KEY opens; ${HOW}`,
      options: { ...OPTIONS, database: "<url>" },
      ask: askLitellm,
      show: showPlan,
    },
    verbOf("new-api"),
    verbOf("one-api"),
    verbOf("one-hub"),
    {
      usage: "portkey <file>",
      doc: `reads a config of Portkey, or the answer of its GET /v1/configs, as JSON; ${HOW}`,
      options: OPTIONS,
      async ask(words) {
        const given = parseJson(await words.file());
        if (given === undefined) throw new UsageError("The file is not valid JSON.");
        return promptFor(readPortkey(given, nameIn(words, "portkey")), words);
      },
      show: showPlan,
    },
  ],
};

function verbOf(program: Program): Verb {
  return {
    usage: `${program} <dsn>`,
    doc: `reads a database of ${program}: a file of SQLite, or a URL or DSN of MySQL or PostgreSQL, by default that of SQL_DSN; ${HOW}`,
    options: OPTIONS,
    ask: (words) => askOneApi(program, words),
    show: showPlan,
  };
}

async function askLitellm(words: Words): Promise<Prompt> {
  const path = words.atMostOne("a file");
  const database = words.text("database");
  if (path === undefined && database === undefined) {
    throw new UsageError("Give LiteLLM's configuration file, or --database with its URL, or both.");
  }
  const config = path === undefined ? undefined : readYaml(await words.file());
  const tables =
    database === undefined ? undefined : await readTables(database, LITELLM_TABLES, "LiteLLM");
  const document = readLitellm({
    ...(config === undefined ? {} : { config }),
    ...(tables === undefined ? {} : { tables }),
    env: words.env,
    readFile: readCredential,
    now: Date.now(),
    source: nameIn(words, "litellm"),
  });
  return promptFor(document, words);
}

async function askOneApi(program: Program, words: Words): Promise<Prompt> {
  const place = words.atMostOne("a file, a URL or a DSN") ?? words.env["SQL_DSN"];
  if (place === undefined || place === "") {
    throw new UsageError("Give the database: a file of SQLite, or a URL or DSN. Or set SQL_DSN.");
  }
  const tables = await readTables(place, ONE_API_TABLES, program);
  const found = programOf(tables);
  if (found !== undefined && found !== program) {
    throw new UsageError(
      `This is a database of ${found}. Import it with: sluice import ${found} <dsn>`,
    );
  }
  return promptFor(readOneApi(program, tables, nameIn(words, program)), words);
}

/** A service account of Google. */
function readCredential(path: string): string | undefined {
  try {
    const content = readFileSync(path, "utf8");
    return isObject(parseJson(content)) ? content : undefined;
  } catch {
    return undefined;
  }
}

function readYaml(text: string): JsonObject {
  let content: unknown;
  try {
    content = parse(text);
  } catch (cause) {
    throw new UsageError("The file is not valid YAML.", { cause });
  }
  // The library has no other types than those of JSON.
  const json = parseJson(JSON.stringify(content ?? null));
  if (isObject(json)) return json;
  throw new UsageError("The file must be a map, such as LiteLLM's config.yaml.");
}

/** The tables that an import reads and the database has. */
async function readTables<T extends string>(
  place: string,
  wanted: readonly T[],
  program: string,
): Promise<{ readonly [Name in T]?: readonly JsonObject[] }> {
  try {
    await using database = await openForeignDatabase(place);
    const present = await database.tables();
    const found: { [Name in T]?: readonly JsonObject[] } = {};
    for (const table of wanted) if (present.has(table)) found[table] = await database.read(table);
    if (Object.keys(found).length > 0) return found;
  } catch (cause) {
    if (cause instanceof ForeignDatabaseError) throw new UsageError(cause.message, { cause });
    throw cause;
  }
  throw new UsageError(`The database has no tables of ${program}.`);
}

function nameIn(words: Words, program: string): string {
  const name = words.text("name") ?? program;
  if (NAME.test(name)) return name;
  throw new UsageError("--name takes 1 to 32 of a-z, 0-9 and dashes.");
}

function promptFor(document: ImportDocument, words: Words): Prompt {
  const digest = words.text("apply");
  return {
    method: "POST",
    path:
      digest === undefined
        ? "/api/import/plan"
        : `/api/import/apply?plan=${encodeURIComponent(digest)}`,
    body: writeImport(document),
    timeoutMs: TIMEOUT_MS,
    beside: { is_applied: digest !== undefined },
  };
}

function showPlan(data: JsonObject): readonly string[] {
  const items = listOf(data["items"]).filter(isObject);
  const isApplied = data["is_applied"] === true;
  const created = items.filter(({ action }) => action === "create");
  const present = items.filter(({ action }) => action === "present");
  const refused = items.filter(({ action }) => action === "leave");
  const left = [
    ...refused.map((each) => ({ subject: named(each), why: each["why"] ?? null })),
    ...listOf(data["left"]).filter(isObject),
  ];
  const changed = created.filter((each) => listOf(each["changes"]).length > 0);
  return [
    `Taken: ${counts(created)}.${changed.length === 0 ? "" : ` Changed: ${changed.length} of them.`}`,
    ...created.flatMap((each) => [
      `  ${named(each)}`,
      ...listOf(each["changes"]).map((change) => `    changed: ${cell(change)}`),
    ]),
    ...(present.length === 0
      ? []
      : ["", `Here since an earlier import, and left as they are: ${counts(present)}.`]),
    ...(left.length === 0 ? [] : ["", `Left: ${left.length}.`]),
    ...left.flatMap((each) => [
      `  ${cell(each["subject"] ?? null)}`,
      `    ${cell(each["why"] ?? null)}`,
    ]),
    "",
    isApplied
      ? "The import is complete. Check it with: sluice doctor"
      : `Nothing was changed. To make exactly this: --apply ${textOf(data["digest"]) ?? ""}`,
  ];
}

const NOUNS: Readonly<Record<string, string>> = {
  channels: "channel",
  models: "price of",
  groups: "group",
  teams: "team",
  users: "user",
  members: "member",
  keys: "key",
};

function named({ kind, name }: JsonObject): string {
  return `${NOUNS[textOf(kind) ?? ""] ?? ""} ${cell(name ?? null)}`;
}

function counts(items: readonly JsonObject[]): string {
  const kinds = Map.groupBy(items, ({ kind }: JsonObject): Json => kind ?? null);
  const all = [...kinds].map(([kind, found]) => `${found.length} ${cell(kind)}`);
  return all.length === 0 ? "nothing" : all.join(", ");
}
