import { z } from "zod";
import { GatewayError, invalid } from "#core/error.ts";
import type { BudgetStatus } from "#core/quota.ts";
import type { MemberDraft, Team } from "#core/team.ts";
import { isAtLeast, ROLES, type User } from "#core/user.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import type { AccountDeps } from "#http/deps/accounts.ts";
import { requireUser } from "#http/require-user.ts";
import type { Exchange } from "#http/routes.ts";
import { BUDGETS, readBudgets, showBudgets, SHOWN_BUDGETS } from "../budget-fields.ts";
import { succeed } from "../envelope.ts";
import { optional } from "../fields.ts";
import { items, management } from "../management.ts";
import { afterField, shortTextField } from "../query-fields.ts";
import { raiseRoutes } from "../quota/raises.ts";
import { showSpend, SPEND } from "../quota/show-funds.ts";
import { readId } from "../read-id.ts";
import { refuseUnlessAbove } from "../user/find-user.ts";
import { findTeam, noSuchTeam } from "./find-team.ts";

const PAGE = 100;
const MAX_MEMBERS = 1_000;
const ID = z.int().min(1).max(Number.MAX_SAFE_INTEGER);
const ROLE = z.enum(["member", "owner"]).describe("An owner sees the calls of the team.");

/** A user by id or by name, with its place in the team. */
const MEMBER = z.strictObject({
  user_id: optional(ID),
  username: optional(z.string().min(1).max(64)),
  role: optional(ROLE),
  ...BUDGETS,
});

export const MEMBERS = z.array(MEMBER).max(MAX_MEMBERS);

type Members = z.output<typeof MEMBERS>;

const SHOWN = z
  .object({
    user_id: z.int(),
    username: z.string(),
    display_name: z.string(),
    email: z.string().nullable(),
    role: z.enum(["member", "owner"]),
    user_role: z.enum(ROLES),
    status: z.int().describe("1 enabled, 2 disabled."),
    ...SHOWN_BUDGETS,
    ...SPEND,
  })
  .meta({ id: "TeamMember" });

type MemberDeps = Pick<AccountDeps, "clock" | "quotas" | "teams" | "usage" | "users">;

const common = { tag: "Teams" } as const;

export const listMembers = management({
  operationId: "listMembers",
  ...common,
  method: "GET",
  path: "/api/team/:id/member",
  access: "user",
  scope: "teams:read",
  summary:
    `Lists the members of a team by id, at most ${PAGE}, with their budgets in the team and the ` +
    "spending of all their calls. For auditors and owners of the team.",
  query: z.object({
    after: afterField("a user's"),
    q: shortTextField(100, "Members with this part of a name or address, in any script."),
  }),
  data: items(SHOWN),

  async handle(exchange, deps: MemberDeps, { query: { after, q } }) {
    const team = await findSeenTeam(exchange, deps);
    const search = defined({ search: q });
    const members = await deps.teams.members(team.id, { after, limit: PAGE, ...search });
    return await answer(exchange, team, members, deps);
  },
});

export const putTeamMembers = management({
  operationId: "putMembers",
  ...common,
  method: "POST",
  path: "/api/team/:id/member",
  access: "admin",
  scope: "teams:write",
  summary:
    "Adds users to a team or changes its members: all or none. `move` takes users out of " +
    "another team. The users must have roles below your own.",
  body: z.strictObject({ members: MEMBERS.min(1), move: optional(z.boolean()) }),
  data: items(SHOWN),

  async handle(exchange, deps: MemberDeps, { body }) {
    const team = await findTeam(exchange, deps.teams);
    const actor = requireUser(exchange);
    const drafts = await readMembers(body.members, actor, deps, team.id, body.move === true);
    await deps.teams.putMembers(team.id, drafts, `${actor.name}: members changed`);
    return await answerIds(exchange, team, drafts, deps);
  },
});

export const removeTeamMembers = management({
  operationId: "removeMembers",
  ...common,
  method: "POST",
  path: "/api/team/:id/member/batch",
  access: "user",
  scope: "teams:write",
  summary:
    "Removes users from a team; their accounts stay. For admins and, except for owners, by " +
    "owners of the team. Names those that are no members.",
  body: z.strictObject({ user_ids: z.array(ID).min(1).max(MAX_MEMBERS) }),
  data: z.object({ removed: z.array(z.int()), not_removed: z.array(z.int()) }),

  async handle(exchange, deps: MemberDeps, { body }) {
    const { id } = await findManagedTeam(exchange, deps);
    const ids = [...new Set(body.user_ids)];
    const members = await deps.teams.members(id, { ids, limit: MAX_MEMBERS });
    for (const member of members) refuseUnlessManaged(requireUser(exchange), member);
    const known = members.map((member) => member.id);
    const removed = await deps.teams.removeMembers(id, known);
    const gone = new Set(removed);
    return succeed(exchange.id, `${removed.length} of ${ids.length} users were removed.`, {
      removed,
      not_removed: ids.filter((each) => !gone.has(each)),
    });
  },
});

const memberPath = { ...common, path: "/api/team/:id/member/:user", access: "user" } as const;

export const getMember = management({
  operationId: "getMember",
  ...memberPath,
  scope: "teams:read",
  method: "GET",
  summary: "A member of a team, for auditors and owners of the team.",
  data: SHOWN,

  async handle(exchange, deps: MemberDeps) {
    const team = await findSeenTeam(exchange, deps);
    const member = await findMember(exchange, team, deps);
    return succeed(exchange.id, "", (await showMembers(team, [member], deps))[0]);
  },
});

export const updateMember = management({
  operationId: "updateMember",
  ...memberPath,
  scope: "teams:write",
  method: "PUT",
  summary:
    "Changes the budgets of a member in the name of the team, for admins and owners of the " +
    "team, or the role, for admins.",
  body: z.strictObject({ role: optional(ROLE), ...BUDGETS }),
  data: SHOWN,

  async handle(exchange, deps: MemberDeps, { body }) {
    const team = await findManagedTeam(exchange, deps);
    const member = await findMember(exchange, team, deps);
    const actor = requireUser(exchange);
    if (isAdmin(actor)) refuseUnlessAbove(actor, member.role);
    else if (body.role !== undefined) {
      throw new GatewayError("forbidden", "Only admins change who owns a team.");
    }
    const isOwner = body.role === undefined ? undefined : body.role === "owner";
    const draft = { userId: member.id, ...defined({ isOwner }), budgets: readBudgets(body) };
    await deps.teams.putMembers(team.id, [draft], `${actor.name}: member changed`);
    const changed = await findMember(exchange, team, deps);
    return succeed(
      exchange.id,
      "The member was changed.",
      (await showMembers(team, [changed], deps))[0],
    );
  },
});

export const memberRaises = raiseRoutes({
  of: "Member",
  whose: "a member in the name of the team",
  ...memberPath,
  scope: "teams:write",
  async findOwner(exchange, deps: MemberDeps) {
    const team = await findManagedTeam(exchange, deps);
    const member = await findMember(exchange, team, deps);
    if (isAdmin(requireUser(exchange))) refuseUnlessAbove(requireUser(exchange), member.role);
    return `member:${team.id}-${member.id}` as const;
  },
});

/** Throws `invalid_request` for a user that does not exist, or is in another team. */
export async function readMembers(
  given: Members,
  actor: User,
  { users }: Pick<AccountDeps, "users">,
  teamId: number | undefined,
  mayMove: boolean,
): Promise<readonly MemberDraft[]> {
  const ids = given.flatMap(({ user_id: id }) => id ?? []);
  const names = given.flatMap(({ username }) => username?.toLowerCase() ?? []);
  const found = given.length === 0 ? [] : await users.findAll({ ids, names });
  const drafts = given.map((member, index) => {
    const { user_id: id, username: name } = member;
    const user = found.find((each) => each.id === id || each.name === name?.toLowerCase());
    const place = `members[${index}]`;
    if (id !== undefined && name !== undefined) {
      throw invalid(place, `'${place}' has 'user_id' and 'username'. Give one of them.`);
    }
    if (user === undefined) throw invalid(place, `'${place}' is not a user.`);
    refuseUnlessAbove(actor, user.role);
    if (!mayMove && user.teamId !== undefined && user.teamId !== teamId) {
      throw invalid(place, `'${place}' is in another team. Use 'move' to take the user out of it.`);
    }
    const isOwner = member.role === undefined ? undefined : member.role === "owner";
    return { userId: user.id, ...defined({ isOwner }), budgets: readBudgets(member) };
  });
  const repeated = drafts.find(({ userId }, at) =>
    drafts.slice(0, at).some((each) => each.userId === userId),
  );
  if (repeated !== undefined) throw invalid("members", "'members' names a user twice.");
  return drafts;
}

/** The team in the path, for auditors and its owners. */
async function findSeenTeam(exchange: Exchange, deps: Pick<MemberDeps, "teams">): Promise<Team> {
  const actor = requireUser(exchange);
  const team = await findTeam(exchange, deps.teams);
  if (!isAtLeast(actor.role, "auditor") && !isOwnerOf(actor, team)) throw noSuchTeam();
  return team;
}

/** The team in the path, for admins and its owners. */
async function findManagedTeam(exchange: Exchange, deps: Pick<MemberDeps, "teams">): Promise<Team> {
  const actor = requireUser(exchange);
  const team = await findTeam(exchange, deps.teams);
  if (isAdmin(actor) || isOwnerOf(actor, team)) return team;
  // To other users, the team does not exist.
  if (!isAtLeast(actor.role, "auditor")) throw noSuchTeam();
  throw new GatewayError("forbidden", "This needs an admin or an owner of the team.");
}

function isAdmin({ role }: User): boolean {
  return isAtLeast(role, "admin");
}

function isOwnerOf({ teamId, isTeamOwner }: User, team: Team): boolean {
  return teamId === team.id && isTeamOwner === true;
}

function refuseUnlessManaged(actor: User, member: User): void {
  if (isAdmin(actor)) refuseUnlessAbove(actor, member.role);
  else if (member.isTeamOwner === true) {
    throw new GatewayError("forbidden", "Only admins remove owners of a team.");
  }
}

async function findMember(
  exchange: Exchange,
  team: Team,
  { teams }: Pick<MemberDeps, "teams">,
): Promise<User> {
  const id = readId(exchange.param("user"));
  const found = id === undefined ? [] : await teams.members(team.id, { ids: [id], limit: 1 });
  const [member] = found;
  if (member === undefined) throw new GatewayError("not_found", "The team has no such member.");
  return member;
}

async function answerIds(
  exchange: Exchange,
  team: Team,
  drafts: readonly MemberDraft[],
  deps: MemberDeps,
): Promise<Response> {
  const ids = drafts.map(({ userId }) => userId);
  const members = await deps.teams.members(team.id, { ids, limit: MAX_MEMBERS });
  return await answer(exchange, team, members, deps);
}

async function answer(
  { id }: Exchange,
  team: Team,
  members: readonly User[],
  deps: MemberDeps,
): Promise<Response> {
  return succeed(id, "", { items: await showMembers(team, members, deps) });
}

async function showMembers(
  team: Team,
  members: readonly User[],
  { quotas, usage, clock }: MemberDeps,
): Promise<JsonObject[]> {
  const now = clock.now();
  const ids = members.map(({ id }) => id);
  const [budgets, spends] = await Promise.all([
    quotas.budgetsOf(ids.map((id) => `member:${team.id}-${id}` as const)),
    usage.spend("user", ids, now),
  ]);
  return members.map((member) => ({
    ...showMember(member, budgets.get(`member:${team.id}-${member.id}`) ?? [], now),
    ...showSpend(spends.get(member.id)),
  }));
}

function showMember(user: User, budgets: readonly BudgetStatus[], now: number): JsonObject {
  return {
    user_id: user.id,
    username: user.name,
    display_name: user.displayName,
    email: user.email ?? null,
    role: user.isTeamOwner === true ? "owner" : "member",
    user_role: user.role,
    status: user.isEnabled ? 1 : 2,
    ...showBudgets(budgets, now),
  };
}
