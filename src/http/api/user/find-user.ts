import { GatewayError } from "#core/error.ts";
import { isAtLeast, type Role, type User, type UserStore } from "#core/user.ts";
import type { Exchange } from "#http/routes.ts";
import { readId } from "../read-id.ts";

/** The user in the path. */
export async function findUser(exchange: Exchange, users: UserStore): Promise<User> {
  const id = readId(exchange.param("id"));
  const found = id === undefined ? undefined : await users.find(id);
  if (found === undefined) throw noSuchUser();
  return found;
}

/** An admin can create neither an equal nor a higher role; only one root exists. */
export function refuseUnlessAbove(actor: User, role: Role): void {
  if (!isAtLeast(role, actor.role)) return;
  throw new GatewayError("forbidden", "Your role must be above the role of the user you change.");
}

export function noSuchUser(): GatewayError {
  return new GatewayError("not_found", "User not found.");
}
