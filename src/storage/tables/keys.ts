import type { Generated } from "kysely";
import type { KeyStatus } from "#core/key.ts";

export interface KeysTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  /** Keyed digest of the secret; a deleted key has none. */
  digest: string | null;
  pepper_version: number;
  last4: string;
  /** 1 when the secret is not of our own format, so that no checksum can judge it. */
  is_custom: number;
  status: KeyStatus;
  /** JSON array of names and patterns. */
  models: string;
  expires_at: number | null;
  created_at: number;
  /** A deleted key stays as a tombstone: the ledger refers to it, and its id is never used again. */
  deleted_at: number | null;
}
