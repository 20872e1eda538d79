import type { ImportedKind } from "#core/import.ts";

/** Objects of other gateways, and the objects that they became here. */
export interface ImportedTable {
  /** The name of the import, such as `new-api`. */
  source: string;
  kind: ImportedKind;
  ref: string;
  target: string;
  /** Unix ms. */
  at: number;
}
