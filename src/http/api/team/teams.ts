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
import { FUNDS, showFunds, type FundDeps } from "../quota/show-funds.ts";
import { USD } from "../usd.ts";
import { findTeam, noSuchTeam } from "./find-team.ts";
import { MEMBERS, readMembers } from "./members.ts";
import { seconds } from "../seconds.ts";

const common = { tag: "Teams" } as const;

const BOUNDS = { quota_usd: USD, ...BUDGETS };
const NEW_TEAM = z.strictObject({
  name: NAME,
  ...BOUNDS,
  members: optional(MEMBERS).describe("Users of roles below your own, by id or name."),
  move: optional(z.boolean().describe("Take users out of other teams.")),
});
const CHANGED_TEAM = z.strictObject({ name: optional(NAME), ...BOUNDS });

const LISTED = { id: z.int(), name: z.string(), created_at: z.int() };
const TEAM = z.object({ ...LISTED, ...FUNDS }).meta({ id: "Team" });

type TeamDeps = FundDeps & Pick<AccountDeps, "teams">;

export const listTeams = listById({
  operationId: "listTeams",
  ...common,
  path: "/api/team",
  access: "auditor",
  scope: "teams:read",
  objects: "teams",
  whose: "a team's",
  searched: "a name",
  item: TEAM,
  show: showTeam,
  list: ({ teams }: TeamDeps, after, limit, search) => teams.list(after, limit, search),
  async beside(teams, deps) {
    const ids = teams.map(({ id }) => id);
    const funds = await showFunds("team", ids, deps);
    return ({ id }) => funds(id);
  },
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

  async handle(exchange, deps: TeamDeps) {
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
  summary:
    "Creates a team: users whose calls are also charged to one common account. All members " +
    "join at once, or the team is not created.",
  body: NEW_TEAM,
  data: TEAM,

  async handle(exchange, deps: TeamDeps & Pick<AccountDeps, "users">, { body }) {
    const { name = "", ...bounds } = readTeam(body);
    const actor = requireUser(exchange);
    const given = body.members ?? [];
    const members = await readMembers(given, actor, deps, undefined, body.move === true);
    const note = `${actor.name}: team made`;
    const team = await deps.teams.create({ name, ...bounds, members }, note);
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

  async handle(exchange, deps: TeamDeps, { body }) {
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

function readTeam(
  body: Omit<z.output<typeof NEW_TEAM>, "name" | "members" | "move"> & {
    readonly name?: string | undefined;
  },
) {
  return defined({ name: body.name, quota: body.quota_usd, budgets: readBudgets(body) });
}

function showTeam({ id, name, createdAt }: Team): JsonObject {
  return { id, name, created_at: seconds(createdAt) };
}

async function showTeamWhole(team: Team, deps: FundDeps): Promise<JsonObject> {
  const funds = await showFunds("team", [team.id], deps);
  return { ...showTeam(team), ...funds(team.id) };
}
