import type { BrokenRule } from "./error.ts";
import type { Schema } from "./proto/schema.ts";

/** Rules of the vendor's schemas beyond their form. */
export function schemaRules(schema: Schema, path: string): readonly BrokenRule[] {
  return [
    ...ownRules(schema, path),
    ...(schema.items === undefined ? [] : schemaRules(schema.items, `${path}.items`)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
      schemaRules(each, `${path}.properties[${name}]`),
    ),
    ...(schema.anyOf ?? []).flatMap((each, index) => schemaRules(each, `${path}.any_of[${index}]`)),
  ];
}

function ownRules(schema: Schema, path: string): readonly BrokenRule[] {
  const { type, format, enum: listed, items, properties, required = [] } = schema;
  const broken = (name: string, reason: string) => ({ path: `${path}.${name}`, reason });
  const formats = FORMATS[type ?? ""];
  const missing = required.find((name) => !Object.hasOwn(properties ?? {}, name));
  return [
    ...(listed !== undefined && type !== undefined && type !== "STRING"
      ? [broken("enum", "only allowed for STRING type")]
      : []),
    ...(listed?.includes("") === true ? [broken("enum[0]", "cannot be empty")] : []),
    ...(format !== undefined && formats !== undefined && !formats.includes(format)
      ? [broken("format", `only ${quoted(formats)} are supported for ${type} type`)]
      : []),
    ...(type === "ARRAY" && items === undefined ? [broken("items", "missing field.")] : []),
    ...(missing !== undefined
      ? [broken(`required[${required.indexOf(missing)}]`, "property is not defined")]
      : []),
  ];
}

const FORMATS: Readonly<Record<string, readonly string[]>> = {
  STRING: ["enum", "date-time"],
  INTEGER: ["int32", "int64"],
  NUMBER: ["float", "double"],
};

function quoted(list: readonly string[]): string {
  return list.map((each) => `'${each}'`).join(" and ");
}
