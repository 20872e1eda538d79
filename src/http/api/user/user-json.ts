import { z } from "zod";
import { ROLES, type User } from "#core/user.ts";
import type { JsonObject } from "#lib/json.ts";
import { seconds } from "../seconds.ts";

export const USER_FIELDS = {
  id: z.int(),
  username: z.string(),
  email: z.string().nullable(),
  display_name: z.string(),
  kind: z.enum(["person", "service"]).describe("A service account has no login."),
  role: z.enum(ROLES),
  group_id: z.int().nullable(),
  team_id: z.int().nullable(),
  team_role: z.enum(["member", "owner"]).nullable(),
  status: z.int().describe("1 enabled, 2 disabled."),
  second_factor: z.boolean(),
  created_at: z.int(),
};

export const USER = z.object(USER_FIELDS).meta({ id: "User" });

export const LOGGED_IN = z.object({
  ...USER_FIELDS,
  set_up: z
    .literal("second_factor")
    .optional()
    .describe("Required set-up step before the session gives other access."),
});

export function showUser(user: User): JsonObject {
  return {
    id: user.id,
    username: user.name,
    email: user.email ?? null,
    display_name: user.displayName,
    kind: user.isService === true ? "service" : "person",
    role: user.role,
    group_id: user.groupId ?? null,
    team_id: user.teamId ?? null,
    team_role: user.teamId === undefined ? null : user.isTeamOwner === true ? "owner" : "member",
    status: user.isEnabled ? 1 : 2,
    second_factor: user.hasSecondFactor,
    created_at: seconds(user.createdAt),
  };
}
