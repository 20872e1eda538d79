import type { Json } from "@sluice/sandbox/json.ts";
import { mapOf, message, repeated } from "./message.ts";
import { anyValue, boolean, double, enumeration, int64, text, type Reader } from "./scalars.ts";

/** The vendor's own subset of OpenAPI's schemas: https://ai.google.dev/api/caching#Schema */
export interface Schema {
  readonly type?: SchemaType;
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly nullable?: boolean;
  readonly default?: Json;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly propertyOrdering?: readonly string[];
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly example?: Json;
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
}

type SchemaType = (typeof TYPES)[number];

const TYPES = [
  "TYPE_UNSPECIFIED",
  "STRING",
  "NUMBER",
  "INTEGER",
  "BOOLEAN",
  "ARRAY",
  "OBJECT",
  "NULL",
] as const;

export const schema: Reader<Schema> = message("Schema", {
  type: enumeration("Type", TYPES),
  format: text,
  title: text,
  description: text,
  nullable: boolean,
  default: anyValue,
  enum: repeated(text),
  items: (value, place) => schema(value, place),
  minItems: int64,
  maxItems: int64,
  properties: mapOf((value, place) => schema(value, place)),
  propertyOrdering: repeated(text),
  required: repeated(text),
  minProperties: int64,
  maxProperties: int64,
  minLength: int64,
  maxLength: int64,
  pattern: text,
  example: anyValue,
  anyOf: repeated((value, place) => schema(value, place)),
  minimum: double,
  maximum: double,
});
