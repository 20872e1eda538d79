import type { User } from "#core/user.ts";
import type { JsonObject } from "#lib/json.ts";
import { seconds } from "../seconds.ts";

export function showUser(user: User): JsonObject {
  return {
    id: user.id,
    username: user.name,
    email: user.email ?? null,
    display_name: user.displayName,
    role: user.role,
    group_id: user.groupId ?? null,
    team_id: user.teamId ?? null,
    status: user.isEnabled ? 1 : 2,
    second_factor: user.hasSecondFactor,
    created_at: seconds(user.createdAt),
  };
}
