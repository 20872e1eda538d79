import { z } from "zod";
import { GatewayError } from "#core/error.ts";
import type { AccessTokenDeps } from "#http/deps/access-tokens.ts";
import { requireUser } from "#http/require-user.ts";
import type { Exchange } from "#http/routes.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import { readId } from "../read-id.ts";
import {
  givenBy,
  NEW_ACCESS_TOKEN,
  readAccessToken,
  RENAMED_ACCESS_TOKEN,
} from "./access-token-draft.ts";
import {
  ACCESS_TOKEN,
  GRANTABLE,
  NEW_ACCESS_TOKEN_SHOWN,
  showAccessToken,
  showGrantable,
} from "./access-token-json.ts";
import { issueAccessToken, type IssueDeps } from "./issue-access-token.ts";

const common = { access: "user", tag: "Account" } as const;

const PATH = "/api/user/self/access-token";
const UNNAMED = "access token";

const ACCESS_TOKEN_LIST = z.object({ items: z.array(ACCESS_TOKEN), grantable: GRANTABLE });

export const listOwnAccessTokens = management({
  operationId: "listOwnAccessTokens",
  ...common,
  scope: "account:read",
  method: "GET",
  path: PATH,
  summary: "Your access tokens, newest first, and the scopes that you may give to a new one.",
  data: ACCESS_TOKEN_LIST,

  async handle(exchange, deps: Pick<AccessTokenDeps, "accessTokens" | "scopesOf">) {
    const user = requireUser(exchange);
    const tokens = await deps.accessTokens.list(user.id);
    const grantable = givenBy(exchange.accessToken, deps.scopesOf(user));
    return succeed(exchange.id, "", {
      items: tokens.map(showAccessToken),
      grantable: showGrantable(grantable),
    });
  },
});

export const createOwnAccessToken = management({
  operationId: "createOwnAccessToken",
  ...common,
  scope: "account:write",
  method: "POST",
  path: PATH,
  summary:
    "Creates an access token with some scopes and an end. Only this answer contains it. Your other " +
    "tokens stay. A token creates none that allows more or lasts longer than itself.",
  body: NEW_ACCESS_TOKEN,
  data: NEW_ACCESS_TOKEN_SHOWN,

  handle: (exchange, deps: IssueDeps, { body }) =>
    issueAccessToken(exchange, deps, requireUser(exchange), body),
});

export const renameOwnAccessToken = management({
  operationId: "renameOwnAccessToken",
  ...common,
  scope: "account:write",
  method: "PUT",
  path: `${PATH}/:token`,
  summary: "Renames one of your access tokens. Its scopes and its end stay.",
  body: RENAMED_ACCESS_TOKEN,
  data: ACCESS_TOKEN,

  handle: (exchange, deps: Pick<AccessTokenDeps, "accessTokens">, { body: { name } }) =>
    renameAccessToken(exchange, deps, requireUser(exchange).id, name),
});

export async function renameAccessToken(
  exchange: Exchange,
  { accessTokens }: Pick<AccessTokenDeps, "accessTokens">,
  userId: number,
  name: string,
): Promise<Response> {
  const token = await accessTokens.rename(userId, tokenInPath(exchange), name);
  if (token === undefined) throw noSuchAccessToken();
  return succeed(exchange.id, "The access token was renamed.", showAccessToken(token));
}

export const revokeOwnAccessToken = management({
  operationId: "revokeOwnAccessToken",
  ...common,
  scope: "account:write",
  method: "DELETE",
  path: `${PATH}/:token`,
  summary: "Revokes one of your access tokens.",

  async handle(exchange, { accessTokens }: Pick<AccessTokenDeps, "accessTokens">) {
    const { id } = requireUser(exchange);
    if (!(await accessTokens.revoke(id, tokenInPath(exchange)))) throw noSuchAccessToken();
    return succeed(exchange.id, "The access token was revoked.");
  },
});

export const createAccessToken = management({
  operationId: "createAccessToken",
  ...common,
  scope: "account:write",
  method: "POST",
  path: "/api/user/token",
  summary:
    "Creates an access token without a name that allows all that you may do and never ends. Your " +
    "other tokens stay. It is not shown again.",
  data: z.object({ token: z.string() }),

  async handle(
    exchange,
    { accessTokens, clock, limits }: Pick<AccessTokenDeps, "accessTokens" | "clock" | "limits">,
  ) {
    const draft = readAccessToken(
      { name: UNNAMED, scopes: null },
      { token: exchange.accessToken, grantable: [], now: clock.now() },
    );
    const { id: userId } = requireUser(exchange);
    const made = await accessTokens.create({ ...draft, userId }, limits.accessTokensPerUser);
    exchange.note({ access_token: made.token.id });
    return succeed(exchange.id, "Your access token was created. It is not shown again.", {
      token: made.secret,
    });
  },
});

export const deleteAccessToken = management({
  operationId: "deleteAccessToken",
  ...common,
  scope: "account:write",
  method: "DELETE",
  path: "/api/user/token",
  summary: "Revokes all your access tokens.",

  async handle(exchange, { accessTokens }: Pick<AccessTokenDeps, "accessTokens">) {
    const count = await accessTokens.revokeAll(requireUser(exchange).id);
    if (count === 0) throw new GatewayError("not_found", "You have no access token.");
    return succeed(exchange.id, "Your access tokens were revoked.");
  },
});

export function tokenInPath(exchange: Exchange): number {
  const id = readId(exchange.param("token"));
  if (id === undefined) throw noSuchAccessToken();
  return id;
}

export function noSuchAccessToken(): GatewayError {
  return new GatewayError("not_found", "The access token does not exist.");
}
