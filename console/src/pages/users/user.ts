import { useQueryClient } from "@tanstack/react-query";
import { hooks, type Schemas } from "../../api/client.ts";
import { isAtLeast, type Role } from "../../app/pages.ts";

export type ListedUser = Schemas["ListedUser"];

export const ENABLED = 1;
export const DISABLED = 2;
export const ROLES = ["user", "auditor", "admin", "root"] as const;

export const STATUSES = ["enabled", "disabled"] as const;

/** Roles below one's own, which alone can be given and changed. */
export function rolesBelow(own: Role): readonly Role[] {
  return ROLES.filter((role) => role !== own && isAtLeast(own, role));
}

/** Reads the list of users anew after a change. */
export function useRefreshedUsers(): () => void {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ queryKey: ["get", "/api/user"] });
}

/** Names of the first teams and groups by id, for lists and choices. */
export function useNames(): {
  readonly teams: ReadonlyMap<number, string>;
  readonly groups: ReadonlyMap<number, string>;
} {
  const teams = hooks.useQuery("get", "/api/team", {}, { staleTime: 60_000 });
  const groups = hooks.useQuery("get", "/api/group", {}, { staleTime: 60_000 });
  return { teams: namesOf(teams.data?.data.items), groups: namesOf(groups.data?.data.items) };
}

function namesOf(items: readonly { readonly id: number; readonly name: string }[] = []) {
  return new Map(items.map(({ id, name }) => [id, name]));
}
