import type { Model } from "./model.ts";
import type { Json, JsonObject } from "#lib/json.ts";

/** A catalogue row in the notation of catalogue files; it completely replaces a shipped row. */
export interface UpdatedRow {
  readonly provider: string;
  readonly id: string;
  /** With its source and date. */
  readonly row: JsonObject;
}

export interface StoredUpdates {
  /** Ordered by provider and id. */
  readonly rows: readonly UpdatedRow[];
  /** The newest day of all updates. */
  readonly date: string | undefined;
}

/** Updated rows, for all gateways of one database. */
export interface UpdatedRowStore {
  list(): Promise<StoredUpdates>;
  /**
   * Stores all rows or none. Each row replaces its earlier version. `date`: the
   * day of the facts, including those that changed nothing. Throws
   * `invalid_request` if there are too many.
   */
  put(rows: readonly UpdatedRow[], date: string): Promise<void>;
  /**
   * Deletes the rows of these providers, or all rows and the date if none is
   * named. Returns the number of deleted rows.
   */
  delete(providers?: readonly string[]): Promise<number>;
}

/** The changes that an update would make to the catalogue. */
export interface CatalogPlan {
  /** New models, with their prices in the notation of catalogue files. */
  readonly added: readonly { readonly provider: string; readonly id: string; price?: JsonObject }[];
  readonly changed: readonly FactChange[];
  /** Number of rows that match the catalogue already. */
  readonly unchanged: number;
  readonly leftOut: readonly LeftOut[];
  /** Changes with the facts and with the rows of the catalogue. */
  readonly digest: string;
  /** Of a public list: its format, and its models of providers that this gateway does not have. */
  readonly list?: ReadList;
}

export interface ReadList {
  readonly format: string;
  /** Number of models by provider. */
  readonly otherProviders: ReadonlyMap<string, number>;
}

/** `before` and `after` are absent if the value is unknown. */
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
  /** The newest date of the shipped rows, and of the updates. */
  readonly shipped: string;
  readonly updated: string | undefined;
  /** Days since the newer of the two. */
  readonly ageDays: number;
  readonly isOld: boolean;
  /** Number of updated rows by provider. */
  readonly rows: ReadonlyMap<string, number>;
}

/** Catalogue files with possibly incomplete rows, or a public list of prices as it was read. */
export type CatalogFacts =
  | { readonly files: Json }
  | {
      readonly list: Json;
      /** The day on which it was read: `2026-11-27`. */
      readonly date: string;
      /** All known ones if absent. */
      readonly providers?: readonly string[];
    };

export interface CatalogUpdates {
  describe(): CatalogState;
  /** Throws `invalid_request` if the facts have an invalid format. */
  plan(facts: CatalogFacts): CatalogPlan;
  /** Throws `plan_outdated` if the plan of these facts has another digest by now. */
  apply(facts: CatalogFacts, digest?: string): Promise<CatalogPlan>;
  remove(providers?: readonly string[]): Promise<number>;
  /** All rows in force. */
  models(): readonly Model[];
}

/** Vendors change prices several times a year. */
export const MAX_CATALOG_AGE_DAYS = 60;

const DAY_MS = 86_400_000;

/** Whole days since a day such as 2026-11-23. */
export function daysSince(day: string, now: number): number {
  return Math.max(0, Math.floor((now - Date.parse(day)) / DAY_MS));
}
