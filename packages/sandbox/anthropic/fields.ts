import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../json.ts";
import { invalid } from "./error.ts";

/** One field of a request: its path and its value. Absent and null are the same. */
export interface FieldValue {
  readonly path: string;
  readonly value: Json | undefined;
}

/** `path` is that of the object, "" for the body itself. */
export function field(object: JsonObject, name: string, path = ""): FieldValue {
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  return { path: inside(path, name), value: value === null ? undefined : value };
}

export function inside(path: string, name: string | number): string {
  return path === "" ? String(name) : `${path}.${name}`;
}

export function readNumber(
  { path, value }: FieldValue,
  low: number,
  high = Infinity,
): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "number") throw invalid(path, "Input should be a valid number");
  if (value < low) throw invalid(path, `Input should be greater than or equal to ${low}`);
  if (value > high) throw invalid(path, `Input should be less than or equal to ${high}`);
  return value;
}

export function readInteger(at: FieldValue, low: number, high?: number): number | undefined {
  if (at.value !== undefined && !Number.isInteger(at.value))
    throw invalid(at.path, "Input should be a valid integer");
  return readNumber(at, low, high);
}

export function readBoolean({ path, value }: FieldValue): boolean | undefined {
  if (value !== undefined && typeof value !== "boolean")
    throw invalid(path, "Input should be a valid boolean");
  return value;
}

export function readText({ path, value }: FieldValue, most = Infinity): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw invalid(path, "Input should be a valid string");
  if (value.length > most) throw invalid(path, `String should have at most ${most} characters`);
  return value;
}

export function readChoice<const Choice extends string>(
  { path, value }: FieldValue,
  choices: readonly Choice[],
): Choice | undefined {
  if (value === undefined) return undefined;
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw invalid(path, `Input should be ${alternatives(choices)}`);
  return found;
}

export function readObject({ path, value }: FieldValue): JsonObject | undefined {
  if (value !== undefined && !isJsonObject(value))
    throw invalid(path, "Input should be a valid dictionary");
  return value;
}

export function readList(
  { path, value }: FieldValue,
  most = Infinity,
): readonly Json[] | undefined {
  if (value === undefined) return undefined;
  if (!isJsonArray(value)) throw invalid(path, "Input should be a valid list");
  if (value.length > most)
    throw invalid(
      path,
      `List should have at most ${most} items after validation, not ${value.length}`,
    );
  return value;
}

export function readTexts(at: FieldValue, most?: number): readonly string[] | undefined {
  return readList(at, most)?.map((value, index) =>
    required({ path: inside(at.path, index), value }, readText),
  );
}

/** Ids may have any letters, digits, underscores and hyphens, so those of many other vendors show. */
export function readId(object: JsonObject, name: string, path: string): string {
  const at = field(object, name, path);
  const id = required(at, readText);
  if (!/^[\w-]+$/.test(id))
    throw invalid(at.path, "String should match pattern '^[a-zA-Z0-9_-]+$'");
  return id;
}

/** The value as a reader reads it, which must be there. */
export function required<Value>(
  at: FieldValue,
  read: (at: FieldValue) => Value | undefined,
): Value {
  const value = read(at);
  if (value === undefined) throw invalid(at.path, "Field required");
  return value;
}

/** An object with a `type`: the object, and its kind. */
export function readTagged<const Tag extends string>(
  at: FieldValue,
  tags: readonly Tag[],
): { readonly object: JsonObject; readonly tag: Tag; readonly path: string } {
  const object = required(at, readObject);
  const type = required(field(object, "type", at.path), readText);
  const tag = tags.find((each) => each === type);
  if (tag === undefined) {
    throw invalid(
      at.path,
      `Input tag '${type}' found using 'type' does not match any of the expected tags: ${tags.map((each) => `'${each}'`).join(", ")}`,
    );
  }
  return { object, tag, path: inside(at.path, tag) };
}

/** The vendor refuses unknown fields. */
export function refuseExtras(object: JsonObject, known: readonly string[], path = ""): void {
  const extra = Object.keys(object).find((name) => !known.includes(name));
  if (extra !== undefined) throw invalid(inside(path, extra), "Extra inputs are not permitted");
}

function alternatives(choices: readonly string[]): string {
  const [last = "", ...before] = choices.map((choice) => `'${choice}'`).toReversed();
  return before.length === 0 ? last : `${before.toReversed().join(", ")} or ${last}`;
}
