/** Rows of the catalogue that take the place of the shipped ones. */
export interface CatalogRowsTable {
  provider: string;
  id: string;
  /** JSON, as catalogue files write it. */
  row: string;
  updated_at: number;
}
