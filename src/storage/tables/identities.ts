/** Links from identities at identity providers to users. */
export interface IdentitiesTable {
  issuer: string;
  /** The issuer never reuses it. */
  subject: string;
  user_id: number;
  created_at: number;
}
