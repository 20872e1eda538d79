import { z } from "zod";
import type { Team } from "#core/team.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import type { AccountDeps } from "#http/deps/accounts.ts";
import { requireUser } from "#http/require-user.ts";
import { BUDGETS, readBudgets } from "../budget-fields.ts";
import { succeed } from "../envelope.ts";
import { optional } from "../fields.ts";
import { listById } from "../list-by-id.ts";
import { management } from "../management.ts";
import { NAME } from "../name-fields.ts";
import { QUOTA, showQuota } from "../quota/show-quota.ts";
import { USD } from "../usd.ts";
import { findTeam, noSuchTeam } from "./find-team.ts";
import { seconds } from "../seconds.ts";

const common = { tag: "Teams" } as const;

const BOUNDS = { quota_usd: USD, ...BUDGETS };
const NEW_TEAM = z.strictObject({ name: NAME, ...BOUNDS });
const CHANGED_TEAM = z.strictObject({ name: optional(NAME), ...BOUNDS });

const LISTED = { id: z.int(), name: z.string(), created_at: z.int() };
const LISTED_TEAM = z.object(LISTED).meta({ id: "ListedTeam" });
const TEAM = z.object({ ...LISTED, ...QUOTA }).meta({ id: "Team" });

export const listTeams = listById({
  operationId: "listTeams",
  ...common,
  path: "/api/team",
  access: "auditor",
  scope: "teams:read",
  objects: "teams",
  whose: "a team's",
  item: LISTED_TEAM,
  show: showTeam,
  list: ({ teams }: Pick<AccountDeps, "teams">, after, limit) => teams.list(after, limit),
});

export const getTeam = management({
  operationId: "getTeam",
  ...common,
  method: "GET",
  path: "/api/team/:id",
  access: "auditor",
  scope: "teams:read",
  summary: "A team with its quota and the amounts spent.",
  data: TEAM,

  async handle(exchange, deps: Pick<AccountDeps, "clock" | "ledger" | "quotas" | "teams">) {
    return succeed(
      exchange.id,
      "",
      await showTeamWhole(await findTeam(exchange, deps.teams), deps),
    );
  },
});

export const createTeam = management({
  operationId: "createTeam",
  ...common,
  method: "POST",
  path: "/api/team",
  access: "admin",
  scope: "teams:write",
  summary: "Creates a team: users whose calls are also charged to one common account.",
  body: NEW_TEAM,
  data: TEAM,

  async handle(
    exchange,
    deps: Pick<AccountDeps, "clock" | "ledger" | "quotas" | "teams">,
    { body },
  ) {
    const { name = "", ...bounds } = readTeam(body);
    const note = `${requireUser(exchange).name}: team made`;
    const team = await deps.teams.create({ name, ...bounds }, note);
    return succeed(exchange.id, "The team was created.", await showTeamWhole(team, deps));
  },
});

export const updateTeam = management({
  operationId: "updateTeam",
  ...common,
  scope: "teams:write",
  method: "PUT",
  path: "/api/team/:id",
  access: "admin",
  summary: "Changes a team. Absent fields stay unchanged; null removes a limit.",
  body: CHANGED_TEAM,
  data: TEAM,

  async handle(
    exchange,
    deps: Pick<AccountDeps, "clock" | "ledger" | "quotas" | "teams">,
    { body },
  ) {
    const change = readTeam(body);
    const { id } = await findTeam(exchange, deps.teams);
    const note = `${requireUser(exchange).name}: team changed`;
    const team = await deps.teams.change(id, change, note);
    if (team === undefined) throw noSuchTeam();
    return succeed(exchange.id, "The team was changed.", await showTeamWhole(team, deps));
  },
});

export const deleteTeam = management({
  operationId: "deleteTeam",
  ...common,
  scope: "teams:write",
  method: "DELETE",
  path: "/api/team/:id",
  access: "admin",
  summary: "Deletes a team without members, with its service accounts.",

  async handle(exchange, { teams }: Pick<AccountDeps, "teams">) {
    const { id } = await findTeam(exchange, teams);
    if (!(await teams.delete(id))) throw noSuchTeam();
    return succeed(exchange.id, "The team was deleted.");
  },
});

function readTeam(body: z.output<typeof CHANGED_TEAM>) {
  return defined({ name: body.name, quota: body.quota_usd, budgets: readBudgets(body) });
}

function showTeam({ id, name, createdAt }: Team): JsonObject {
  return { id, name, created_at: seconds(createdAt) };
}

async function showTeamWhole(
  team: Team,
  deps: Pick<AccountDeps, "clock" | "ledger" | "quotas">,
): Promise<JsonObject> {
  return { ...showTeam(team), ...(await showQuota(`team:${team.id}`, deps)) };
}
