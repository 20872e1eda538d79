import type { BudgetChange, BudgetsByPeriod } from "./budget.ts";
import type { NanoUsd } from "./money.ts";
import type { Role, User } from "./user.ts";

/** The holder of its link becomes a user with this role, team, group, quota and budgets. */
export interface Invitation {
  readonly id: number;
  /** The user who invited. */
  readonly createdBy: number;
  /** Unix ms. */
  readonly createdAt: number;
  /** Unix ms. */
  readonly expiresAt: number;
  /** Unix ms. */
  readonly revokedAt?: number;
  readonly maxUses: number;
  readonly uses: number;
  readonly role: Role;
  readonly teamId?: number;
  readonly isTeamOwner: boolean;
  readonly groupId?: number;
  /** Total spending limit of each invited user; unlimited if absent. */
  readonly quota?: NanoUsd;
  /** Of each invited user. */
  readonly budgets?: BudgetsByPeriod;
  /** The address of the only person who is invited, in lower case. */
  readonly email?: string;
  readonly note?: string;
}

export type InvitationDraft = Omit<
  Invitation,
  "id" | "createdAt" | "revokedAt" | "uses" | "budgets"
> & { readonly budgets?: BudgetChange };

/** An invitation with names beside the ids. */
export interface NamedInvitation extends Invitation {
  readonly inviter: string;
  readonly team: string | undefined;
  readonly group: string | undefined;
}

/** A user who accepted an invitation. */
interface InvitationUse {
  readonly userId: number;
  readonly name: string;
  /** Unix ms. */
  readonly at: number;
}

/** The person who accepts. An address must be proven, or come from the invitation. */
interface NewPerson {
  readonly name: string;
  readonly displayName?: string;
  readonly email?: string;
  readonly password?: string;
  readonly identity?: { readonly issuer: string; readonly subject: string };
}

interface InvitationQuery {
  /** The last id of the previous page; 0 for the first. */
  readonly after: number;
  readonly limit: number;
  /** Only invitations to this team. */
  readonly teamId?: number;
}

export interface InvitationStore {
  /** The secret is in this result and stored nowhere else. Throws `invalid_request` at the limit. */
  create(draft: InvitationDraft): Promise<{ readonly id: number; readonly secret: string }>;
  /** Ordered by id. */
  list(query: InvitationQuery): Promise<readonly NamedInvitation[]>;
  find(id: number): Promise<NamedInvitation | undefined>;
  uses(id: number): Promise<readonly InvitationUse[]>;
  /** False if the invitation does not exist, or was revoked before. */
  revoke(id: number): Promise<boolean>;
  /** The invitation of a secret, if it can still be accepted. */
  findOpen(secret: string): Promise<NamedInvitation | undefined>;
  /**
   * Creates the user and counts the use in one transaction. Undefined if the
   * invitation cannot be accepted any more. Throws `invalid_request` if the
   * name or the address is taken; the use is then not counted.
   */
  accept(secret: string, person: NewPerson): Promise<User | undefined>;
  /** Deletes at most `limit` invitations that ended before a time (Unix ms); returns their number. */
  prune(before: number, limit: number): Promise<number>;
}

export const INVITATION_PREFIX = "slc-invite_";

type InvitationState = "open" | "used_up" | "expired" | "revoked";

export function stateOf(
  { revokedAt, uses, maxUses, expiresAt }: Invitation,
  now: number,
): InvitationState {
  if (revokedAt !== undefined) return "revoked";
  if (uses >= maxUses) return "used_up";
  return expiresAt <= now ? "expired" : "open";
}

/**
 * True if the inviter may still invite. An invitation ends when its inviter
 * is disabled, deleted, or has lost the right to invite.
 */
export function mayStillInvite(
  inviter: Pick<User, "role" | "isEnabled" | "teamId" | "isTeamOwner">,
  { role, teamId, isTeamOwner }: Pick<Invitation, "role" | "teamId" | "isTeamOwner">,
): boolean {
  if (!inviter.isEnabled) return false;
  if (inviter.role === "root") return role !== "root";
  if (inviter.role === "admin") return role === "user" || role === "auditor";
  const isOwnTeam = inviter.isTeamOwner === true && inviter.teamId === teamId;
  return isOwnTeam && role === "user" && !isTeamOwner;
}
