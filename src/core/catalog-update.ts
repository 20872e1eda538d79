import type { JsonObject } from "#lib/json.ts";

/** A row of the catalogue that takes the place of a shipped one, whole, as catalogue files write it. */
export interface UpdatedRow {
  readonly provider: string;
  readonly id: string;
  /** With its source and date. */
  readonly row: JsonObject;
}

export interface StoredUpdates {
  /** By provider and id. */
  readonly rows: readonly UpdatedRow[];
  /** The newest day of all updates. */
  readonly date: string | undefined;
}

/** Updated rows, for all gateways of one database. */
export interface UpdatedRowStore {
  list(): Promise<StoredUpdates>;
  /**
   * All or none. Each takes the place of an earlier one. `date`: the day on
   * which the facts held, those that changed nothing as well. Throws
   * `invalid_request` if there are too many.
   */
  put(rows: readonly UpdatedRow[], date: string): Promise<void>;
  /** Those of these providers; all, and the day, if none is named. Returns how many rows there were. */
  delete(providers?: readonly string[]): Promise<number>;
}

/** What an update would make of the catalogue. */
export interface CatalogPlan {
  /** Models that were not known, with their prices as catalogue files write them. */
  readonly added: readonly { readonly provider: string; readonly id: string; price?: JsonObject }[];
  readonly changed: readonly FactChange[];
  /** Rows that say what is known already. */
  readonly unchanged: number;
  readonly leftOut: readonly LeftOut[];
}

/** `before` and `after` are absent if nothing is said. */
export interface FactChange {
  readonly provider: string;
  readonly id: string;
  /** `price.input`, `price.above 200000.output`, `maxOutputTokens`, `retires`. */
  readonly field: string;
  readonly before?: string;
  readonly after?: string;
}

export interface LeftOut {
  readonly provider: string;
  readonly id: string;
  readonly why: string;
}

export interface CatalogState {
  /** The newest day of the shipped rows, and of the updates. */
  readonly shipped: string;
  readonly updated: string | undefined;
  /** Of the newer of the two. */
  readonly ageDays: number;
  readonly isOld: boolean;
  /** Updated rows, by provider. */
  readonly rows: ReadonlyMap<string, number>;
}

/** `facts`: files of the catalogue, whose rows may leave out what they do not know. */
export interface CatalogUpdates {
  describe(): CatalogState;
  /** Throws `invalid_request` for facts out of shape. */
  plan(facts: JsonObject): CatalogPlan;
  apply(facts: JsonObject): Promise<CatalogPlan>;
  remove(providers?: readonly string[]): Promise<number>;
}

/** Vendors change prices several times a year. */
export const MAX_CATALOG_AGE_DAYS = 60;

const DAY_MS = 86_400_000;

/** Whole days since a day such as 2026-11-23. */
export function daysSince(day: string, now: number): number {
  return Math.max(0, Math.floor((now - Date.parse(day)) / DAY_MS));
}
