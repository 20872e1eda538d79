import type { JsonObject } from "#lib/json.ts";
import type { Role } from "./user.ts";

/** How somebody showed who they are. */
export type Proof = "session" | "token" | "password" | "single_sign_on" | "setup_token" | "none";

/**
 * `asked` is written before anything is done. What is not followed by another
 * row of the same request was cut short: whether it was done is not known.
 * `refused` changed nothing; `failed` is the gateway's own failure.
 */
export type AuditOutcome = "asked" | "done" | "refused" | "failed";

/** Something that somebody did, or was kept from doing, by the management API. */
export interface AuditEntry {
  /** Unix ms. */
  readonly at: number;
  /** Who it was, with the name and the role of that time; null for nobody known. */
  readonly actorId: number | null;
  readonly actor: string | null;
  readonly role: Role | null;
  readonly proof: Proof;
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly requestId: string;
  /** Method and path of the route, such as `PUT /api/user/:id`. */
  readonly action: string;
  /** What stood in the path. */
  readonly object: JsonObject;
  /** The fields that were given, without secrets. */
  readonly details: JsonObject;
  readonly outcome: AuditOutcome;
  /** HTTP status of the answer; null before there is one. */
  readonly status: number | null;
}

export interface AuditRow extends AuditEntry {
  /** Counts from 1 without a gap. */
  readonly seq: number;
  readonly digest: string;
}

/** A row's place and digest: kept elsewhere, they show that the log was not cut since. */
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

/** What came of looking through some rows of the chain. */
export interface AuditCheck {
  /** The last good row; undefined where there is none. */
  readonly last: AuditAnchor | undefined;
  /** The first bad one. */
  readonly broken: AuditBreak | undefined;
  /** There were no more rows. */
  readonly isEnd: boolean;
}

/** Rows are added and never changed; each one's digest covers the row and the digest before it. */
export interface AuditLog {
  /** Resolves once the row is on disk. Throws `unavailable` where it cannot be written. */
  write(entry: AuditEntry): Promise<void>;
  /** Latest first. */
  list(query: AuditQuery): Promise<readonly AuditRow[]>;
  head(): Promise<AuditAnchor | undefined>;
  /** Looks at no more than a page of the rows after `afterSeq`, which must be good itself. */
  verify(afterSeq: number): Promise<AuditCheck>;
}
