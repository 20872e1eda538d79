import { z } from "zod";
import { GatewayError, invalid } from "#core/error.ts";
import { isAtLeast, ROLES, type ServiceAccount, type User } from "#core/user.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import type { AccountDeps } from "#http/deps/accounts.ts";
import { requireUser } from "#http/require-user.ts";
import { succeed } from "../envelope.ts";
import { optional } from "../fields.ts";
import { items, management } from "../management.ts";
import { afterField, idField } from "../query-fields.ts";
import { USD } from "../usd.ts";
import { refuseUnlessAbove } from "../user/find-user.ts";
import { DISPLAY_NAME, USERNAME } from "../user/user-fields.ts";
import { showUser, USER_FIELDS } from "../user/user-json.ts";
import { findManagedService, findService } from "./find-service-account.ts";

const PAGE = 100;
const PATH = "/api/service-account";

const common = { tag: "Service accounts", alsoTeamOwners: true } as const;
const reading = { ...common, method: "GET", access: "auditor", scope: "users:read" } as const;
const managing = { ...common, access: "admin", scope: "users:write" } as const;

const SERVICE_ACCOUNT = z
  .object({ ...USER_FIELDS, team_name: z.string() })
  .meta({ id: "ServiceAccount" });

const ID = z.int().min(1).max(Number.MAX_SAFE_INTEGER);
const GROUP = ID.describe("For admins only; null for none.").nullish();

type Deps = Pick<AccountDeps, "users" | "teams">;

export const listServiceAccounts = management({
  operationId: "listServiceAccounts",
  ...reading,
  path: PATH,
  summary:
    `Lists service accounts by id, at most ${PAGE}; \`after\` is the last id of the previous page. ` +
    "An owner of a team sees those of the team.",
  query: z.object({
    after: afterField("a service account's"),
    team: idField("Only those of this team."),
  }),
  data: items(SERVICE_ACCOUNT),

  async handle(exchange, { users }: Pick<Deps, "users">, { query }) {
    const actor = requireUser(exchange);
    const isAuditor = isAtLeast(actor.role, "auditor");
    if (!isAuditor && query.team !== undefined && query.team !== actor.teamId) throw notOwned();
    const team = isAuditor ? query.team : actor.teamId;
    const found = await users.listServices(team, query.after, PAGE);
    return succeed(exchange.id, "", { items: found.map(showService) });
  },
});

export const getServiceAccount = management({
  operationId: "getServiceAccount",
  ...reading,
  path: `${PATH}/:id`,
  summary: "A service account.",
  data: SERVICE_ACCOUNT,

  async handle(exchange, deps: Deps) {
    const user = await findService(exchange, deps.users);
    return succeed(exchange.id, "", await showNamed(user, deps));
  },
});

const NEW_SERVICE_ACCOUNT = z.strictObject({
  username: USERNAME,
  display_name: optional(DISPLAY_NAME),
  team_id: ID.describe("Your own team if absent.").nullish(),
  role: optional(z.enum(ROLES)).describe("`user` if absent; another is for admins only."),
  group_id: GROUP,
  quota_usd: USD,
});

export const createServiceAccount = management({
  operationId: "createServiceAccount",
  ...managing,
  method: "POST",
  path: PATH,
  summary:
    "Creates a service account of a team: a user without a login, with keys and access tokens. One " +
    "that an owner of the team creates is in the owner's group.",
  body: NEW_SERVICE_ACCOUNT,
  data: SERVICE_ACCOUNT,

  async handle(exchange, deps: Deps & Pick<AccountDeps, "limits">, { body }) {
    const actor = requireUser(exchange);
    const teamId = body.team_id ?? actor.teamId;
    if (teamId === undefined) throw invalid("team_id", "'team_id' is required.");
    const { role = "user" } = body;
    const isAdmin = isAtLeast(actor.role, "admin");
    if (isAdmin) refuseUnlessAbove(actor, role);
    else refuseForOwners(actor, { role, teamId, groupId: body.group_id });
    const groupId = isAdmin ? body.group_id : actor.groupId;
    const user = await deps.users.create({
      name: body.username,
      role,
      serviceOf: { teamId, most: deps.limits.serviceAccountsPerTeam },
      ...defined({
        displayName: body.display_name,
        quota: body.quota_usd ?? undefined,
        groupId: groupId ?? undefined,
      }),
    });
    return succeed(exchange.id, "The service account was created.", await showNamed(user, deps));
  },
});

const CHANGED_SERVICE_ACCOUNT = z.strictObject({
  display_name: optional(DISPLAY_NAME),
  status: optional(z.int().min(1).max(2).describe("1 enabled, 2 disabled.")),
  team_id: optional(ID).describe("Another team, for admins only."),
  role: optional(z.enum(ROLES)).describe("For admins only."),
  group_id: GROUP,
});

export const updateServiceAccount = management({
  operationId: "updateServiceAccount",
  ...managing,
  method: "PUT",
  path: `${PATH}/:id`,
  summary:
    "Changes a service account, or gives it to another team. A disabled one loses its access tokens, " +
    "and its keys are refused.",
  body: CHANGED_SERVICE_ACCOUNT,
  data: SERVICE_ACCOUNT,

  async handle(exchange, deps: Deps, { body }) {
    const found = await findManagedService(exchange, deps.users);
    const actor = requireUser(exchange);
    const { role, team_id: teamId, group_id: groupId, status } = body;
    if (!isAtLeast(actor.role, "admin")) refuseForOwners(actor, { role, teamId, groupId });
    else if (role !== undefined) refuseUnlessAbove(actor, role);
    const changed = await deps.users.change(
      found.id,
      defined({
        displayName: body.display_name,
        isEnabled: status === undefined ? undefined : status === 1,
        teamId,
        role,
        groupId,
      }),
    );
    return succeed(
      exchange.id,
      "The service account was changed.",
      await showNamed(changed ?? found, deps),
    );
  },
});

export const deleteServiceAccount = management({
  operationId: "deleteServiceAccount",
  ...managing,
  method: "DELETE",
  path: `${PATH}/:id`,
  summary: "Deletes a service account permanently, with its keys and access tokens.",

  async handle(exchange, { users }: Pick<Deps, "users">) {
    const { id } = await findManagedService(exchange, users);
    await users.delete(id);
    return succeed(exchange.id, "The service account was deleted.");
  },
});

interface OwnersFields {
  readonly role: User["role"] | undefined;
  readonly teamId: number | undefined;
  readonly groupId: number | null | undefined;
}

/** A service account gives an owner of a team no right that the owner lacks. */
function refuseForOwners(actor: User, { role = "user", teamId, groupId }: OwnersFields): void {
  if (teamId !== undefined && teamId !== actor.teamId) throw notOwned();
  if (role === "user" && groupId === undefined) return;
  throw new GatewayError("forbidden", "Only an admin sets the role or the group.");
}

function notOwned(): GatewayError {
  return new GatewayError("forbidden", "You do not own this team.");
}

async function showNamed(user: User, { teams }: Pick<Deps, "teams">): Promise<JsonObject> {
  const team = user.teamId === undefined ? undefined : await teams.find(user.teamId);
  return showService({ user, teamName: team?.name ?? "" });
}

function showService({ user, teamName }: ServiceAccount): JsonObject {
  return { ...showUser(user), team_name: teamName };
}
