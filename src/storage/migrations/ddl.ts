import type { Kysely, RawBuilder } from "kysely";

/** What the two engines say differently in a schema; everything else is one text. */
export interface Ddl {
  /** 64 bits, signed. */
  readonly integer: RawBuilder<unknown>;
  /** Text that sorts byte by byte: ids, which are paged through in their order. */
  readonly id: RawBuilder<unknown>;
  readonly bytes: RawBuilder<unknown>;
  /** A primary key that counts up by itself, starts at `first` and is never given twice. */
  counter(first: number): RawBuilder<unknown>;
  /** A primary key in the order of insertion, for little. */
  readonly sequence: RawBuilder<unknown>;
  /**
   * After a table's closing bracket. A table is stored by its key, or in the
   * order of insertion: where rows come by the thousand and their keys do not
   * come in order, that touches far fewer pages.
   */
  tableEnd(kind: "keyed" | "appended"): RawBuilder<unknown>;
  /** Makes every UPDATE and DELETE of a table fail. */
  // oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
  forbidChanges(db: Kysely<any>, table: string): Promise<void>;
}
