import type { Kysely, RawBuilder } from "kysely";

/** The schema elements that differ between the engines. */
export interface Ddl {
  /** 64 bits, signed. */
  readonly integer: RawBuilder<unknown>;
  /** Text that sorts byte by byte: ids for paging. */
  readonly id: RawBuilder<unknown>;
  readonly bytes: RawBuilder<unknown>;
  /** An auto-incremented primary key that starts at `first` and never reuses a value. */
  counter(first: number): RawBuilder<unknown>;
  /** A cheap primary key in insertion order. */
  readonly sequence: RawBuilder<unknown>;
  /**
   * The text after a table's closing bracket. A table is stored by its key or
   * in insertion order. Insertion order touches far fewer pages for many rows
   * with unordered keys.
   */
  tableEnd(kind: "keyed" | "appended"): RawBuilder<unknown>;
  /** Makes every UPDATE and DELETE of a table fail. */
  // oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
  forbidChanges(db: Kysely<any>, table: string): Promise<void>;
}
