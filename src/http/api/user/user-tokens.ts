import { schemaOf } from "#lib/rule-schema.ts";
import { integer, object } from "#lib/rules.ts";
import type { HttpDeps } from "#http/deps.ts";
import { requireUser } from "#http/require-user.ts";
import type { Exchange, Route } from "#http/routes.ts";
import { renderFailure, succeed } from "../envelope.ts";
import { readFields } from "../read-fields.ts";
import { readId } from "../read-id.ts";
import { readStatus } from "../token/token-fields.ts";
import { showToken } from "../token/token-json.ts";
import { noSuchToken, showPage } from "../token/tokens.ts";
import { findUser, refuseUnlessAbove } from "./find-user.ts";

export const listUserTokens: Route<HttpDeps> = {
  method: "GET",
  path: "/api/user/:id/token",
  access: "auditor",
  summary: "Lists a user's tokens, latest first; `p` and `page_size` choose the page.",
  renderError: renderFailure,

  async handle(exchange, deps) {
    const { id } = await findUser(exchange, deps.users);
    return await showPage(exchange, deps, id);
  },
};

const STATUS = object({ "status!": integer(1, 2, "1 enabled, 2 disabled.") });

export const updateUserToken: Route<HttpDeps> = {
  method: "PUT",
  path: "/api/user/:id/token/:token",
  access: "admin",
  summary: "Disables or enables a token of a user of a role below your own.",
  renderError: renderFailure,
  requestSchema: () => schemaOf(STATUS),

  async handle(exchange, deps) {
    const status = readStatus(await readFields(exchange, STATUS));
    const userId = await userBelow(exchange, deps);
    const id = tokenInPath(exchange);
    const changed = await deps.ownKeys.update(userId, id, status === undefined ? {} : { status });
    if (changed === undefined) throw noSuchToken();
    return succeed(exchange.id, "The token was changed.", showToken(changed, deps.clock.now()));
  },
};

export const deleteUserToken: Route<HttpDeps> = {
  method: "DELETE",
  path: "/api/user/:id/token/:token",
  access: "admin",
  summary: "Deletes a token of a user of a role below your own for good; its running streams end.",
  renderError: renderFailure,

  async handle(exchange, deps) {
    const userId = await userBelow(exchange, deps);
    const deleted = await deps.ownKeys.deleteOwn(userId, [tokenInPath(exchange)]);
    if (deleted.length === 0) throw noSuchToken();
    return succeed(exchange.id, "The token was deleted.");
  },
};

async function userBelow(exchange: Exchange, { users }: HttpDeps): Promise<number> {
  const user = await findUser(exchange, users);
  refuseUnlessAbove(requireUser(exchange), user.role);
  return user.id;
}

function tokenInPath(exchange: Exchange): number {
  const id = readId(exchange.param("token"));
  if (id === undefined) throw noSuchToken();
  return id;
}
