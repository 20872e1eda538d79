import { isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";

/**
 * A row of another gateway's table. Versions differ in their columns, and engines in the types of
 * values, so each value is read leniently, and a missing column is undefined.
 */
export class Row {
  readonly #values: JsonObject;

  constructor(values: JsonObject) {
    this.#values = values;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#values, name);
  }

  /** Undefined for an empty text. */
  text(name: string): string | undefined {
    const value = this.#values[name];
    if (typeof value === "number") return String(value);
    return typeof value === "string" && value.trim() !== "" ? value : undefined;
  }

  number(name: string): number | undefined {
    const value = this.#values[name];
    if (typeof value === "number") return value;
    const number = typeof value === "string" && value.trim() !== "" ? Number(value) : NaN;
    return Number.isNaN(number) ? undefined : number;
  }

  /** SQLite and MySQL have numbers for truth values. */
  flag(name: string): boolean {
    const value = this.#values[name];
    return value === true || value === 1 || value === "1" || value === "true" || value === "t";
  }

  /** Of a column of JSON, or of text that holds JSON. */
  json(name: string): Json | undefined {
    const value = this.#values[name];
    return typeof value === "string" ? parseJson(value) : (value ?? undefined);
  }

  object(name: string): JsonObject | undefined {
    const value = this.json(name);
    return isObject(value) ? value : undefined;
  }

  /** Texts of a list. */
  texts(name: string): readonly string[] {
    const value = this.json(name);
    return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
  }

  /** Parts of a text between separators, without white space. */
  parts(name: string, separator: RegExp): readonly string[] {
    const text = this.text(name) ?? "";
    return text.split(separator).flatMap((each) => (each.trim() === "" ? [] : [each.trim()]));
  }

  /** Unix ms of a time with or without a zone, which then is UTC. */
  time(name: string): number | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : timeOf(text);
  }
}

/** Times of databases have no zone, and are meant in UTC. */
export function timeOf(text: string): number | undefined {
  const written = text.trim().replace(" ", "T");
  const zoned = /(?:Z|[+-]\d\d(?::?\d\d)?)$/i.test(written) ? written : `${written}Z`;
  const at = Date.parse(zoned.replace(/([+-]\d\d)$/, "$1:00"));
  return Number.isNaN(at) ? undefined : at;
}
