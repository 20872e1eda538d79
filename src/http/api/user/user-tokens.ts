import { z } from "zod";
import type { AccountDeps } from "#http/deps/accounts.ts";
import { requireUser } from "#http/require-user.ts";
import type { Exchange } from "#http/routes.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import { readId } from "../read-id.ts";
import { STATUS, readStatus } from "../token/token-fields.ts";
import { showToken, TOKEN } from "../token/token-json.ts";
import { noSuchToken, PAGE, PAGE_OF_TOKENS, showPage } from "../token/tokens.ts";
import { findUser, refuseUnlessAbove } from "./find-user.ts";

export const listUserTokens = management({
  operationId: "listUserTokens",
  tag: "Users",
  method: "GET",
  path: "/api/user/:id/token",
  access: "auditor",
  scope: "keys:read",
  summary: "Lists a user's tokens, latest first, in pages of `p` and `page_size`.",
  query: PAGE,
  data: PAGE_OF_TOKENS,

  async handle(exchange, deps: Pick<AccountDeps, "clock" | "userKeys" | "users">, { query }) {
    const { id } = await findUser(exchange, deps.users);
    return await showPage(exchange, deps, id, query);
  },
});

export const updateUserToken = management({
  operationId: "updateUserToken",
  tag: "Users",
  method: "PUT",
  path: "/api/user/:id/token/:token",
  access: "admin",
  scope: "keys:write",
  summary: "Disables or enables a token of a user of a role below your own.",
  body: z.strictObject({ status: STATUS }),
  data: TOKEN,

  async handle(exchange, deps: Pick<AccountDeps, "clock" | "userKeys" | "users">, { body }) {
    const status = readStatus(body.status);
    const userId = await userBelow(exchange, deps);
    const id = tokenInPath(exchange);
    const changed = await deps.userKeys.update(userId, id, status === undefined ? {} : { status });
    if (changed === undefined) throw noSuchToken();
    return succeed(exchange.id, "The token was changed.", showToken(changed, deps.clock.now()));
  },
});

export const deleteUserToken = management({
  operationId: "deleteUserToken",
  tag: "Users",
  method: "DELETE",
  path: "/api/user/:id/token/:token",
  access: "admin",
  scope: "keys:write",
  summary:
    "Deletes a token of a user of a role below your own permanently; its running streams end.",

  async handle(exchange, deps: Pick<AccountDeps, "userKeys" | "users">) {
    const userId = await userBelow(exchange, deps);
    const deleted = await deps.userKeys.deleteOwn(userId, [tokenInPath(exchange)]);
    if (deleted.length === 0) throw noSuchToken();
    return succeed(exchange.id, "The token was deleted.");
  },
});

async function userBelow(
  exchange: Exchange,
  { users }: Pick<AccountDeps, "users">,
): Promise<number> {
  const user = await findUser(exchange, users);
  refuseUnlessAbove(requireUser(exchange), user.role);
  return user.id;
}

function tokenInPath(exchange: Exchange): number {
  const id = readId(exchange.param("token"));
  if (id === undefined) throw noSuchToken();
  return id;
}
