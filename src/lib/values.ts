import { ExactNumber } from "./exact-number.ts";
import { LongBase64 } from "./long-base64.ts";
import { isArray, isObject, type Json, type JsonObject } from "./json.ts";

/** Typed reads of untrusted values: `undefined` if the type is different. */
export function textOf(value: Json | undefined): string | undefined {
  if (typeof value === "string") return value;
  return value instanceof LongBase64 ? value.toString() : undefined;
}

/** The same for long texts, without a copy. */
export function longTextOf(value: Json | undefined): string | LongBase64 | undefined {
  return typeof value === "string" || value instanceof LongBase64 ? value : undefined;
}

export function numberOf(value: Json | undefined): number | undefined {
  if (value instanceof ExactNumber) return value.value;
  return typeof value === "number" ? value : undefined;
}

/** A decimal as text, from either a number or a text. */
export function decimalOf(value: Json | undefined): string | undefined {
  const isNumber = typeof value === "number" || value instanceof ExactNumber;
  return isNumber ? String(value) : textOf(value);
}

export function integerOf(value: Json | undefined): number | undefined {
  const number = numberOf(value);
  return Number.isInteger(number) ? number : undefined;
}

export function flagOf(value: Json | undefined): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

export function objectOf(value: Json | undefined): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

export function listOf(value: Json | undefined): readonly Json[] {
  return isArray(value) ? value : NO_ITEMS;
}

const NO_ITEMS: readonly Json[] = [];

/** A field of a value that may not be an object. */
export function memberOf(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) ? value[name] : undefined;
}

/** Drops undefined fields, as `exactOptionalPropertyTypes` requires. */
export function defined<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> };
export function defined(value: Readonly<Record<string, unknown>>): object {
  const kept: Record<string, unknown> = {};
  for (const name in value) {
    const member = value[name];
    if (member !== undefined) kept[name] = member;
  }
  return kept;
}

/** The fields that are not in `known`; `undefined` if there are none. Null counts as absent. */
export function restOf(value: JsonObject, known: ReadonlySet<string>): JsonObject | undefined {
  let rest: Record<string, Json> | undefined;
  for (const name in value) {
    const member = value[name];
    if (member === undefined || member === null || known.has(name) || name === "__proto__")
      continue;
    rest ??= {};
    rest[name] = member;
  }
  return rest;
}

export function pick(value: JsonObject, names: readonly string[]): Record<string, Json> {
  const picked: Record<string, Json> = {};
  for (const name of names) {
    const member = value[name];
    if (member !== undefined && member !== null) picked[name] = member;
  }
  return picked;
}

/** Arguments as JSON text; some clients send the object itself, or nothing. */
export function argumentsOf(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** While an object is built. */
export type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };
