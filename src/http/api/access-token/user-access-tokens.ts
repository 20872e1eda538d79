import type { LoginDeps } from "#http/deps/logins.ts";
import { requireUser } from "#http/require-user.ts";
import { succeed } from "../envelope.ts";
import { items, management } from "../management.ts";
import { findUser, refuseUnlessAbove } from "../user/find-user.ts";
import { ACCESS_TOKEN, showAccessToken } from "./access-token-json.ts";
import { noSuchAccessToken, tokenInPath } from "./own-access-tokens.ts";

const PATH = "/api/user/:id/access-token";

export const listUserAccessTokens = management({
  operationId: "listUserAccessTokens",
  tag: "Users",
  method: "GET",
  path: PATH,
  access: "auditor",
  scope: "users:read",
  summary: "A user's access tokens, newest first.",
  data: items(ACCESS_TOKEN),

  async handle(exchange, deps: Pick<LoginDeps, "accessTokens" | "users">) {
    const { id } = await findUser(exchange, deps.users);
    const tokens = await deps.accessTokens.list(id);
    return succeed(exchange.id, "", { items: tokens.map(showAccessToken) });
  },
});

export const revokeUserAccessToken = management({
  operationId: "revokeUserAccessToken",
  tag: "Users",
  method: "DELETE",
  path: `${PATH}/:token`,
  access: "admin",
  scope: "users:write",
  summary: "Revokes an access token of a user of a role below your own.",

  async handle(exchange, deps: Pick<LoginDeps, "accessTokens" | "users">) {
    const user = await findUser(exchange, deps.users);
    refuseUnlessAbove(requireUser(exchange), user.role);
    exchange.note({ user: user.name });
    if (!(await deps.accessTokens.revoke(user.id, tokenInPath(exchange)))) {
      throw noSuchAccessToken();
    }
    return succeed(exchange.id, "The access token was revoked.");
  },
});
