import { z } from "zod";
import type { AccountDeps } from "#http/deps/accounts.ts";
import { requireUser } from "#http/require-user.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import { GRANTS, HISTORY, showHistory } from "../quota/history.ts";
import { raiseRoutes } from "../quota/raises.ts";
import { QUOTA, showQuota } from "../quota/show-quota.ts";
import { TOP_UP, TOPPED_UP, topUp } from "../quota/top-up.ts";
import { findTeam } from "./find-team.ts";

export const getTeamQuota = management({
  operationId: "getTeamQuota",
  tag: "Teams",
  method: "GET",
  path: "/api/team/:id/quota",
  access: "auditor",
  scope: "usage:read",
  summary: "Quota and budgets of a team, and the amounts spent.",
  data: z.object({ team_id: z.int(), ...QUOTA }),

  async handle(exchange, deps: Pick<AccountDeps, "clock" | "ledger" | "quotas" | "teams">) {
    const { id } = await findTeam(exchange, deps.teams);
    return succeed(exchange.id, "", { team_id: id, ...(await showQuota(`team:${id}`, deps)) });
  },
});

export const teamRaises = raiseRoutes({
  scope: "teams:write",
  of: "Team",
  whose: "a team",
  tag: "Teams",
  access: "admin",
  path: "/api/team/:id",
  findOwner: async (exchange, { teams }: Pick<AccountDeps, "teams">) =>
    `team:${(await findTeam(exchange, teams)).id}` as const,
});

export const topUpTeam = management({
  operationId: "topUpTeam",
  tag: "Teams",
  method: "POST",
  path: "/api/team/:id/quota",
  access: "admin",
  scope: "teams:write",
  summary: "Raises or lowers the quota of a team, once for each `operation`.",
  body: TOP_UP,
  data: TOPPED_UP,

  handle(exchange, deps: Pick<AccountDeps, "clock" | "ledger" | "quotas" | "teams">, { body }) {
    const findOwner = async () => `team:${(await findTeam(exchange, deps.teams)).id}` as const;
    return topUp({ exchange, body }, requireUser(exchange), findOwner, deps);
  },
});

export const listTeamGrants = management({
  operationId: "listTeamGrants",
  tag: "Teams",
  method: "GET",
  path: "/api/team/:id/quota/history",
  access: "auditor",
  scope: "usage:read",
  summary: "Changes of a team's quota with actor, time and reason; paged like those of a user.",
  query: HISTORY,
  data: GRANTS,

  async handle(exchange, deps: Pick<AccountDeps, "quotas" | "teams">, { query }) {
    const { id } = await findTeam(exchange, deps.teams);
    return showHistory(exchange, `team:${id}`, query, deps);
  },
});
