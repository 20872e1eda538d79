import { z } from "zod";
import { invalid } from "#core/error.ts";
import { isAtLeast, ROLES, type User } from "#core/user.ts";
import { defined, pick } from "#lib/values.ts";
import type { AccountDeps } from "#http/deps/accounts.ts";
import { requireUser } from "#http/require-user.ts";
import { succeed } from "../envelope.ts";
import { optional } from "../fields.ts";
import { items, management } from "../management.ts";
import { afterField, choiceField, idField, shortTextField } from "../query-fields.ts";
import { FUNDS, showFunds, SPEND, type FundDeps } from "../quota/show-funds.ts";
import { USD } from "../usd.ts";
import { noticeOfNewEmail } from "./change-email.ts";
import { findUser, noSuchUser, refuseUnlessAbove } from "./find-user.ts";
import { DISPLAY_NAME, EMAIL, MAIL_ADDRESS, NEW_PASSWORD, USERNAME } from "./user-fields.ts";
import { showUser, USER } from "./user-json.ts";

const ROLE = optional(z.enum(ROLES));
const ID = z.int().min(1).max(Number.MAX_SAFE_INTEGER);
const GROUP = ID.describe("Null for none.").nullish();

const LISTED_USER = z.object({ ...USER.shape, ...FUNDS }).meta({ id: "ListedUser" });

/** The fields that the list of a team shows its owners. */
const SHOWN_MEMBER = z
  .object({
    id: USER.shape.id,
    username: USER.shape.username,
    email: USER.shape.email,
    display_name: USER.shape.display_name,
    kind: USER.shape.kind,
    role: USER.shape.role,
    team_id: USER.shape.team_id,
    team_role: USER.shape.team_role,
    status: USER.shape.status,
    ...SPEND,
  })
  .meta({ id: "SeenMember" });

const PAGE = 100;
const STATUSES = ["enabled", "disabled"] as const;

export const listUsers = management({
  operationId: "listUsers",
  tag: "Users",
  method: "GET",
  path: "/api/user",
  access: "auditor",
  scope: "users:read",
  summary: `Lists users by id, at most ${PAGE}; \`after\` is the last id of the previous page.`,
  query: z.object({
    after: afterField("a user's"),
    q: shortTextField(100, "A part of a name, display name or address, in any script and case."),
    role: choiceField(ROLES, "Users of this role."),
    status: choiceField(STATUSES, "Users of this status."),
    group: idField("Users in this group."),
    team: idField("Members of this team."),
  }),
  data: items(LISTED_USER),

  async handle(exchange, deps: FundDeps & Pick<AccountDeps, "users">, { query }) {
    const { after, q: search, role, status, group: groupId, team: teamId } = query;
    const isEnabled = status === undefined ? undefined : status === "enabled";
    const filter = defined({ search, role, isEnabled, groupId, teamId });
    const users = await deps.users.list(after, PAGE, filter);
    const ids = users.map(({ id }) => id);
    const funds = await showFunds("user", ids, deps);
    const shown = users.map((user) => ({ ...showUser(user), ...funds(user.id) }));
    return succeed(exchange.id, "", { items: shown });
  },
});

export const getUser = management({
  operationId: "getUser",
  tag: "Users",
  method: "GET",
  path: "/api/user/:id",
  access: "auditor",
  alsoTeamOwners: true,
  scope: "users:read",
  summary:
    "A user with its quota and the amounts spent. Owners of a team see members of it, without " +
    "quotas, group and second factor.",
  data: z.union([LISTED_USER, SHOWN_MEMBER]),

  async handle(exchange, deps: FundDeps & Pick<AccountDeps, "users">) {
    const actor = requireUser(exchange);
    const user = await findUser(exchange, deps.users);
    const seesAll = isAtLeast(actor.role, "auditor");
    if (!seesAll && !isInTeamOf(actor, user)) throw noSuchUser();
    const funds = await showFunds("user", [user.id], deps);
    const shown = { ...showUser(user), ...funds(user.id) };
    return succeed(exchange.id, "", seesAll ? shown : pick(shown, MEMBER_FIELDS));
  },
});

const MEMBER_FIELDS = Object.keys(SHOWN_MEMBER.shape);

function isInTeamOf(owner: User, { teamId }: User): boolean {
  return owner.isTeamOwner === true && teamId !== undefined && teamId === owner.teamId;
}

const NEW_USER = z.strictObject({
  username: USERNAME,
  email: optional(EMAIL),
  display_name: optional(DISPLAY_NAME),
  role: ROLE,
  password: optional(NEW_PASSWORD),
  quota_usd: USD,
  group_id: GROUP,
});

export const createUser = management({
  operationId: "createUser",
  tag: "Users",
  method: "POST",
  path: "/api/user",
  access: "admin",
  scope: "users:write",
  summary: "Creates a user of a role below your own.",
  body: NEW_USER,
  data: USER,

  async handle(exchange, { users }: Pick<AccountDeps, "users">, { body }) {
    const { role = "user" } = body;
    refuseUnlessAbove(requireUser(exchange), role);
    const user = await users.create({
      ...defined({
        email: body.email,
        displayName: body.display_name,
        password: body.password,
        quota: body.quota_usd ?? undefined,
        groupId: body.group_id ?? undefined,
      }),
      name: body.username,
      role,
    });
    return succeed(exchange.id, "The user was created.", showUser(user));
  },
});

const CHANGED_USER = z.strictObject({
  email: MAIL_ADDRESS.nullish().describe("Takes effect at once; null removes it."),
  display_name: optional(DISPLAY_NAME),
  role: ROLE,
  status: optional(z.int().min(1).max(2).describe("1 enabled, 2 disabled.")),
  password: optional(NEW_PASSWORD),
  group_id: GROUP,
  team_id: ID.describe("The user's team; null for none.").nullish(),
  team_role: optional(z.enum(["member", "owner"])).describe("An owner sees the calls of the team."),
});

export const updateUser = management({
  operationId: "updateUser",
  tag: "Users",
  method: "PUT",
  path: "/api/user/:id",
  access: "admin",
  scope: "users:write",
  summary: "Changes a user of a role below your own. A disabled user's keys are refused.",
  body: CHANGED_USER,
  data: USER,

  async handle(
    exchange,
    { users, accountMailer }: Pick<AccountDeps, "users" | "accountMailer">,
    { body },
  ) {
    const found = await findUser(exchange, users);
    const actor = requireUser(exchange);
    const { role, status } = body;
    refuseUnlessAbove(actor, found.role);
    if (role !== undefined) refuseUnlessAbove(actor, role);

    const team = body.team_id === undefined ? found.teamId : body.team_id;
    if (body.team_role === "owner" && typeof team !== "number") {
      throw invalid("team_role", "A user without a team cannot own one. Give 'team_id', too.");
    }

    const change = defined({
      email: body.email,
      displayName: body.display_name,
      role,
      isEnabled: status === undefined ? undefined : status === 1,
      password: body.password,
      groupId: body.group_id,
      teamId: body.team_id,
      isTeamOwner: body.team_role === undefined ? undefined : body.team_role === "owner",
    });
    const changed = await users.change(found.id, change);
    if (changed === undefined) throw noSuchUser();
    if (body.email !== undefined) noticeOfNewEmail(accountMailer, found, body.email);
    return succeed(exchange.id, "The user was changed.", showUser(changed));
  },
});

export const deleteUser = management({
  operationId: "deleteUser",
  tag: "Users",
  method: "DELETE",
  path: "/api/user/:id",
  access: "admin",
  scope: "users:write",
  summary:
    "Deletes a user of a role below your own permanently: logins, tokens " +
    "and running streams end. The call log and its costs stay.",

  async handle(exchange, { users }: Pick<AccountDeps, "users">) {
    const found = await findUser(exchange, users);
    refuseUnlessAbove(requireUser(exchange), found.role);
    if (!(await users.delete(found.id))) throw noSuchUser();
    return succeed(exchange.id, "The user was deleted.");
  },
});
