import { GatewayError } from "#core/error.ts";
import type { Team, TeamStore } from "#core/team.ts";
import type { Exchange } from "#http/routes.ts";
import { readId } from "../read-id.ts";

/** The team in the path. */
export async function findTeam(exchange: Exchange, teams: TeamStore): Promise<Team> {
  const id = readId(exchange.param("id"));
  const found = id === undefined ? undefined : await teams.find(id);
  if (found === undefined) throw noSuchTeam();
  return found;
}

export function noSuchTeam(): GatewayError {
  return new GatewayError("not_found", "The team does not exist.");
}
