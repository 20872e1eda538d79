import type { Generated, Selectable } from "kysely";
import type { Team } from "#core/team.ts";

export interface TeamsTable {
  id: Generated<number>;
  name: string;
  created_at: number;
  /** The name in the form that searches compare. */
  search: string;
}

export function toTeam(row: Selectable<TeamsTable>): Team {
  return Object.freeze({ id: row.id, name: row.name, createdAt: row.created_at });
}
