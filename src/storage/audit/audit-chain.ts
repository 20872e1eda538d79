import { createHmac } from "node:crypto";
import type { AuditAnchor, AuditBreak } from "#core/audit.ts";
import { deriveKey } from "#lib/derive-key.ts";
import type { AuditColumns, AuditTable } from "../tables/audit.ts";

/** The anchor before the first row. */
export const BEGINNING: AuditAnchor = { seq: 0, digest: "" };

/** A separate key: write access to the database alone is not enough to compute a digest. */
export function auditKey(pepper: Uint8Array): Uint8Array {
  return deriveKey(pepper, "sluice audit log");
}

/** The next row of the chain. Its timestamps never decrease, even if gateway clocks differ. */
export function linkRow(
  columns: AuditColumns,
  last: AuditAnchor & { readonly at: number },
  key: Uint8Array,
): AuditTable {
  const at = Math.max(columns.at, last.at);
  const row = { ...columns, at, seq: last.seq + 1, prev: last.digest };
  return { ...row, digest: digestOf(row, key) };
}

/** The defect of a row that follows `last`; undefined if it is valid. */
export function findBreak(
  row: AuditTable,
  last: AuditAnchor,
  key: Uint8Array,
): AuditBreak | undefined {
  const next = last.seq + 1;
  if (row.seq > next) return { seq: next, problem: "is missing" };
  if (row.seq < next) return { seq: row.seq, problem: "has an unexpected number" };
  if (row.digest !== digestOf(row, key)) return { seq: row.seq, problem: "was changed" };
  if (row.prev !== last.digest) return { seq: row.seq, problem: "follows another row" };
  return undefined;
}

/** Digest of the row's columns in a fixed order, as unambiguous JSON. */
function digestOf(row: Omit<AuditTable, "digest">, key: Uint8Array): string {
  const said = JSON.stringify([
    row.prev,
    row.seq,
    row.at,
    row.actor_id,
    row.actor,
    row.role,
    row.proof,
    row.address,
    row.user_agent,
    row.request_id,
    row.action,
    row.object,
    row.details,
    row.outcome,
    row.status,
  ]);
  return createHmac("sha256", key).update(said).digest("base64url");
}
