import { z } from "zod";
import { stateOf, type NamedInvitation } from "#core/invitation.ts";
import { ROLES } from "#core/user.ts";
import type { JsonObject } from "#lib/json.ts";
import { BUDGETS_GIVEN, showBudgetsGiven } from "../budget-fields.ts";
import { seconds } from "../seconds.ts";
import { showUsdOrNull } from "../usd.ts";

export const INVITATION = z
  .object({
    id: z.int(),
    state: z.enum(["open", "used_up", "expired", "revoked"]),
    role: z.enum(ROLES),
    team_id: z.int().nullable(),
    team: z.string().nullable(),
    team_role: z.enum(["member", "owner"]).nullable(),
    group_id: z.int().nullable(),
    group: z.string().nullable(),
    quota_usd: z.number().nullable().describe("Total quota of each invited user."),
    budgets: BUDGETS_GIVEN.describe("Budgets of each invited user."),
    email: z.string().nullable(),
    note: z.string().nullable(),
    uses: z.int(),
    max_uses: z.int(),
    created_by: z.int(),
    created_by_name: z.string(),
    created_at: z.int(),
    expires_at: z.int(),
    revoked_at: z.int().nullable(),
  })
  .meta({ id: "Invitation" });

export function showInvitation(invitation: NamedInvitation, now: number): JsonObject {
  const { teamId, isTeamOwner, revokedAt } = invitation;
  return {
    id: invitation.id,
    state: stateOf(invitation, now),
    role: invitation.role,
    team_id: teamId ?? null,
    team: invitation.team ?? null,
    team_role: teamId === undefined ? null : isTeamOwner ? "owner" : "member",
    group_id: invitation.groupId ?? null,
    group: invitation.group ?? null,
    quota_usd: showUsdOrNull(invitation.quota ?? null),
    budgets: showBudgetsGiven(invitation.budgets),
    email: invitation.email ?? null,
    note: invitation.note ?? null,
    uses: invitation.uses,
    max_uses: invitation.maxUses,
    created_by: invitation.createdBy,
    created_by_name: invitation.inviter,
    created_at: seconds(invitation.createdAt),
    expires_at: seconds(invitation.expiresAt),
    revoked_at: revokedAt === undefined ? null : seconds(revokedAt),
  };
}
