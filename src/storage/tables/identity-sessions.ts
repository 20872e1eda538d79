import type { Insertable, Selectable, Updateable } from "kysely";
import { z } from "zod";
import type {
  IdentityChange,
  IdentitySession,
  IdentityState,
  SessionNotice,
  VerificationOutcome,
} from "#core/identity-session.ts";
import { defined } from "#lib/values.ts";
import { whole } from "./columns.ts";

export interface IdentitySessionsTable {
  id: string;
  user_id: number;
  channel: string;
  account: string;
  token_digest: string;
  return_digest: string;
  state: IdentityState;
  group_id: string | null;
  /** JSON of `Details`. */
  details: string;
  created_at: number;
  ends_at: number;
  /** When the next action is due. */
  due_at: number | null;
  version: number;
  lease_until: number;
}

/** Fields that no query filters by. */
interface Details {
  readonly sealed: string;
  readonly told?: VerificationOutcome;
  readonly fetchedAt?: number;
  readonly askAt?: number;
  readonly askedAt?: number;
  readonly asks: number;
  readonly returns: number;
  readonly notice?: SessionNotice;
}

export function rowOf(session: IdentitySession): Insertable<IdentitySessionsTable> {
  const { sealed, told, fetchedAt, askAt, askedAt, asks, returns, notice } = session;
  const details: Details = {
    sealed,
    asks,
    returns,
    ...defined({ told, fetchedAt, askAt, askedAt, notice }),
  };
  return {
    id: session.id,
    user_id: session.userId,
    channel: session.channel,
    account: session.account,
    token_digest: session.tokenDigest,
    return_digest: session.returnDigest,
    state: session.state,
    group_id: session.groupId ?? null,
    details: JSON.stringify(details),
    created_at: whole(session.createdAt),
    ends_at: whole(session.endsAt),
    due_at: dueAtOf(session),
    version: session.version,
    lease_until: 0,
  };
}

/**
 * The columns of a session after a change. A change of the due time ends the
 * lease; other changes keep it.
 */
export function changedColumns(
  session: IdentitySession,
  { askAt, notice, ...change }: IdentityChange,
): Updateable<IdentitySessionsTable> {
  const { askAt: askedAt, notice: noted, ...rest } = session;
  const {
    id: _,
    lease_until: free,
    ...columns
  } = rowOf({
    ...rest,
    ...change,
    ...defined({
      askAt: askAt === null ? undefined : (askAt ?? askedAt),
      notice: notice === null ? undefined : (notice ?? noted),
    }),
    version: session.version + 1,
  });
  const isScheduled = askAt !== undefined || notice !== undefined;
  return isScheduled ? { ...columns, lease_until: free } : columns;
}

function dueAtOf({ askAt, notice }: IdentitySession): number | null {
  const due = Math.min(askAt ?? Infinity, notice?.dueAt ?? Infinity);
  return due === Infinity ? null : whole(due);
}

export function toSession(row: Selectable<IdentitySessionsTable>): IdentitySession {
  return {
    id: row.id,
    userId: row.user_id,
    channel: row.channel,
    account: row.account,
    tokenDigest: row.token_digest,
    returnDigest: row.return_digest,
    state: row.state,
    ...shape.parse(JSON.parse(row.details)),
    ...defined({ groupId: row.group_id ?? undefined }),
    createdAt: row.created_at,
    endsAt: row.ends_at,
    version: row.version,
  };
}

/** Only this table writes the column, so the check covers only its basic structure. */
const shape = z.custom<Details>(
  (value) => typeof value === "object" && value !== null && "sealed" in value,
);
