import type { Field } from "../value-picker.ts";
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "@sluice/sandbox/json.ts";
import { textFromPattern } from "./from-pattern.ts";
import { deeper, isDeep, type Context } from "./context.ts";
import { resolveSchema } from "./resolve.ts";

/** Required fields and fields with a value in the prompt; with `all`, the other fields too. */
export function generateObject(schema: JsonObject, field: Field, context: Context): JsonObject {
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const max = typeof schema["maxProperties"] === "number" ? schema["maxProperties"] : Infinity;
  const value: Record<string, Json> = {};

  const add = (name: string, node: Json) => {
    const part = context.generate(node, { name, description: field.description }, deeper(context));
    // A plain assignment to __proto__ would not make a property.
    Object.defineProperty(value, name, {
      value: part,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  };

  const required = requiredNames(schema);
  for (const name of required) add(name, schemaOf(name, schema, properties));
  for (const [name, node] of Object.entries(properties)) {
    const isOpen = !Object.hasOwn(value, name) && Object.keys(value).length < max;
    if (isOpen && node !== false && isWanted(name, node, context)) add(name, node);
  }
  for (const name of dependents(schema, value)) add(name, schemaOf(name, schema, properties));
  fillUp(schema, properties, value, context, add);
  return value;
}

function requiredNames(schema: JsonObject): readonly string[] {
  return isJsonArray(schema["required"]) ? [...new Set(schema["required"].map(String))] : [];
}

function isWanted(name: string, node: Json, context: Context): boolean {
  const schema = resolveSchema(node, context.root);
  if (isDeep(context)) return false;
  if (context.fill === "all") return true;
  if (context.values.pairs.has(name.toLowerCase())) return true;
  const listed = isJsonArray(schema["enum"]) ? schema["enum"] : [];
  const text = ` ${context.values.text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, " ")} `;
  return listed.some(
    (each) => typeof each === "string" && each !== "" && text.includes(` ${each.toLowerCase()} `),
  );
}

function schemaOf(name: string, schema: JsonObject, properties: JsonObject): Json {
  if (Object.hasOwn(properties, name)) return properties[name] ?? true;
  const patterns = isJsonObject(schema["patternProperties"])
    ? Object.entries(schema["patternProperties"])
    : [];
  const matching = patterns.find(([pattern]) => new RegExp(pattern, "u").test(name));
  return matching?.[1] ?? schema["additionalProperties"] ?? true;
}

function dependents(schema: JsonObject, value: JsonObject): readonly string[] {
  const { dependentRequired } = schema;
  if (!isJsonObject(dependentRequired)) return [];
  const needed = Object.entries(dependentRequired).flatMap(([name, names]) =>
    Object.hasOwn(value, name) && isJsonArray(names) ? names.map(String) : [],
  );
  return [...new Set(needed)].filter((name) => !Object.hasOwn(value, name));
}

/** Names of its own for an object that is a map, or that must have more properties than it names. */
function fillUp(
  schema: JsonObject,
  properties: JsonObject,
  value: JsonObject,
  context: Context,
  add: (name: string, node: Json) => void,
): void {
  const patterns = isJsonObject(schema["patternProperties"])
    ? Object.entries(schema["patternProperties"])
    : [];
  const isMap = isJsonObject(schema["additionalProperties"]) || patterns.length > 0;
  const count = () => Object.keys(value).length;
  const min = typeof schema["minProperties"] === "number" ? schema["minProperties"] : 0;
  const wanted = Math.min(
    MAX_PROPERTIES,
    Math.max(min, isMap && count() === 0 && !isDeep(context) ? 1 : 0),
  );

  for (const [name, node] of Object.entries(properties)) {
    if (count() < wanted && !Object.hasOwn(value, name)) add(name, node);
  }
  for (let tries = 0; count() < wanted && tries < wanted * 4; tries++) {
    const pattern = patterns[0];
    const lengths = { min: 1, max: 100 };
    const { propertyNames } = schema;
    const form =
      pattern?.[0] ?? (isJsonObject(propertyNames) ? propertyNames["pattern"] : undefined);
    const name =
      typeof form === "string" ? textFromPattern(form, lengths, context.random) : `key${tries + 1}`;
    if (name === undefined || Object.hasOwn(value, name)) continue;
    add(name, pattern?.[1] ?? schema["additionalProperties"] ?? true);
  }
}

const MAX_PROPERTIES = 100;
