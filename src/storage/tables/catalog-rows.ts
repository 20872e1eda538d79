/** Catalogue rows that replace the shipped ones. */
export interface CatalogRowsTable {
  provider: string;
  id: string;
  /** JSON in the notation of catalogue files. */
  row: string;
  updated_at: number;
}
