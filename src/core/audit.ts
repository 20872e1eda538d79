import type { JsonObject } from "#lib/json.ts";
import type { Role } from "./user.ts";

/** The authentication method of an actor. */
export type AuthMethod =
  | "session"
  | "token"
  | "password"
  | "single_sign_on"
  | "setup_token"
  | "invitation"
  | "mail_link"
  | "none";

/**
 * `asked` is written before the action. An `asked` row without a later row of
 * the same request was interrupted: its result is unknown. `refused` changed
 * nothing; `failed` is the gateway's own failure.
 */
export type AuditOutcome = "asked" | "done" | "refused" | "failed";

/** An action, or a refused action, in the management API. */
export interface AuditEntry {
  /** Unix ms. */
  readonly at: number;
  /** The actor, with name and role at that time; null if unauthenticated. */
  readonly actorId: number | null;
  readonly actor: string | null;
  readonly role: Role | null;
  readonly proof: AuthMethod;
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly requestId: string;
  /** Method and path of the route, such as `PUT /api/user/:id`. */
  readonly action: string;
  /** The path parameters. */
  readonly object: JsonObject;
  /** The request fields without secrets. */
  readonly details: JsonObject;
  readonly outcome: AuditOutcome;
  /** HTTP status of the response; null before the response exists. */
  readonly status: number | null;
}

export interface AuditRow extends AuditEntry {
  /** Counts from 1 without a gap. */
  readonly seq: number;
  readonly digest: string;
}

/**
 * The number and digest of a row. Stored elsewhere, they prove that the log was
 * not truncated since.
 */
export interface AuditAnchor {
  readonly seq: number;
  readonly digest: string;
}

export interface AuditQuery {
  readonly actorId?: number;
  readonly action?: string;
  /** Unix ms, both included. */
  readonly since?: number;
  readonly until?: number;
  /** Only rows with smaller numbers. */
  readonly before?: number;
  readonly limit: number;
}

export interface AuditBreak {
  readonly seq: number;
  /** To complete "row 7". */
  readonly problem: string;
}

/** The result of verifying some rows of the chain. */
export interface AuditCheck {
  /** The last valid row; undefined if there is none. */
  readonly last: AuditAnchor | undefined;
  /** The first invalid row. */
  readonly broken: AuditBreak | undefined;
  /** The end of the log was reached. */
  readonly isEnd: boolean;
}

/** Rows are appended and never changed; each digest covers the row and the previous digest. */
export interface AuditLog {
  /** Resolves once the row is on disk. Throws `unavailable` if it cannot be written. */
  write(entry: AuditEntry): Promise<void>;
  /** Latest first. */
  list(query: AuditQuery): Promise<readonly AuditRow[]>;
  head(): Promise<AuditAnchor | undefined>;
  /** Verifies at most one page of rows after `afterSeq`, which must be valid itself. */
  verify(afterSeq: number): Promise<AuditCheck>;
}
