import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../json.ts";
import { invalid } from "./error.ts";

/**
 * What a schema must keep to where the output shall conform to it by all
 * means: closed objects, and none of the limits that a grammar cannot hold.
 */
export function checkSchema(schema: JsonObject, path: string): void {
  checkNode(schema, path, 0);
}

const MAX_DEPTH = 100;

function checkNode(node: Json | undefined, path: string, depth: number): void {
  if (!isJsonObject(node)) return;
  if (depth > MAX_DEPTH) throw invalid(path, "Schema is too deeply nested.");
  checkKeywords(node, path);

  for (const keyword of ["items", "not"]) checkNode(node[keyword], path, depth + 1);
  for (const keyword of ["anyOf", "allOf", "oneOf", "prefixItems"]) {
    const branches = node[keyword];
    if (isJsonArray(branches)) for (const branch of branches) checkNode(branch, path, depth + 1);
  }
  for (const keyword of ["properties", "$defs", "definitions"]) {
    const parts = node[keyword];
    if (isJsonObject(parts))
      for (const part of Object.values(parts)) checkNode(part, path, depth + 1);
  }
}

function checkKeywords(node: JsonObject, path: string): void {
  const types = (isJsonArray(node["type"]) ? node["type"] : [node["type"]]).map(String);
  if (types.includes("object") && node["additionalProperties"] !== false) {
    throw invalid(
      path,
      "For 'object' type, 'additionalProperties' must be explicitly set to false",
    );
  }
  for (const type of types) {
    const wrong = (UNSUPPORTED[type] ?? []).filter((keyword) => Object.hasOwn(node, keyword));
    if (wrong.length > 0) {
      const noun = wrong.length === 1 ? "property" : "properties";
      const verb = wrong.length === 1 ? "is" : "are";
      const list = wrong.map((keyword) => `'${keyword}'`).join(", ");
      throw invalid(path, `For '${type}' type, ${noun} ${list} ${verb} not supported`);
    }
  }
  const least = node["minItems"];
  if (types.includes("array") && least !== undefined && least !== 0 && least !== 1)
    throw invalid(path, "For 'array' type, 'minItems' values other than 0 or 1 are not supported");
}

const NUMERIC = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];

const UNSUPPORTED: Readonly<Record<string, readonly string[]>> = {
  integer: NUMERIC,
  number: NUMERIC,
  string: ["minLength", "maxLength"],
  array: ["maxItems", "uniqueItems"],
  object: ["minProperties", "maxProperties", "patternProperties"],
};
