import type { GroupStore } from "#core/group.ts";
import { grantOf, type SignOnGrant, type SignOnRule } from "#core/sign-on-rules.ts";
import type { TeamStore } from "#core/team.ts";
import type { Role, User, UserChange, UserStore } from "#core/user.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";

interface SignOnGrantDeps {
  readonly users: Pick<UserStore, "change" | "lowerRole">;
  readonly teams: Pick<TeamStore, "findByName">;
  readonly groups: Pick<GroupStore, "findByName">;
  /** May change: called at each login. */
  rules(): readonly SignOnRule[];
  /** The role without a matching rule. */
  readonly usualRole: Role;
  /** A rule that could not be applied; for the operator's log. */
  onProblem(problem: "team" | "group" | "last admin", userId: number): void;
}

/** Changes a user to the role, team and group that the rules give at a login. */
export type ApplySignOnRules = (user: User, claims: JsonObject) => Promise<User>;

export function signOnGrants(deps: SignOnGrantDeps): ApplySignOnRules {
  return async (user, claims) => {
    // Root's role is fixed, so that no provider can lock its owner out.
    if (user.role === "root") return user;
    const grant = grantOf(deps.rules(), claims, deps.usualRole);
    const place = {
      ...(await teamChange(grant, user, deps)),
      ...(await groupChange(grant, user, deps)),
    };
    const changed =
      Object.keys(place).length === 0 ? user : await deps.users.change(user.id, place);
    return (await withRole(grant, changed ?? user, deps)) ?? user;
  };
}

/** A team that does not exist counts as no team, so the user leaves the former one. */
async function teamChange(
  { team }: SignOnGrant,
  user: User,
  { teams, onProblem }: SignOnGrantDeps,
): Promise<UserChange> {
  if (team === undefined) return {};
  const found = team === null ? undefined : await teams.findByName(team.name);
  if (team !== null && found === undefined) onProblem("team", user.id);
  const isOwner = found !== undefined && team?.isOwner === true;
  const isSame = user.teamId === found?.id && (user.isTeamOwner === true) === isOwner;
  return isSame ? {} : { teamId: found?.id ?? null, isTeamOwner: isOwner };
}

async function groupChange(
  { group }: SignOnGrant,
  user: User,
  { groups, onProblem }: SignOnGrantDeps,
): Promise<UserChange> {
  if (group === undefined) return {};
  const found = group === null ? undefined : await groups.findByName(group);
  if (group !== null && found === undefined) onProblem("group", user.id);
  return user.groupId === found?.id ? {} : { groupId: found?.id ?? null };
}

async function withRole(
  { role }: SignOnGrant,
  user: User,
  { users, onProblem }: SignOnGrantDeps,
): Promise<User | undefined> {
  if (role === undefined || role === user.role) return user;
  if (user.role !== "admin") return await users.change(user.id, defined({ role }));
  const lowered = await users.lowerRole(user.id, role);
  if (lowered === undefined) onProblem("last admin", user.id);
  return lowered ?? user;
}
