import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../json.ts";
import { invalid } from "./error.ts";

/** The body of an endpoint that takes nothing but JSON objects. */
export function objectIn(body: Json | undefined): JsonObject {
  if (isJsonObject(body)) return body;
  throw invalid(null, null, "We could not parse the JSON body of your request.");
}

/** One field of a request: its path and its value. Absent and null are the same. */
export interface FieldValue {
  readonly path: string;
  readonly value: Json | undefined;
}

export function field(body: JsonObject, name: string, path = name): FieldValue {
  const value = Object.hasOwn(body, name) ? body[name] : undefined;
  return { path, value: value === null ? undefined : value };
}

export function readNumber(
  { path, value }: FieldValue,
  low: number,
  high: number,
): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "number") throw wrongType(path, "a number", value);
  return inside(path, value, low, high, "decimal");
}

export function readInteger(
  { path, value }: FieldValue,
  low: number,
  high: number,
): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "number" || !Number.isInteger(value))
    throw wrongType(path, "an integer", value);
  return inside(path, value, low, high, "integer");
}

export function readBoolean({ path, value }: FieldValue): boolean | undefined {
  if (value !== undefined && typeof value !== "boolean") throw wrongType(path, "a boolean", value);
  return value;
}

export function readText(
  { path, value }: FieldValue,
  maxCharacters = Infinity,
): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw wrongType(path, "a string", value);
  if (value.length <= maxCharacters) return value;
  throw invalid(
    path,
    "string_above_max_length",
    `Invalid '${path}': string too long. Expected at most ${maxCharacters} characters, but got ${value.length}.`,
  );
}

/** A text that must be there and say something. */
export function readFilled(place: FieldValue, maxCharacters?: number): string {
  const text = required(place, readText(place, maxCharacters));
  if (text !== "") return text;
  throw invalid(
    place.path,
    "empty_string",
    `Invalid '${place.path}': empty string. Expected a string with minimum length 1, but got an empty string instead.`,
  );
}

export function readChoice<const Choice extends string>(
  { path, value }: FieldValue,
  choices: readonly Choice[],
): Choice | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw wrongType(path, "a string", value);
  const found = choices.find((choice) => choice === value);
  if (found === undefined) {
    const list = LIST.format(choices.map((choice) => `'${choice}'`));
    throw invalid(
      path,
      "invalid_value",
      `Invalid value: '${value}'. Supported values are: ${list}.`,
    );
  }
  return found;
}

const LIST = new Intl.ListFormat("en", { type: "conjunction" });

export function readObject({ path, value }: FieldValue): JsonObject | undefined {
  if (value !== undefined && !isJsonObject(value)) throw wrongType(path, "an object", value);
  return value;
}

export function readList(
  { path, value }: FieldValue,
  min: number,
  max: number,
): readonly Json[] | undefined {
  if (value === undefined) return undefined;
  if (!isJsonArray(value)) throw wrongType(path, "an array", value);
  if (value.length === 0 && min > 0) {
    throw invalid(
      path,
      "empty_array",
      `Invalid '${path}': empty array. Expected at least ${min} element.`,
    );
  }
  if (value.length > max) {
    throw invalid(
      path,
      "array_above_max_length",
      `Invalid '${path}': array too long. Expected at most ${max} elements, but got ${value.length}.`,
    );
  }
  return value;
}

export function required<Value>({ path }: FieldValue, value: Value | undefined): Value {
  if (value === undefined)
    throw invalid(path, "missing_required_parameter", `Missing required parameter: '${path}'.`);
  return value;
}

export function wrongType(path: string, wanted: string, value: Json): Error {
  return invalid(
    path,
    "invalid_type",
    `Invalid type for '${path}': expected ${wanted}, but got ${typeName(value)} instead.`,
  );
}

function inside(
  path: string,
  value: number,
  low: number,
  high: number,
  kind: "decimal" | "integer",
): number {
  if (value < low)
    throw invalid(
      path,
      `${kind}_below_min_value`,
      `Invalid '${path}': expected a value >= ${low}, but got ${value}.`,
    );
  if (value > high)
    throw invalid(
      path,
      `${kind}_above_max_value`,
      `Invalid '${path}': expected a value <= ${high}, but got ${value}.`,
    );
  return value;
}

function typeName(value: Json): string {
  if (value === null) return "null";
  if (isJsonArray(value)) return "an array";
  return isJsonObject(value) ? "an object" : `a ${typeof value}`;
}
