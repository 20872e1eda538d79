import type { ImportDocument } from "#core/import.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, objectOf, textOf } from "#lib/values.ts";
import { ImportDraft } from "../draft.ts";
import { Row } from "../row.ts";
import { Accounts } from "./accounts.ts";
import { openerOf, openMembers } from "./decrypt.ts";
import { accessGroupsOf, deploymentOf, readDeployments, type Deployment } from "./deployments.ts";
import { leaveRest } from "./left.ts";
import type { LitellmTables } from "./tables.ts";

interface LitellmInput {
  /** The parsed configuration file. */
  readonly config?: JsonObject;
  readonly tables?: LitellmTables;
  /** Variables that the file refers to. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The content of a file with a credential; undefined if it cannot be read. */
  readFile?(path: string): string | undefined;
  /** Unix ms. */
  readonly now: number;
  /** The name of the import. */
  readonly source?: string;
}

const FROM_ENV = "os.environ/";

/** Reads a configuration file of LiteLLM, its database, or both. */
export function readLitellm(input: LitellmInput): ImportDocument {
  const { config = {}, tables = {}, env, now, source = "litellm" } = input;
  const draft = new ImportDraft(source);
  const missing = new Set<string>();
  const file = withStored(expand(config, env, missing), tables);
  const salts = saltsOf(file, env);
  const deployments = [
    ...listOf(file["model_list"]).flatMap((entry) => deploymentOf(entry) ?? []),
    ...storedDeployments(tables, salts, env, missing),
  ];
  readDeployments(
    withoutRepeats(deployments),
    {
      aliases: aliasesOf(file),
      readFile: (path) => input.readFile?.(path),
      credentials: credentialsOf(file, tables, salts, env, missing),
    },
    draft,
  );
  const accessGroups = accessGroupsOf(deployments);
  new Accounts(tables, { now, accessGroups }, draft).read();
  leaveRest({ file, tables, missing: [...missing], hasSalt: salts.length > 0 }, draft);
  return draft.document;
}

/** Members of `os.environ/NAME` get the value of the variable, or none. */
function expand(value: JsonObject, env: LitellmInput["env"], missing: Set<string>): JsonObject {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const expanded = member === undefined ? undefined : expandValue(member, env, missing);
      return expanded === undefined ? [] : [[name, expanded] as const];
    }),
  );
}

function expandValue(
  value: Json,
  env: LitellmInput["env"],
  missing: Set<string>,
): Json | undefined {
  if (isArray(value)) {
    return value.flatMap((each) => {
      const found = expandValue(each, env, missing);
      return found === undefined ? [] : [found];
    });
  }
  if (isObject(value)) return expand(value, env, missing);
  if (typeof value !== "string" || !value.startsWith(FROM_ENV)) return value;
  const name = value.slice(FROM_ENV.length);
  const found = env[name];
  if (found === undefined || found === "") missing.add(name);
  return found;
}

/** Sections that LiteLLM's pages store come before those of the file. */
function withStored(file: JsonObject, { LiteLLM_Config: rows = [] }: LitellmTables): JsonObject {
  const sections: Record<string, Json> = {};
  for (const values of rows) {
    const row = new Row(values);
    const name = row.text("param_name") ?? "";
    const stored = row.object("param_value") ?? {};
    if (SECTIONS.has(name)) sections[name] = { ...objectOf(file[name]), ...stored };
  }
  return { ...file, ...sections };
}

/** Values of the environment are encrypted, and are LiteLLM's own. */
const SECTIONS = new Set(["router_settings", "general_settings", "litellm_settings"]);

/** LiteLLM encrypts with the salt key, or else with the master key. */
function saltsOf(file: JsonObject, env: LitellmInput["env"]): readonly string[] {
  const general = objectOf(file["general_settings"]);
  const salts = [
    env["LITELLM_SALT_KEY"],
    textOf(general?.["master_key"]),
    env["LITELLM_MASTER_KEY"],
  ];
  return [...new Set(salts.filter((each) => each !== undefined && each !== ""))].map(String);
}

function storedDeployments(
  tables: LitellmTables,
  salts: readonly string[],
  env: LitellmInput["env"],
  missing: Set<string>,
): readonly Deployment[] {
  const opener = openerOf(salts);
  return (tables.LiteLLM_ProxyModelTable ?? []).map((values) => {
    const row = new Row(values);
    const unread: string[] = [];
    const opened = openMembers(row.object("litellm_params") ?? {}, opener, (name) =>
      unread.push(name),
    );
    const info = row.object("model_info") ?? {};
    return {
      name: row.text("model_name") ?? "",
      params: expand(opened, env, missing),
      info: { ...info, id: row.text("model_id") ?? textOf(info["id"]) ?? null },
      isBlocked: row.flag("blocked"),
      unread,
    };
  });
}

function credentialsOf(
  file: JsonObject,
  tables: LitellmTables,
  salts: readonly string[],
  env: LitellmInput["env"],
  missing: Set<string>,
): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  const opener = openerOf(salts);
  for (const values of tables.LiteLLM_CredentialsTable ?? []) {
    const row = new Row(values);
    const opened = openMembers(row.object("credential_values") ?? {}, opener, () => {});
    found.set(row.text("credential_name") ?? "", expand(opened, env, missing));
  }
  for (const each of listOf(file["credential_list"])) {
    const given = objectOf(each) ?? {};
    const values = objectOf(given["credential_values"]) ?? {};
    found.set(textOf(given["credential_name"]) ?? "", values);
  }
  return found;
}

/** The same deployment may be in the file and in the database. */
function withoutRepeats(deployments: readonly Deployment[]): readonly Deployment[] {
  const seen = new Set<string>();
  return deployments.filter(({ info }) => {
    const id = textOf(info["id"]);
    if (id === undefined) return true;
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}

/** `model_group_alias`: a name, or a map with the name and whether it is listed. */
function aliasesOf(file: JsonObject): ReadonlyMap<string, string> {
  const given = objectOf(objectOf(file["router_settings"])?.["model_group_alias"]) ?? {};
  return new Map(
    Object.entries(given).flatMap(([alias, of]) => {
      const name = textOf(of) ?? textOf(objectOf(of)?.["model"]);
      return name === undefined ? [] : [[alias, name] as const];
    }),
  );
}
