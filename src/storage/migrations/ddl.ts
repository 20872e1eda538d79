import type { Kysely, RawBuilder } from "kysely";

/** What the two engines say differently in a schema; everything else is one text. */
export interface Ddl {
  /** 64 bits, signed. */
  readonly integer: RawBuilder<unknown>;
  /** Text that sorts byte by byte: ids, which are paged through in their order. */
  readonly id: RawBuilder<unknown>;
  /** A number that counts up by itself, starts at `first` and is never given twice. */
  counter(first: number): RawBuilder<unknown>;
  /** After a table's closing bracket; `keyed` tables are stored by their text key. */
  tableEnd(kind: "counted" | "keyed"): RawBuilder<unknown>;
  /** Makes every UPDATE and DELETE of a table fail. */
  // oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
  forbidChanges(db: Kysely<any>, table: string): Promise<void>;
}
