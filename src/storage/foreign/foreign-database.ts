import type { Json, JsonObject } from "#lib/json.ts";

/** The database of another gateway, read at one moment. */
export interface ForeignDatabase extends AsyncDisposable {
  /** Names of its tables. */
  tables(): Promise<ReadonlySet<string>>;
  /** All rows of a table with all columns. Binary columns are read as UTF-8 text. */
  read(table: string): Promise<readonly JsonObject[]>;
}

/** The database cannot be opened or read; the message says why, without a secret. */
export class ForeignDatabaseError extends Error {
  override readonly name = "ForeignDatabaseError";
}

/** A row with values that JSON has. */
export function toJsonRow(row: object): JsonObject {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toJson(value)]));
}

function toJson(value: unknown): Json {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "bigint") return toNumber(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (Array.isArray(value)) return value.map(toJson);
  return typeof value === "object" ? toJsonRow(value) : null;
}

/** Larger integers stay exact as text. */
function toNumber(value: bigint): Json {
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}
