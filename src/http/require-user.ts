import assert from "node:assert";
import type { User } from "#core/user.ts";
import type { Exchange } from "./routes.ts";

/** For routes that need a login: the server has authenticated the user before. */
export function requireUser({ user }: Exchange): User {
  assert(user !== undefined, "A route that needs a login is declared with another access.");
  return user;
}
