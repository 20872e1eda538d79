import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { fromJSONSchema, type ZodType } from "zod";
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../json.ts";

/** Validators for the named schemas of an OpenAPI document. */
export function openapiSchemas(path: string): (name: string) => ZodType {
  const document: Json = parse(readFileSync(path, "utf8"), { maxAliasCount: 0 });
  const all = objectAt(objectAt(document, "components"), "schemas");

  return (name) => {
    const reachable: Record<string, Json> = {};
    collect(name, all, reachable);
    // Parsed back, because the library's type of a schema is narrower than what it reads.
    return fromJSONSchema(
      JSON.parse(JSON.stringify({ $ref: `#/$defs/${name}`, $defs: reachable })),
    );
  };
}

function collect(name: string, all: JsonObject, into: Record<string, Json>): void {
  if (Object.hasOwn(into, name)) return;
  const schema = all[name] ?? {};
  into[name] = {};
  const adapted = adapt(schema);
  into[name] = adapted;
  for (const [, found = ""] of JSON.stringify(adapted).matchAll(/"#\/\$defs\/([^"]+)"/g))
    collect(found, all, into);
}

/** From the dialect of the document to plain JSON Schema. */
function adapt(node: Json): Json {
  if (isJsonArray(node)) return node.map(adapt);
  if (!isJsonObject(node)) return node;
  const {
    nullable,
    discriminator: _discriminator,
    description: _description,
    default: _default,
    // Which the library does not read.
    not: _not,
    ...kept
  } = node;
  const adapted: Record<string, Json> = Object.fromEntries(
    Object.entries(kept).map(([key, value]): [string, Json] => [key, adapt(value)]),
  );
  // The document leaves the type out here and there, which would allow anything but an object, too.
  if (isJsonObject(adapted["properties"]) && adapted["type"] === undefined)
    adapted["type"] = "object";
  if (typeof adapted["$ref"] === "string") {
    const reference = { $ref: adapted["$ref"].replace("#/components/schemas/", "#/$defs/") };
    return nullable === true ? { anyOf: [reference, { type: "null" }] } : reference;
  }
  return nullable === true ? { anyOf: [adapted, { type: "null" }] } : adapted;
}

function objectAt(value: Json | undefined, key: string): JsonObject {
  const part = isJsonObject(value) ? value[key] : undefined;
  return isJsonObject(part) ? part : {};
}
