import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, listOf, numberOf, pick, textOf } from "#lib/values.ts";

/**
 * A JSON schema in the part of the language that older models of this style
 * take: no references, no combinations but one, enumerations of texts only.
 * What cannot be said is left out, so the result allows at least as much.
 */
export function toSchemaSubset(schema: JsonObject): JsonObject {
  return convert(schema, { root: schema, depth: 0, budget: { left: MAX_SCHEMAS } });
}

/** References may lead in circles, and each one is written out where it stands. */
const MAX_DEPTH = 16;
const MAX_SCHEMAS = 2_000;

interface Place {
  readonly root: JsonObject;
  readonly depth: number;
  readonly budget: { left: number };
}

const KEPT = [
  "title",
  "description",
  "default",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "minLength",
  "maxLength",
  "pattern",
  "minimum",
  "maximum",
  "propertyOrdering",
] as const;

const FORMATS: ReadonlySet<string> = new Set([
  "int32",
  "int64",
  "float",
  "double",
  "enum",
  "date-time",
]);

function convert(written: JsonObject, from: Place): JsonObject {
  const at: Place = { ...from, depth: from.depth + 1 };
  at.budget.left--;
  if (at.depth > MAX_DEPTH || at.budget.left < 0) return { type: "OBJECT" };

  const schema = flattened(written, at);
  const { types, isNullable } = typesOf(schema);
  const choices = choicesOf(schema, types, at);
  const [type] = types;
  const format = textOf(schema["format"]);
  return defined({
    ...pick(schema, KEPT),
    type: choices === undefined ? typeName(type, schema) : undefined,
    format: format !== undefined && FORMATS.has(format) ? format : undefined,
    nullable: isNullable ? true : undefined,
    enum: enumOf(schema),
    anyOf: choices,
    ...(choices === undefined ? insideOf(schema, at) : {}),
  });
}

/** References followed and `allOf` put together, as far as that goes. */
function flattened(written: JsonObject, at: Place): JsonObject {
  let schema = written;
  for (let steps = 0; typeof schema["$ref"] === "string" && steps < MAX_DEPTH; steps++) {
    const { $ref: ref, ...beside } = schema;
    schema = { ...find(at.root, textOf(ref) ?? ""), ...beside };
  }
  const parts = listOf(schema["allOf"]).filter(isObject);
  at.budget.left -= parts.length;
  if (parts.length === 0 || at.depth >= MAX_DEPTH || at.budget.left < 0) return schema;
  const { allOf: _, ...rest } = schema;
  return [rest, ...parts]
    .map((part) => (part === rest ? part : flattened(part, { ...at, depth: at.depth + 1 })))
    .reduce(merged);
}

function merged(a: JsonObject, b: JsonObject): JsonObject {
  return {
    ...a,
    ...b,
    ...(isObject(a["properties"]) && isObject(b["properties"])
      ? { properties: { ...a["properties"], ...b["properties"] } }
      : {}),
    ...(isArray(a["required"]) && isArray(b["required"])
      ? { required: [...new Set([...a["required"], ...b["required"]])] }
      : {}),
  };
}

/** `#/$defs/name`, within the same document. */
function find(root: JsonObject, ref: string): JsonObject {
  let found: Json | undefined = root;
  for (const step of ref.split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return ref.startsWith("#") && isObject(found) ? found : {};
}

function typesOf(schema: JsonObject): { types: readonly string[]; isNullable: boolean } {
  const written = isArray(schema["type"]) ? schema["type"] : [schema["type"]];
  const all = written.filter((one) => typeof one === "string").map((one) => one.toLowerCase());
  const types = all.filter((one) => one !== "null");
  const isNullable = schema["nullable"] === true || (types.length > 0 && types.length < all.length);
  return { types: types.length > 0 ? types : all, isNullable };
}

/** The one combination there is. */
function choicesOf(
  schema: JsonObject,
  types: readonly string[],
  at: Place,
): readonly JsonObject[] | undefined {
  const written = isArray(schema["anyOf"]) ? schema["anyOf"] : listOf(schema["oneOf"]);
  const choices = written.filter(isObject);
  if (choices.length > 0) return choices.map((choice) => convert(choice, at));
  if (types.length < 2) return undefined;
  const { description: _, title: __, ...rest } = schema;
  return types.map((type) => convert({ ...rest, type }, at));
}

function typeName(type: string | undefined, schema: JsonObject): string | undefined {
  if (enumOf(schema) !== undefined) return "STRING";
  if (type !== undefined) return type.toUpperCase();
  if (isObject(schema["properties"])) return "OBJECT";
  return schema["items"] === undefined ? undefined : "ARRAY";
}

/** Texts only: a number among them is written as one. */
function enumOf(schema: JsonObject): readonly string[] | undefined {
  const words = "const" in schema ? [schema["const"]] : listOf(schema["enum"]);
  const texts = words
    .filter((word) => typeof word === "string" || typeof word === "number")
    .map(String);
  return texts.length === 0 ? undefined : texts;
}

function insideOf(schema: JsonObject, at: Place): Readonly<Record<string, Json | undefined>> {
  const properties = isObject(schema["properties"])
    ? Object.entries(schema["properties"]).flatMap(([name, one]) =>
        isObject(one) && at.budget.left > 0 ? [[name, convert(one, at)] as const] : [],
      )
    : [];
  const names = new Set(properties.map(([name]) => name));
  const required = listOf(schema["required"]).filter(
    (name) => typeof name === "string" && names.has(name),
  );
  return {
    properties: properties.length > 0 ? Object.fromEntries(properties) : undefined,
    required: required.length > 0 ? required : undefined,
    items: itemsOf(schema, at),
    // A bound that excludes its own value is near enough as one that does not.
    minimum: numberOf(schema["minimum"]) ?? numberOf(schema["exclusiveMinimum"]),
    maximum: numberOf(schema["maximum"]) ?? numberOf(schema["exclusiveMaximum"]),
  };
}

function itemsOf(schema: JsonObject, at: Place): JsonObject | undefined {
  if (isObject(schema["items"])) return convert(schema["items"], at);
  const places = listOf(schema["prefixItems"]).filter(isObject);
  if (places.length === 0) return undefined;
  const [first] = places;
  return places.length === 1 && first !== undefined
    ? convert(first, at)
    : { anyOf: places.map((place) => convert(place, at)) };
}
