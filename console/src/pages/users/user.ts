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

/** Reads the list of users, and each shown one, anew after a change. */
export function useRefreshedUsers(): () => void {
  const client = useQueryClient();
  return () => {
    for (const path of ["/api/user", USER]) {
      void client.invalidateQueries({ queryKey: ["get", path] });
    }
  };
}

const USER = "/api/user/{id}";

/** The user of the address: of the pages that were read, or else read alone. */
export function useOpenUser(
  id: string | null,
  listed: readonly ListedUser[] | undefined,
): ListedUser | undefined {
  const known = listed?.find((user) => String(user.id) === id);
  const isAlone = id !== null && listed !== undefined && known === undefined;
  const alone = hooks.useQuery(
    "get",
    USER,
    { params: { path: { id: id ?? "" } } },
    { enabled: isAlone },
  );
  const read = isAlone ? alone.data?.data : undefined;
  return known ?? (read !== undefined && isWhole(read) ? read : undefined);
}

function isWhole(user: ListedUser | Schemas["SeenMember"]): user is ListedUser {
  return "quota_usd" in user;
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
