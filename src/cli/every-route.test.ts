import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { ROUTES } from "#http/registry.ts";
import { openScratchFolder } from "#test/scratch-folder.ts";
import { readVerb, UsageError, wordOf, type Noun, type Prompt, type Verb } from "./command.ts";

/** Management operations without a command, with the reason. */
const WITHOUT_COMMAND: Readonly<Record<string, string>> = {
  finishLogin: "logins of browsers",
  logout: "logins of browsers",
  linkIdentity: "single sign-on of browsers",
  unlinkIdentity: "single sign-on of browsers",
  getSelf: "the user of the console",
  updateSelf: "the user of the console",
  createAccessToken: "needs the login of a browser",
  deleteAccessToken: "ends the command line's own access",
  beginSecondFactor: "needs the login of a browser",
  confirmSecondFactor: "needs the login of a browser",
  removeOwnSecondFactor: "needs the login of a browser",
  listSessions: "logins of browsers",
  endSessions: "logins of browsers",
  updateNamedToken: "the form of older clients; `keys change`",
  getInvitation: "`invitations list` shows the same fields",
  deleteToken: "`keys delete` takes one id or several",
  getOwnQuota: "the quota of the console's user; `users quota`",
  listOwnGrants: "the quota of the console's user; `users history`",
  listOwnCalls: "for members; `log` shows all calls",
  getOwnCall: "for members; `log show`",
  streamOwnCalls: "for members; `log --follow`",
  listTeamCalls: "for team owners; `log --team`",
  getTeamCall: "for team owners; `log show`",
  streamTeamCalls: "for team owners; `log --team --follow`",
  getOwnUsage: "for members; `usage` shows all",
  getOwnCallContent: "for members; `log content` shows all",
  listOwnAssets: "for members; `assets list` shows all",
  createOwnAsset: "the library of the console's user; clients call `CreateAsset`",
  uploadOwnAsset: "the library of the console's user",
  renameOwnAsset: "the library of the console's user; clients call `UpdateAsset`",
  deleteOwnAsset: "the library of the console's user; clients call `DeleteAsset`",
  listOwnAssetGroups: "the library of the console's user",
  createOwnAssetGroup: "the library of the console's user; clients call `CreateAssetGroup`",
  renameOwnAssetGroup: "the library of the console's user; clients call `UpdateAssetGroup`",
  listOwnVerifications: "for members; `assets verifications` shows all",
  beginOwnVerification: "the person opens its link in a browser",
  listOwnTasks: "for members; `tasks list` shows all",
  getTeamUsage: "for team owners; `usage` shows all",
  getOwnInvoice: "for members; `invoice user`",
  getOwnTeamInvoice: "for team owners; `invoice team`",
  getHome: "the first page of the console; `doctor`, `alerts` and `usage` show its parts",
  endSession: "logins of browsers",
  getAbout: "the console's page; `version` and `doctor` show the same",
  getAccount: "the user of the console",
  getServiceAccount: "`service-accounts list` shows the same fields",
  verifyAudit: "`audit verify` reads the database itself",
};

/** A file that each verb can read: of prices, of fields, or of a configuration. */
const PRICES = JSON.stringify({
  "gpt-4o-mini": { litellm_provider: "openai", mode: "chat", input_cost_per_token: 1e-6 },
});

const INPUTS = {
  readLine: async () => "a line of input",
  readFile: async () => PRICES,
  readLink: async () => PRICES,
};

const folder = openScratchFolder();
afterAll(() => folder[Symbol.dispose]());

/** A database that an import finds nothing in. */
function emptyDatabase(): string {
  const path = join(folder.path, "empty.db");
  using database = new Database(path, { create: true });
  database.run("create table if not exists tokens (id integer)");
  return path;
}

/** Values that a placeholder may stand for. */
function valuesFor(placeholder: string): readonly string[] {
  if (placeholder === "dsn") return [emptyDatabase()];
  if (placeholder === "owner") return ["key:7", "user:7", "team:7", "member:7-7", "gateway"];
  if (placeholder.includes("json")) return ['{"name":"a"}'];
  if (placeholder.includes("date") || placeholder === "day") return ["2030-12-31"];
  // An alert's id is a text, a rule's a number.
  if (placeholder === "alert|rule-id") return ["a-text", "7"];
  if (placeholder === "time") return ["2h"];
  return placeholder.includes("id") || !placeholder.includes("|")
    ? ["7"]
    : [placeholder.split("|")[0] ?? ""];
}

/** The words of a verb's syntax, in each of their forms. */
function positionalsOf({ usage }: Verb): readonly (readonly string[])[] {
  const all = [...usage.matchAll(/<([^>]+)>/g)].map(([, what = ""]) => valuesFor(what));
  return all.reduce<readonly (readonly string[])[]>(
    (lists, values) => lists.flatMap((list) => values.map((value) => [...list, value])),
    [[]],
  );
}

/** No option, each alone, and all that take a value: an option may select another request. */
function variantsOf({ options = {} }: Verb): readonly (readonly string[])[] {
  const each = Object.entries(options).map(([name, value]) => [
    `--${name}`,
    ...(value === undefined ? [] : valuesFor(value.replace(/[<>]/g, "")).slice(0, 1)),
  ]);
  return [[], ...each, each.filter(({ length }) => length > 1).flat()];
}

async function promptsOf(noun: Noun, verb: Verb): Promise<readonly Prompt[]> {
  const prompts: Prompt[] = [];
  for (const options of variantsOf(verb)) {
    for (const positionals of [...positionalsOf(verb), []]) {
      try {
        const { words } = readVerb(noun, [wordOf(verb), ...positionals, ...options], INPUTS);
        prompts.push(await verb.ask(words));
      } catch (cause) {
        // This option does not take this value, or not alone.
        if (!(cause instanceof UsageError)) throw cause;
      }
    }
  }
  return prompts;
}

async function everyNoun(): Promise<readonly Noun[]> {
  const files = readdirSync(import.meta.dirname).filter((name) =>
    /^[\w-]+(?<!\.test)\.ts$/.test(name),
  );
  const modules = await Promise.all(
    files.map((name): Promise<Record<string, unknown>> => import(`./${name}`)),
  );
  return modules.flatMap(Object.values).filter(isNoun);
}

function isNoun(value: unknown): value is Noun {
  return typeof value === "object" && value !== null && "name" in value && "verbs" in value;
}

/** Operations that need a role; those that anyone may ask are for browsers and monitors. */
const MANAGEMENT = ROUTES.filter(
  ({ path, access }) => path.startsWith("/api/") && !["key", "public"].includes(access),
);

function matches({ method, path }: Prompt, route: (typeof ROUTES)[number]): boolean {
  const pattern = route.path.replace(/:\w+(\{\.\+\})?/g, (_, many) => (many ? ".+" : "[^/]+"));
  return method === route.method && new RegExp(`^${pattern}$`).test(path.split("?")[0] ?? "");
}

test("each operation of the management API has a command, or a reason why not", async () => {
  const nouns = await everyNoun();
  const prompts: Prompt[] = [];
  for (const noun of nouns) {
    for (const verb of noun.verbs) {
      const found = await promptsOf(noun, verb);
      expect([noun.name, verb.usage, found.length > 0]).toEqual([noun.name, verb.usage, true]);
      prompts.push(...found);
    }
  }
  const without = MANAGEMENT.filter((route) => !prompts.some((each) => matches(each, route)));

  const missing = without
    .map(({ operationId, method, path }) => `${operationId}: ${method} ${path}`)
    .filter((line) => !Object.hasOwn(WITHOUT_COMMAND, line.split(":")[0] ?? ""));
  const needless = Object.keys(WITHOUT_COMMAND).filter(
    (id) => !without.some(({ operationId }) => operationId === id),
  );
  const unknown = prompts
    .filter((each) => !ROUTES.some((route) => matches(each, route)))
    .map(({ method, path }) => `${method} ${path}`);

  expect(nouns.length).toBeGreaterThan(10);
  expect(missing).toEqual([]);
  expect(needless).toEqual([]);
  expect(unknown).toEqual([]);
});
