import { isAtLeast, type User } from "#core/user.ts";
import type { AccessTokenDeps } from "#http/deps/access-tokens.ts";
import { requireUser } from "#http/require-user.ts";
import type { Exchange } from "#http/routes.ts";
import { succeed } from "../envelope.ts";
import { items, management } from "../management.ts";
import { findManagedService, findTokenUser } from "../service-account/find-service-account.ts";
import { findManaged } from "../user/find-user.ts";
import { NEW_ACCESS_TOKEN, RENAMED_ACCESS_TOKEN } from "./access-token-draft.ts";
import { ACCESS_TOKEN, NEW_ACCESS_TOKEN_SHOWN, showAccessToken } from "./access-token-json.ts";
import { issueAccessToken, type IssueDeps } from "./issue-access-token.ts";
import { noSuchAccessToken, renameAccessToken, tokenInPath } from "./own-access-tokens.ts";

const PATH = "/api/user/:id/access-token";

const common = { tag: "Users", alsoTeamOwners: true } as const;

export const listUserAccessTokens = management({
  operationId: "listUserAccessTokens",
  ...common,
  method: "GET",
  path: PATH,
  access: "auditor",
  scope: "users:read",
  summary:
    "A user's access tokens, newest first. An owner of a team sees those of its service accounts.",
  data: items(ACCESS_TOKEN),

  async handle(exchange, deps: Pick<AccessTokenDeps, "accessTokens" | "users">) {
    const { id } = await findTokenUser(exchange, deps.users);
    const tokens = await deps.accessTokens.list(id);
    return succeed(exchange.id, "", { items: tokens.map(showAccessToken) });
  },
});

export const createUserAccessToken = management({
  operationId: "createUserAccessToken",
  ...common,
  method: "POST",
  path: PATH,
  access: "admin",
  scope: "users:write",
  summary:
    "Creates an access token of a service account, with scopes that you may give. Only this answer " +
    "contains it.",
  body: NEW_ACCESS_TOKEN,
  data: NEW_ACCESS_TOKEN_SHOWN,

  async handle(exchange, deps: IssueDeps & Pick<AccessTokenDeps, "users">, { body }) {
    const user = await findManagedService(exchange, deps.users);
    return await issueAccessToken(exchange, deps, user, body);
  },
});

export const renameUserAccessToken = management({
  operationId: "renameUserAccessToken",
  ...common,
  method: "PUT",
  path: `${PATH}/:token`,
  access: "admin",
  scope: "users:write",
  summary:
    "Renames an access token of a user of a role below your own, or of a service account of the team " +
    "that you own.",
  body: RENAMED_ACCESS_TOKEN,
  data: ACCESS_TOKEN,

  async handle(
    exchange,
    deps: Pick<AccessTokenDeps, "accessTokens" | "users">,
    { body: { name } },
  ) {
    const user = await findTokenHolder(exchange, deps);
    exchange.note({ user: user.name });
    return await renameAccessToken(exchange, deps, user.id, name);
  },
});

export const revokeUserAccessToken = management({
  operationId: "revokeUserAccessToken",
  ...common,
  method: "DELETE",
  path: `${PATH}/:token`,
  access: "admin",
  scope: "users:write",
  summary:
    "Revokes an access token of a user of a role below your own, or of a service account of the team " +
    "that you own.",

  async handle(exchange, deps: Pick<AccessTokenDeps, "accessTokens" | "users">) {
    const user = await findTokenHolder(exchange, deps);
    exchange.note({ user: user.name });
    if (!(await deps.accessTokens.revoke(user.id, tokenInPath(exchange)))) {
      throw noSuchAccessToken();
    }
    return succeed(exchange.id, "The access token was revoked.");
  },
});

async function findTokenHolder(
  exchange: Exchange,
  { users }: Pick<AccessTokenDeps, "users">,
): Promise<User> {
  const { role } = requireUser(exchange);
  if (!isAtLeast(role, "admin")) return await findManagedService(exchange, users);
  return await findManaged(exchange, users);
}
