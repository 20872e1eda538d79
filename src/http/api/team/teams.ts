import type { Team } from "#core/team.ts";
import type { JsonObject } from "#lib/json.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import { object } from "#lib/rules.ts";
import { defined } from "#lib/values.ts";
import type { HttpDeps } from "#http/deps.ts";
import { requireUser } from "#http/require-user.ts";
import type { Route } from "#http/routes.ts";
import { BUDGETS, readBudgets } from "../budget-fields.ts";
import { renderFailure, succeed } from "../envelope.ts";
import { NAME, readName } from "../name-fields.ts";
import { showQuota } from "../quota/show-quota.ts";
import { readFields } from "../read-fields.ts";
import { readAfter } from "../read-id.ts";
import { readUsd, USD } from "../usd.ts";
import { findTeam, noSuchTeam } from "./find-team.ts";
import { seconds } from "../seconds.ts";

const common = { renderError: renderFailure } as const;

const PAGE = 100;
const BOUNDS = { quota_usd: USD, ...BUDGETS };
const NEW_TEAM = object({ "name!": NAME, ...BOUNDS });
const CHANGED_TEAM = object({ name: NAME, ...BOUNDS });

export const listTeams: Route<HttpDeps> = {
  ...common,
  method: "GET",
  path: "/api/team",
  access: "auditor",
  summary: "Lists teams by id, at most 100; `after` is the last id of the page before.",

  async handle(exchange, { teams }) {
    const after = readAfter(exchange.query, "a team's");
    const found = await teams.list(after, PAGE);
    return succeed(exchange.id, "", { items: found.map(showTeam) });
  },
};

export const getTeam: Route<HttpDeps> = {
  ...common,
  method: "GET",
  path: "/api/team/:id",
  access: "auditor",
  summary: "A team, with what its members may spend together and have spent.",

  async handle(exchange, deps) {
    return succeed(
      exchange.id,
      "",
      await showTeamWhole(await findTeam(exchange, deps.teams), deps),
    );
  },
};

export const createTeam: Route<HttpDeps> = {
  ...common,
  method: "POST",
  path: "/api/team",
  access: "admin",
  summary: "Makes a team: users whose calls draw on one account besides their own.",
  requestSchema: () => schemaOf(NEW_TEAM),

  async handle(exchange, deps) {
    const body = await readFields(exchange, NEW_TEAM);
    const { name = "", ...bounds } = readTeam(body);
    const note = `${requireUser(exchange).name}: team made`;
    const team = await deps.teams.create({ name, ...bounds }, note);
    return succeed(exchange.id, "The team was made.", await showTeamWhole(team, deps));
  },
};

export const updateTeam: Route<HttpDeps> = {
  ...common,
  method: "PUT",
  path: "/api/team/:id",
  access: "admin",
  summary: "Changes a team; what is left out stays, and null takes a bound away.",
  requestSchema: () => schemaOf(CHANGED_TEAM),

  async handle(exchange, deps) {
    const change = readTeam(await readFields(exchange, CHANGED_TEAM));
    const { id } = await findTeam(exchange, deps.teams);
    const note = `${requireUser(exchange).name}: team changed`;
    const team = await deps.teams.change(id, change, note);
    if (team === undefined) throw noSuchTeam();
    return succeed(exchange.id, "The team was changed.", await showTeamWhole(team, deps));
  },
};

export const deleteTeam: Route<HttpDeps> = {
  ...common,
  method: "DELETE",
  path: "/api/team/:id",
  access: "admin",
  summary: "Deletes a team that nobody is in.",

  async handle(exchange, { teams }) {
    const { id } = await findTeam(exchange, teams);
    if (!(await teams.delete(id))) throw noSuchTeam();
    return succeed(exchange.id, "The team was deleted.");
  },
};

function readTeam(body: JsonObject) {
  return defined({
    name: readName(body),
    quota: readUsd(body["quota_usd"], "quota_usd"),
    budgets: readBudgets(body),
  });
}

function showTeam({ id, name, createdAt }: Team): JsonObject {
  return { id, name, created_at: seconds(createdAt) };
}

async function showTeamWhole(team: Team, deps: HttpDeps): Promise<JsonObject> {
  return { ...showTeam(team), ...(await showQuota(`team:${team.id}`, deps)) };
}
