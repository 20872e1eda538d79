import type { Selectable } from "kysely";
import type { AuditEntry, AuditOutcome, AuditRow, AuthMethod } from "#core/audit.ts";
import type { Role } from "#core/user.ts";
import { parseJson, type JsonObject } from "#lib/json.ts";
import { objectOf } from "#lib/values.ts";
import { text, whole } from "./columns.ts";

export interface AuditTable {
  seq: number;
  at: number;
  actor_id: number | null;
  actor: string | null;
  role: Role | null;
  proof: AuthMethod;
  address: string | null;
  user_agent: string | null;
  request_id: string;
  action: string;
  /** Both are JSON. */
  object: string;
  details: string;
  outcome: AuditOutcome;
  status: number | null;
  /** Digest of the previous row; empty for the first. */
  prev: string;
  digest: string;
}

/** All columns without the row's position in the chain. */
export type AuditColumns = Omit<AuditTable, "seq" | "prev" | "digest">;

export function auditColumns(entry: AuditEntry): AuditColumns {
  return {
    at: whole(entry.at),
    actor_id: entry.actorId,
    actor: exactOrNull(entry.actor),
    role: entry.role,
    proof: entry.proof,
    address: exactOrNull(entry.address),
    user_agent: exactOrNull(entry.userAgent),
    request_id: exact(entry.requestId),
    action: exact(entry.action),
    object: JSON.stringify(entry.object),
    details: JSON.stringify(entry.details),
    outcome: entry.outcome,
    status: entry.status,
  };
}

export function toAuditRow(row: Selectable<AuditTable>): AuditRow {
  return {
    seq: row.seq,
    at: row.at,
    actorId: row.actor_id,
    actor: row.actor,
    role: row.role,
    proof: row.proof,
    address: row.address,
    userAgent: row.user_agent,
    requestId: row.request_id,
    action: row.action,
    object: readObject(row.object),
    details: readObject(row.details),
    outcome: row.outcome,
    status: row.status,
    digest: row.digest,
  };
}

/** The text must be read back unchanged from either database, or its digest would not match. */
function exact(value: string): string {
  return text(value).toWellFormed();
}

function exactOrNull(value: string | null): string | null {
  return value === null ? null : exact(value);
}

/** A row that was tampered with is still shown. */
function readObject(json: string): JsonObject {
  return objectOf(parseJson(json)) ?? {};
}
