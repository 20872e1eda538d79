import type { AssetGroup } from "./asset.ts";

/**
 * The verification of a person, from the link that they open to the group for
 * their pictures. The client gets our own token; the vendor's token never
 * leaves the gateway.
 */
export interface IdentitySession {
  readonly id: string;
  readonly userId: number;
  readonly channel: string;
  /** Label of the credential. */
  readonly account: string;
  /** Digest of the client's token. */
  readonly tokenDigest: string;
  /** Digest of the secret in the URL that the person's browser returns to. */
  readonly returnDigest: string;
  /** Both tokens and the client's callback URL; empty once they are no longer needed. */
  readonly sealed: string;
  readonly state: IdentityState;
  /**
   * The result that the person's browser reported. It is untrusted and only
   * passed on if it is a failure.
   */
  readonly told?: VerificationOutcome;
  /** The group that the vendor created. */
  readonly groupId?: string;
  /** When the client first received the group. */
  readonly fetchedAt?: number;
  /** Unix ms. */
  readonly createdAt: number;
  /** Unix ms after which the session expires. */
  readonly endsAt: number;
  /** When to poll the vendor; absent if no poll is planned. */
  readonly askAt?: number;
  readonly askedAt?: number;
  readonly asks: number;
  /** Number of times that a browser returned. */
  readonly returns: number;
  /** The pending callback to the client, until it is delivered. */
  readonly notice?: SessionNotice;
  /** Incremented with every change. */
  readonly version: number;
}

/**
 * `asking`: a request for the group is running; the vendor returns the group
 * only once. `unsure`: the request was sent, but its result is unknown.
 * `passed` is final.
 */
export type IdentityState = "open" | "asking" | "unsure" | "passed";

export interface VerificationOutcome {
  readonly resultCode: string;
  readonly algorithmBaseRespCode: string;
  readonly reqMeasureInfoValue: string;
  readonly verifyType: string;
}

export interface SessionNotice {
  readonly outcome: VerificationOutcome;
  readonly attempts: number;
  /** Unix ms. */
  readonly dueAt: number;
}

/** The result code of a passed verification, at vendors and here. */
export const PASSED_CODE = "10000";

/** The fields of a session that may change; `null` removes a value. */
export interface IdentityChange {
  readonly sealed?: string;
  readonly state?: IdentityState;
  readonly told?: VerificationOutcome;
  readonly groupId?: string;
  readonly fetchedAt?: number;
  readonly askAt?: number | null;
  readonly askedAt?: number;
  readonly asks?: number;
  readonly returns?: number;
  readonly notice?: SessionNotice | null;
}

interface IdentitySessionPage {
  /** Newest first. */
  readonly sessions: readonly IdentitySession[];
  /** Number of sessions on all pages. */
  readonly total: number;
}

/**
 * The store of sessions. A change names the version it was made from; of two
 * concurrent changes only the first succeeds.
 */
export interface IdentitySessionStore {
  add(session: IdentitySession): Promise<void>;
  /** Undefined for sessions of other users. */
  findByToken(userId: number, tokenDigest: string): Promise<IdentitySession | undefined>;
  findByReturn(returnDigest: string): Promise<IdentitySession | undefined>;
  /** Of one user, or of all. */
  list(userId: number | undefined, skip: number, limit: number): Promise<IdentitySessionPage>;
  /** Number of sessions that may still pass. */
  countOpen(userId: number, now: number): Promise<number>;
  /** Undefined if another change came first. */
  change(session: IdentitySession, change: IdentityChange): Promise<IdentitySession | undefined>;
  /**
   * Adds the vendor's group and marks its session as passed, in one
   * transaction. `taken`: a group with this id, or with this vendor id, exists.
   */
  pass(
    session: IdentitySession,
    group: AssetGroup,
    change: IdentityChange,
  ): Promise<IdentitySession | "taken" | undefined>;
  /** Ids of a channel's sessions that have not passed and that end after `since`. */
  listUnresolved(channel: string, since: number): Promise<readonly string[]>;
  /** Leases sessions with a due action and without a lease, for `leaseMs`; skips busy users. */
  lease(
    leaseMs: number,
    limit: number,
    busyUsers?: readonly number[],
  ): Promise<readonly IdentitySession[]>;
  /** Deletes sessions that ended before; returns their number. */
  prune(before: number, limit: number): Promise<number>;
}
