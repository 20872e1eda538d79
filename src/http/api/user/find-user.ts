import { GatewayError } from "#core/error.ts";
import { mayInspect, mayManage } from "#core/manage-user.ts";
import { isAtLeast, type Role, type User, type UserStore } from "#core/user.ts";
import { requireUser } from "#http/require-user.ts";
import type { Exchange } from "#http/routes.ts";
import { readId } from "../read-id.ts";

/** The user in the path. */
export async function findUser(exchange: Exchange, users: Pick<UserStore, "find">): Promise<User> {
  const id = readId(exchange.param("id"));
  const found = id === undefined ? undefined : await users.find(id);
  if (found === undefined) throw noSuchUser();
  return found;
}

/** The user in the path, if the caller manages it. Owners of teams do not learn of other users. */
export async function findManaged(
  exchange: Exchange,
  users: Pick<UserStore, "find">,
): Promise<User> {
  const actor = requireUser(exchange);
  const user = await findUser(exchange, users);
  if (mayManage(actor, user)) return user;
  if (!isAtLeast(actor.role, "admin")) throw noSuchUser();
  throw notAbove();
}

/** The user in the path, if the caller sees its keys. */
export async function findInspected(exchange: Exchange, users: UserStore): Promise<User> {
  const user = await findUser(exchange, users);
  if (mayInspect(requireUser(exchange), user)) return user;
  throw noSuchUser();
}

/** An admin can create neither an equal nor a higher role; only one root exists. */
export function refuseUnlessAbove(actor: User, role: Role): void {
  if (!isAtLeast(role, actor.role)) return;
  throw notAbove();
}

function notAbove(): GatewayError {
  return new GatewayError("forbidden", "Your role must be above the role of the user you change.");
}

export function noSuchUser(): GatewayError {
  return new GatewayError("not_found", "User not found.");
}
