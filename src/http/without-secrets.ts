import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, objectOf } from "#lib/values.ts";

const SECRET = "[secret]";
const CUT = "[cut]";
const MAX_CHARS = 200;
const MAX_NAME_CHARS = 64;
const MAX_ITEMS = 50;
/** Maximum length of all that is kept of a body. */
const MAX_LENGTH = 16_384;

/**
 * The fields of a body for the audit log: short, and without secrets. A field that the schema does
 * not describe counts as a secret, because it may be a misspelt password field.
 */
export function withoutSecrets(body: JsonObject, schema: JsonObject | undefined): JsonObject {
  const shown = showMembers(body, schema === undefined ? [] : alternativesOf(schema));
  if (JSON.stringify(shown).length <= MAX_LENGTH) return shown;
  return Object.fromEntries(Object.keys(shown).map((name) => [name, CUT]));
}

/** `schemas`: alternative schemas of the value. */
function show(value: Json, schemas: readonly JsonObject[]): Json {
  if (value === null) return null;
  if (schemas.length === 0 || schemas.some((each) => each["writeOnly"] === true)) return SECRET;
  if (isObject(value)) return showMembers(value, schemas);
  if (isArray(value)) {
    const items = schemas.flatMap((each) => alternativesOf(objectOf(each["items"])));
    const shown = value.slice(0, MAX_ITEMS).map((item) => show(item, items));
    return value.length > MAX_ITEMS ? [...shown, CUT] : shown;
  }
  if (typeof value !== "string") return value;
  return schemas.some(isText) ? cut(withoutLogin(value), MAX_CHARS) : SECRET;
}

function showMembers(value: JsonObject, schemas: readonly JsonObject[]): JsonObject {
  const members = Object.entries(value)
    .slice(0, MAX_ITEMS)
    .map(([name, member]): [string, Json] => [
      cut(name, MAX_NAME_CHARS),
      show(
        member ?? null,
        schemas.flatMap((each) => memberSchemas(each, name)),
      ),
    ]);
  return Object.fromEntries(members);
}

function memberSchemas(schema: JsonObject, name: string): readonly JsonObject[] {
  const properties = objectOf(schema["properties"]) ?? {};
  const own = Object.hasOwn(properties, name) ? properties[name] : schema["additionalProperties"];
  return alternativesOf(objectOf(own));
}

/** A URL may contain a password before its host, or a key in its query. */
function withoutLogin(text: string): string {
  return text
    .replaceAll(/\/\/[^/?#\s]*@/g, `//${SECRET}@`)
    .replace(/^(https?:[^?#\s]*)[?#].*$/is, `$1?${SECRET}`);
}

/** A secrecy mark on the whole applies to each alternative. */
function alternativesOf(schema: JsonObject | undefined): readonly JsonObject[] {
  if (schema === undefined) return [];
  if (schema["writeOnly"] === true || !isArray(schema["anyOf"])) return [schema];
  return listOf(schema["anyOf"]).flatMap((each) => alternativesOf(objectOf(each)));
}

function isText(schema: JsonObject): boolean {
  return schema["type"] === "string" || "const" in schema;
}

export function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}${CUT}` : text;
}
