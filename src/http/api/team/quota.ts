import { schemaOf } from "#lib/rule-schema.ts";
import type { HttpDeps } from "#http/deps.ts";
import { requireUser } from "#http/require-user.ts";
import type { Route } from "#http/routes.ts";
import { renderFailure, succeed } from "../envelope.ts";
import { showHistory } from "../quota/history.ts";
import { showQuota } from "../quota/show-quota.ts";
import { TOP_UP, topUp } from "../quota/top-up.ts";
import { findTeam } from "./find-team.ts";

export const getTeamQuota: Route<HttpDeps> = {
  method: "GET",
  path: "/api/team/:id/quota",
  access: "auditor",
  summary: "What the members of a team may spend together, and have spent.",
  renderError: renderFailure,

  async handle(exchange, deps) {
    const { id } = await findTeam(exchange, deps.teams);
    return succeed(exchange.id, "", { team_id: id, ...(await showQuota(`team:${id}`, deps)) });
  },
};

export const topUpTeam: Route<HttpDeps> = {
  method: "POST",
  path: "/api/team/:id/quota",
  access: "admin",
  summary: "Adds to what a team may spend, or takes away from it; once for each `operation`.",
  renderError: renderFailure,
  requestSchema: () => schemaOf(TOP_UP),

  handle(exchange, deps) {
    const findOwner = async () => `team:${(await findTeam(exchange, deps.teams)).id}` as const;
    return topUp(exchange, requireUser(exchange), findOwner, deps);
  },
};

export const listTeamGrants: Route<HttpDeps> = {
  method: "GET",
  path: "/api/team/:id/quota/history",
  access: "auditor",
  summary: "Who changed what a team may spend, when and why; paged as a user's.",
  renderError: renderFailure,

  async handle(exchange, deps) {
    const { id } = await findTeam(exchange, deps.teams);
    return showHistory(exchange, `team:${id}`, deps);
  },
};
