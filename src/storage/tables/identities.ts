/** Who users are to an identity provider. */
export interface IdentitiesTable {
  issuer: string;
  /** Never given to anybody else by this issuer. */
  subject: string;
  user_id: number;
  created_at: number;
}
