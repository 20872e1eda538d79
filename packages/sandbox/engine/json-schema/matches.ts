import {
  isJsonArray,
  isJsonObject,
  jsonText,
  type Json,
  type JsonObject,
} from "@sluice/sandbox/json.ts";
import { resolveSchema } from "./resolve.ts";

/**
 * Whether a value conforms to a schema. Unknown keywords and formats restrict
 * nothing; nor does a schema that refers to itself without going deeper into
 * the value, nor whatever is left when the checks are used up.
 */
export function matchesSchema(
  value: Json,
  schema: Json | undefined,
  root: Json = schema ?? true,
  checks: Checks = { left: MAX_CHECKS },
  depth = 0,
): boolean {
  if (schema === false) return false;
  if (depth > MAX_DEPTH || --checks.left < 0) return true;
  const node = resolveSchema(schema, root);
  const fits = (part: Json, inner: Json | undefined) =>
    matchesSchema(part, inner, root, checks, depth + 1);

  return (
    matchesType(value, node["type"], node["nullable"] === true) &&
    (node["const"] === undefined || equal(value, node["const"])) &&
    (!isJsonArray(node["enum"]) || node["enum"].some((each) => equal(value, each))) &&
    matchesBranches(value, node, fits) &&
    (typeof value !== "string" || matchesString(value, node)) &&
    (typeof value !== "number" || matchesNumber(value, node)) &&
    (!isJsonArray(value) || matchesArray(value, node, fits)) &&
    (!isJsonObject(value) || matchesObject(value, node, fits))
  );
}

/** How many parts of a value may still be held against a part of a schema. */
export interface Checks {
  left: number;
}

const MAX_CHECKS = 100_000;
const MAX_DEPTH = 200;

type Fits = (part: Json, inner: Json | undefined) => boolean;

function matchesType(value: Json, type: Json | undefined, isNullable: boolean): boolean {
  if (type === undefined || (isNullable && value === null)) return true;
  const types = isJsonArray(type) ? type : [type];
  return types.some((each) => {
    if (each === "null") return value === null;
    if (each === "array") return isJsonArray(value);
    if (each === "object") return isJsonObject(value);
    if (each === "integer") return Number.isInteger(value);
    return typeof value === each;
  });
}

function matchesBranches(value: Json, node: JsonObject, fits: Fits): boolean {
  const { anyOf, oneOf, not } = node;
  if (isJsonArray(anyOf) && !anyOf.some((branch) => fits(value, branch))) return false;
  if (isJsonArray(oneOf) && oneOf.filter((branch) => fits(value, branch)).length !== 1)
    return false;
  if (not !== undefined && fits(value, not)) return false;
  if (node["if"] === undefined) return true;
  return fits(value, node[fits(value, node["if"]) ? "then" : "else"] ?? true);
}

function matchesString(value: string, node: JsonObject): boolean {
  const length = Array.from(value).length;
  return (
    length >= numberOr(node["minLength"], 0) &&
    length <= numberOr(node["maxLength"], Infinity) &&
    (typeof node["pattern"] !== "string" || patternOf(node["pattern"])?.test(value) !== false)
  );
}

function matchesNumber(value: number, node: JsonObject): boolean {
  const step = numberOr(node["multipleOf"], 0);
  const steps = step === 0 ? 0 : value / step;
  return (
    value >= numberOr(node["minimum"], -Infinity) &&
    value <= numberOr(node["maximum"], Infinity) &&
    // Draft 4 writes the exclusive bounds as booleans beside the plain ones.
    (node["exclusiveMinimum"] === true
      ? value > numberOr(node["minimum"], -Infinity)
      : value > numberOr(node["exclusiveMinimum"], -Infinity)) &&
    (node["exclusiveMaximum"] === true
      ? value < numberOr(node["maximum"], Infinity)
      : value < numberOr(node["exclusiveMaximum"], Infinity)) &&
    Math.abs(steps - Math.round(steps)) < 1e-9
  );
}

function matchesArray(value: readonly Json[], node: JsonObject, fits: Fits): boolean {
  const { items, prefixItems, contains } = node;
  const heads = isJsonArray(prefixItems) ? prefixItems : isJsonArray(items) ? items : [];
  const rest = isJsonArray(items) ? node["additionalItems"] : items;
  const distinct = new Set(value.map((each) => JSON.stringify(each))).size;
  return (
    value.length >= numberOr(node["minItems"], 0) &&
    value.length <= numberOr(node["maxItems"], Infinity) &&
    (node["uniqueItems"] !== true || distinct === value.length) &&
    value.every((each, index) =>
      fits(each, heads[index] ?? (index < heads.length ? true : (rest ?? true))),
    ) &&
    (contains === undefined || value.some((each) => fits(each, contains)))
  );
}

function matchesObject(value: JsonObject, node: JsonObject, fits: Fits): boolean {
  const properties = isJsonObject(node["properties"]) ? node["properties"] : {};
  const patterns = isJsonObject(node["patternProperties"])
    ? Object.entries(node["patternProperties"])
    : [];
  const required = isJsonArray(node["required"]) ? node["required"] : [];
  const names = Object.keys(value);

  const propertyFits = (name: string): boolean => {
    const part = value[name];
    if (part === undefined) return true;
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const byPattern = patterns.filter(([pattern]) => patternOf(pattern)?.test(name) === true);
    if (own !== undefined && !fits(part, own)) return false;
    if (!byPattern.every(([, schema]) => fits(part, schema))) return false;
    return (
      own !== undefined || byPattern.length > 0 || fits(part, node["additionalProperties"] ?? true)
    );
  };

  return (
    required.every((name) => Object.hasOwn(value, jsonText(name))) &&
    names.length >= numberOr(node["minProperties"], 0) &&
    names.length <= numberOr(node["maxProperties"], Infinity) &&
    names.every(propertyFits) &&
    names.every((name) => fits(name, node["propertyNames"] ?? true)) &&
    dependenciesHold(names, node["dependentRequired"])
  );
}

function dependenciesHold(names: readonly string[], dependent: Json | undefined): boolean {
  if (!isJsonObject(dependent)) return true;
  return names.every((name) => {
    const needed = Object.hasOwn(dependent, name) ? dependent[name] : undefined;
    return !isJsonArray(needed) || needed.every((each) => names.includes(jsonText(each)));
  });
}

/** A pattern that is no regular expression restricts nothing. */
export function patternOf(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return undefined;
  }
}

function numberOr(value: Json | undefined, fallback: number): number {
  return typeof value === "number" ? value : fallback;
}

function equal(left: Json, right: Json): boolean {
  if (left === right) return true;
  const areParts = typeof left === "object" && typeof right === "object";
  return areParts && canonical(left) === canonical(right);
}

function canonical(value: Json): string {
  return JSON.stringify(value, (_, part: Json) =>
    isJsonObject(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
