import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "bun:test";
import { parse } from "yaml";
import { isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import type { Resolve } from "./json-schema.ts";

const BESIDE =
  process.env["SLUICE_TEST_SHARED"] ?? findShared(fileURLToPath(new URL("..", import.meta.url)));
const OWN = fileURLToPath(new URL("recorded", import.meta.url));
/** Whether vendors were recorded, or only the simulators; some tests are about what vendors alone did. */
export const HAS_VENDORS = existsSync(join(BESIDE, "corpus"));

/**
 * Traffic of vendors and their API descriptions are kept beside the project,
 * not in it: in the nearest folder above it that has them. SLUICE_TEST_SHARED
 * names another place. Without them, the project's own few recordings serve.
 */
export const SHARED = HAS_VENDORS ? BESIDE : OWN;

function findShared(from: string): string {
  const here = join(from, "shared");
  if (existsSync(join(here, "corpus")) || dirname(from) === from) return here;
  return findShared(dirname(from));
}

/**
 * Tests that need one of its folders. Where it is not there, one line says so
 * and they are skipped; a continuous integration run must have it.
 */
export function withShared(folder: string, define: () => void): void {
  if (existsSync(join(SHARED, folder))) define();
  else skipWithout(folder);
}

/** Tests that own recordings cannot serve: of simulators, or of what has no official client. */
export function withVendors(folder: string, define: () => void): void {
  if (existsSync(join(BESIDE, folder))) define();
  else skipWithout(folder);
}

/** A number of recordings that a test must have seen: of vendors, or of the own ones. */
export function countOf(vendors: number, own: number): number {
  return HAS_VENDORS ? vendors : own;
}

function skipWithout(folder: string): void {
  const title = `skipped: these tests need the folder '${folder}' beside the project`;
  const isNeeded = process.env["CI"] !== undefined;
  test.skipIf(!isNeeded)(title, () => {
    throw new Error("A continuous integration run must have it.");
  });
}

export function readLines(path: string): readonly JsonObject[] {
  const lines = readFileSync(join(SHARED, path), "utf8").split("\n");
  return lines.map(parseJson).filter(isObject);
}

export function readShared(path: string): JsonObject {
  const json = parseJson(readFileSync(join(SHARED, path), "utf8"));
  return isObject(json) ? json : {};
}

/**
 * The schemas of an OpenAPI document, one by one: the whole takes seconds to
 * parse, a schema milliseconds.
 */
export function openApiSchemas(path: string): Resolve {
  const text = readFileSync(join(SHARED, path), "utf8");
  const known = new Map<string, Json>();
  return (ref) => {
    const name = ref.slice(ref.lastIndexOf("/") + 1);
    const schema = known.get(name) ?? parseSchema(text, name);
    known.set(name, schema);
    return schema;
  };
}

/** From its name, four spaces in, to the next line that is no deeper. */
function parseSchema(text: string, name: string): Json {
  const start = text.indexOf(`\n    ${name}:\n`, text.indexOf("\n  schemas:\n"));
  if (start < 0) throw new Error(`There is no schema '${name}'.`);
  const from = text.indexOf("\n", start + 1) + 1;
  const end = /^ {0,4}\S/m.exec(text.slice(from))?.index ?? text.length;
  const schema: Json = parse(text.slice(from, from + end));
  return schema;
}
