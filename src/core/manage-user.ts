import { isAtLeast, type User } from "./user.ts";

/** Whether the actor manages the user's keys: an admin above the user, or an owner of the team. */
export function mayManage(actor: User, user: User): boolean {
  return isAdminAbove(actor, user) || ownsTeamOf(actor, user);
}

/** Whether the actor sees the user's keys. */
export function mayInspect(actor: User, user: User): boolean {
  return isAtLeast(actor.role, "auditor") || ownsTeamOf(actor, user);
}

function isAdminAbove(actor: User, user: User): boolean {
  return isAtLeast(actor.role, "admin") && !isAtLeast(user.role, actor.role);
}

/**
 * Other owners of the team, and members with a higher role than the owner, belong to admins: an
 * owner gains no rights through a key or a token of theirs.
 */
function ownsTeamOf(actor: User, user: User): boolean {
  if (actor.isTeamOwner !== true || actor.teamId === undefined) return false;
  if (user.teamId !== actor.teamId || user.id === actor.id) return false;
  return user.isTeamOwner !== true && isAtLeast(actor.role, user.role);
}
