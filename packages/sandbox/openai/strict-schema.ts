import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../json.ts";
import { invalid } from "./error.ts";

/** With `strict`, every object lists all its properties as required and allows no others. */
export function checkStrictSchema(schema: JsonObject, place: SchemaPlace): void {
  if (schema["type"] !== "object")
    throw refusal(place, [], "schema must be a JSON Schema of 'type: \"object\"'");
  checkNode(schema, place, []);
}

interface SchemaPlace {
  /** "function 'f'" */
  readonly label: string;
  readonly param: string;
  readonly code: string | null;
}

function checkNode(node: Json | undefined, place: SchemaPlace, path: readonly string[]): void {
  if (!isJsonObject(node) || path.length > MAX_DEPTH) return;
  if (isJsonObject(node["properties"])) checkObject(node, node["properties"], place, path);

  for (const keyword of ["items", "additionalProperties"])
    checkNode(node[keyword], place, [...path, keyword]);
  for (const keyword of ["anyOf", "allOf", "oneOf", "prefixItems"]) {
    const branches = node[keyword];
    if (isJsonArray(branches))
      branches.forEach((each, index) => checkNode(each, place, [...path, keyword, String(index)]));
  }
  for (const keyword of ["properties", "$defs", "definitions"]) {
    const parts = isJsonObject(node[keyword]) ? Object.entries(node[keyword]) : [];
    for (const [name, part] of parts) checkNode(part, place, [...path, keyword, name]);
  }
}

const MAX_DEPTH = 100;

function checkObject(
  node: JsonObject,
  properties: JsonObject,
  place: SchemaPlace,
  path: readonly string[],
): void {
  if (node["additionalProperties"] !== false) {
    throw refusal(place, path, "'additionalProperties' is required to be supplied and to be false");
  }
  const required = isJsonArray(node["required"]) ? node["required"] : [];
  const missing = Object.keys(properties).find((name) => !required.includes(name));
  if (missing !== undefined) {
    throw refusal(
      place,
      path,
      `'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'`,
    );
  }
}

function refusal(
  { label, param, code }: SchemaPlace,
  path: readonly string[],
  reason: string,
): Error {
  const context = path.map((step) => `'${step}'`).join(", ");
  return invalid(param, code, `Invalid schema for ${label}: In context=(${context}), ${reason}.`);
}
