import type { AccessTokens } from "#core/access-token.ts";
import type { Scope } from "#core/scope.ts";
import type { User, UserStore } from "#core/user.ts";
import type { Clock } from "#lib/clock.ts";
import type { HttpLimits } from "../limits.ts";

/** Dependencies of the endpoints of access tokens. */
export interface AccessTokenDeps {
  readonly accessTokens: AccessTokens;
  readonly users: UserStore;
  /** The scopes of the routes that the user's role opens. */
  scopesOf(user: User): readonly Scope[];
  readonly clock: Clock;
  readonly limits: Pick<HttpLimits, "accessTokensPerUser">;
}
