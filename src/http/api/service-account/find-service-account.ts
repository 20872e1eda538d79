import { GatewayError } from "#core/error.ts";
import { mayInspect, mayManage } from "#core/manage-user.ts";
import { isAtLeast, type User, type UserStore } from "#core/user.ts";
import { requireUser } from "#http/require-user.ts";
import type { Exchange } from "#http/routes.ts";
import { findManaged, findUser } from "../user/find-user.ts";

type Users = Pick<UserStore, "find">;

/** The service account in the path, if the caller sees it. */
export async function findService(exchange: Exchange, users: Users): Promise<User> {
  const user = await findUser(exchange, users);
  if (user.isService === true && mayInspect(requireUser(exchange), user)) return user;
  throw noSuchService();
}

/** The service account in the path, if the caller manages it. The audit log names it. */
export async function findManagedService(exchange: Exchange, users: Users): Promise<User> {
  const user = await findManaged(exchange, users);
  if (user.isService !== true) throw noSuchService();
  exchange.note({ user: user.name });
  return user;
}

/** The user in the path, if the caller sees its access tokens. */
export async function findTokenUser(exchange: Exchange, users: Users): Promise<User> {
  const user = await findUser(exchange, users);
  const actor = requireUser(exchange);
  if (isAtLeast(actor.role, "auditor")) return user;
  if (user.isService === true && mayManage(actor, user)) return user;
  throw noSuchService();
}

function noSuchService(): GatewayError {
  return new GatewayError("not_found", "Service account not found.");
}
