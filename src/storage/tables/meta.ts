/** Facts about the database as a whole. */
export interface MetaTable {
  key: string;
  value: string;
}
