import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connectToServer } from "#cli/client.ts";
import { imports } from "#cli/imports.ts";
import { runNoun } from "#cli/run.ts";
import { isObject, parseJson, type JsonObject } from "#lib/json.ts";
import { asRoot, openWithRoot, textIn, type Ask } from "#test/accounts.ts";
import type { TestGateway } from "#test/harness.ts";
import { SHARED } from "#test/shared.ts";

/** Dumps and configurations of other gateways, which were made by running them. */
export function materialPath(name: string): string {
  return join(SHARED, "importers", name);
}

export function readMaterial(name: string): string {
  return readFileSync(materialPath(name), "utf8");
}

export function readExpected(name: string): JsonObject {
  const expected = parseJson(readMaterial(name));
  return isObject(expected) ? expected : {};
}

/** A database file with the content of a dump. */
export function loadSqlite(dump: string, path: string): string {
  using database = new Database(path, { create: true });
  database.run(readMaterial(dump));
  return path;
}

export interface Importing extends AsyncDisposable {
  readonly opened: TestGateway;
  readonly root: Ask;
  /** The command as an owner types it; returns the plan. */
  run(...typed: string[]): Promise<JsonObject>;
  /** The text that the command prints. */
  print(...typed: string[]): Promise<string>;
  /** The message of a command that fails. */
  refusal(...typed: string[]): Promise<string>;
}

/** A gateway that data of others is imported into. */
export async function openImporting(
  env: Readonly<Record<string, string>> = {},
  gatewayEnv: Readonly<Record<string, string>> = {},
): Promise<Importing> {
  const opened = await openWithRoot({ yaml: "sandbox: off", env: gatewayEnv });
  const root = await asRoot(opened.url);
  const token = textIn((await root("POST", "/api/user/token")).data, "token");
  const call = async (typed: readonly string[]) => {
    let output = "";
    let errors = "";
    const code = await runNoun(imports, typed, {
      input: process.stdin,
      output: { write: (text) => (output += text) },
      errors: { write: (text) => (errors += text) },
      reach: async () => {
        const client = await connectToServer(opened.url, token);
        if (client === undefined) throw new Error("No gateway answers.");
        return client;
      },
      readLink: async () => "",
      env,
    });
    return { code, output, errors };
  };
  const print = async (...typed: string[]): Promise<string> => {
    const { code, output, errors } = await call(typed);
    if (code !== 0) throw new Error(errors);
    return output;
  };
  return {
    opened,
    root,
    print,
    async run(...typed) {
      const plan = parseJson(await print(...typed, "--json"));
      return isObject(plan) ? plan : {};
    },
    refusal: async (...typed) => (await call(typed)).errors,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}
