import { SCOPE_NAMES, type Scope } from "#core/scope.ts";
import type { User } from "#core/user.ts";
import { isRoleEnough } from "./authenticate.ts";
import type { RouteDescription } from "./routes.ts";

/** The scopes of the routes that the user's role opens, in the order of their table. */
export function scopesOf(user: User, routes: readonly RouteDescription[]): readonly Scope[] {
  const opened = new Set(
    routes.flatMap((route) =>
      route.scope !== undefined && isRoleEnough(user, route) ? [route.scope] : [],
    ),
  );
  return SCOPE_NAMES.filter((scope) => opened.has(scope));
}
