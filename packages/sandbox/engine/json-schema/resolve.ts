import {
  isJsonArray,
  isJsonObject,
  jsonText,
  type Json,
  type JsonObject,
} from "@sluice/sandbox/json.ts";

/**
 * A schema node with its `$ref` followed and its `allOf` folded in. Only
 * references into the same document are known; a circle of references, like
 * the schema `true`, allows everything.
 */
export function resolveSchema(
  node: Json | undefined,
  root: Json,
  steps = { left: MAX_STEPS },
): JsonObject {
  let schema = isJsonObject(node) ? node : {};

  while (typeof schema["$ref"] === "string") {
    if (--steps.left < 0) return {};
    const { $ref, ...beside } = schema;
    schema = mergeSchemas(lookUp(jsonText($ref), root), beside);
  }

  const { allOf, ...own } = schema;
  if (!isJsonArray(allOf) || --steps.left < 0) return own;
  return allOf.reduce<JsonObject>(
    (merged, part) => mergeSchemas(merged, resolveSchema(part, root, steps)),
    own,
  );
}

const MAX_STEPS = 200;

/** Both must hold, so of two bounds the narrower one stays. */
export function mergeSchemas(left: JsonObject, right: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...left };
  for (const [key, value] of Object.entries(right)) {
    const before = merged[key];
    merged[key] = before === undefined ? value : (mergeKeyword(key, before, value) ?? value);
  }
  return merged;
}

function mergeKeyword(key: string, left: Json, right: Json): Json | undefined {
  if (key === "required" && isJsonArray(left) && isJsonArray(right))
    return [...new Set([...left, ...right])];
  if (key === "enum" && isJsonArray(left) && isJsonArray(right))
    return left.filter((each) => right.includes(each));
  if (key === "type") return mergeTypes(left, right);
  if (RAISED.has(key) && typeof left === "number" && typeof right === "number")
    return Math.max(left, right);
  if (LOWERED.has(key) && typeof left === "number" && typeof right === "number")
    return Math.min(left, right);
  if (key === "properties" && isJsonObject(left) && isJsonObject(right))
    return mergeProperties(left, right);
  return undefined;
}

function mergeProperties(left: JsonObject, right: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...left };
  for (const [name, schema] of Object.entries(right)) {
    const before = merged[name];
    merged[name] = before === undefined ? schema : { allOf: [before, schema] };
  }
  return merged;
}

function mergeTypes(left: Json, right: Json): Json {
  const lefts = isJsonArray(left) ? left : [left];
  const rights = isJsonArray(right) ? right : [right];
  const both = lefts.filter((type) => rights.includes(type));
  if (both.length === 0 && lefts.includes("number") && rights.includes("integer")) return "integer";
  return both.length === 1 ? (both[0] ?? left) : both.length === 0 ? right : both;
}

const RAISED = new Set(["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"]);
const LOWERED = new Set(["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"]);

/** "#", "#/$defs/node", "#/definitions/a~1b" */
function lookUp(pointer: string, root: Json): JsonObject {
  if (!pointer.startsWith("#")) return {};
  let node: Json | undefined = root;
  for (const step of pointer
    .slice(1)
    .split("/")
    .filter((each) => each !== "")) {
    const key = decodeStep(step);
    if (isJsonArray(node)) node = node[Number(key)];
    else node = isJsonObject(node) ? node[key] : undefined;
  }
  return isJsonObject(node) ? node : {};
}

function decodeStep(step: string): string {
  const plain = step.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
