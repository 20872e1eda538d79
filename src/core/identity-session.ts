import type { AssetGroup } from "./asset.ts";

/**
 * The verification of a person, from the link that they open to the group that
 * their pictures go into. Its caller has a token of ours; the vendor's never
 * leaves the gateway.
 */
export interface IdentitySession {
  readonly id: string;
  readonly userId: number;
  readonly channel: string;
  /** By its label. */
  readonly account: string;
  /** Of the token that its caller has. */
  readonly tokenDigest: string;
  /** Of the word in the address that the person's browser comes back to. */
  readonly returnDigest: string;
  /** Both tokens and the caller's address; empty once nobody needs them. */
  readonly sealed: string;
  readonly state: IdentityState;
  /** What the person's browser said: it is not believed, but passed on where it says failure. */
  readonly told?: VerificationOutcome;
  /** The group that the vendor made. */
  readonly groupId?: string;
  /** When its caller first got the group. */
  readonly fetchedAt?: number;
  /** Unix ms. */
  readonly createdAt: number;
  /** From here on nothing more is expected of it. */
  readonly endsAt: number;
  /** When to ask the vendor; absent while there is no reason to. */
  readonly askAt?: number;
  readonly askedAt?: number;
  readonly asks: number;
  /** How often a browser came back. */
  readonly returns: number;
  /** What its caller is to be told, until somebody takes it. */
  readonly notice?: SessionNotice;
  /** Moves with every change. */
  readonly version: number;
}

/**
 * `asking`: the vendor is being asked for the group, and tells it once.
 * `unsure`: it was asked, and nobody knows what it told. `passed` is for ever.
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

/** What vendors and we say of somebody who passed. */
export const PASSED_CODE = "10000";

/** What may change of a session; `null` takes away. */
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

/**
 * Sessions, each changed by one at a time: a change says which version it was
 * made from, and of two only the first is.
 */
export interface IdentitySessionStore {
  add(session: IdentitySession): Promise<void>;
  /** Of others as good as none. */
  findByToken(userId: number, tokenDigest: string): Promise<IdentitySession | undefined>;
  findByReturn(returnDigest: string): Promise<IdentitySession | undefined>;
  /** Those that may still come to something. */
  countOpen(userId: number, now: number): Promise<number>;
  /** Undefined where somebody else came first. */
  change(session: IdentitySession, change: IdentityChange): Promise<IdentitySession | undefined>;
  /**
   * Adds the group that the vendor made, and has its session pass, both or
   * neither. `taken`: there is a group of that id, or at that place.
   */
  pass(
    session: IdentitySession,
    group: AssetGroup,
    change: IdentityChange,
  ): Promise<IdentitySession | "taken" | undefined>;
  /** Ids of a channel's sessions that have not passed, and ended after an instant or have not yet. */
  listUnresolved(channel: string, since: number): Promise<readonly string[]>;
  /** Those that something is due for and that are in nobody's hands, for so long; none of busy users. */
  lease(
    leaseMs: number,
    limit: number,
    busyUsers?: readonly number[],
  ): Promise<readonly IdentitySession[]>;
  /** Deletes those that ended before; how many were. */
  prune(before: number, limit: number): Promise<number>;
}
