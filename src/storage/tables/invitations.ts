import type { Generated, Selectable } from "kysely";
import type { Invitation } from "#core/invitation.ts";
import type { NanoUsd } from "#core/money.ts";
import type { Role } from "#core/user.ts";
import { defined } from "#lib/values.ts";
import { readTerms } from "./budgets.ts";

export interface InvitationsTable {
  id: Generated<number>;
  /** Keyed digest of the secret in the link. */
  digest: string;
  created_by: number;
  created_at: number;
  expires_at: number;
  revoked_at: number | null;
  max_uses: number;
  uses: Generated<number>;
  role: Role;
  team_id: number | null;
  is_team_owner: Generated<number>;
  group_id: number | null;
  quota: NanoUsd | null;
  /** JSON of `BudgetsByPeriod`. */
  budgets: string | null;
  /** In lower case. */
  email: string | null;
  note: string | null;
}

export interface InvitationUsesTable {
  invitation_id: number;
  user_id: number;
  at: number;
}

/** A link in a mail. */
export interface MailLinksTable {
  /** Keyed digest of the secret in the link. */
  digest: string;
  /** The kind of link, and the user or address: a newer link replaces an older one. */
  subject: string;
  user_id: number | null;
  /** In lower case. */
  email: string;
  expires_at: number;
}

export function toInvitation(row: Selectable<InvitationsTable>): Invitation {
  return Object.freeze({
    id: row.id,
    createdBy: row.created_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    maxUses: row.max_uses,
    uses: row.uses,
    role: row.role,
    isTeamOwner: row.is_team_owner === 1,
    ...defined({
      revokedAt: row.revoked_at ?? undefined,
      teamId: row.team_id ?? undefined,
      groupId: row.group_id ?? undefined,
      quota: row.quota ?? undefined,
      budgets: row.budgets === null ? undefined : readTerms(row.budgets),
      email: row.email ?? undefined,
      note: row.note ?? undefined,
    }),
  });
}
