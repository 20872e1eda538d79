import type { Generated } from "kysely";
import type { NanoUsd } from "#core/money.ts";

/** Redemption codes that were created together. */
export interface CodeBatchesTable {
  id: Generated<number>;
  /** The quota that each code grants. */
  amount: NanoUsd;
  /** The number of codes. */
  codes: number;
  note: string | null;
  created_by: number;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
}

export interface CodesTable {
  id: Generated<number>;
  batch_id: number;
  /** Keyed digest of the code. */
  digest: string;
  redeemed_by: number | null;
  redeemed_at: number | null;
}
