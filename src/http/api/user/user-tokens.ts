import type { User } from "#core/user.ts";
import type { AccountDeps } from "#http/deps/accounts.ts";
import type { Exchange } from "#http/routes.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import { readId } from "../read-id.ts";
import { CHANGED_TOKEN, NEW_TOKEN, readStatus, readTokenFields } from "../token/token-fields.ts";
import { NEW_TOKEN_SHOWN, showToken, TOKEN } from "../token/token-json.ts";
import {
  createFor,
  existing,
  noSuchToken,
  PAGE,
  PAGE_OF_TOKENS,
  showPage,
} from "../token/tokens.ts";
import { findInspected, findManaged } from "./find-user.ts";

const common = { tag: "Users", alsoTeamOwners: true } as const;

/** Of users of a role below the caller's, and of members of the caller's team. */
const managing = { ...common, access: "admin", scope: "keys:write" } as const;

const PATH = "/api/user/:id/token";

export const listUserTokens = management({
  operationId: "listUserTokens",
  ...common,
  method: "GET",
  path: PATH,
  access: "auditor",
  scope: "keys:read",
  summary:
    "Lists a user's tokens, latest first, in pages of `p` and `page_size`. Owners of a team see " +
    "those of its members.",
  query: PAGE,
  data: PAGE_OF_TOKENS,

  async handle(exchange, deps: Pick<AccountDeps, "clock" | "userKeys" | "users">, { query }) {
    const { id } = await findInspected(exchange, deps.users);
    return await showPage(exchange, deps, id, query);
  },
});

export const createUserToken = management({
  operationId: "createUserToken",
  ...managing,
  method: "POST",
  path: PATH,
  summary:
    "Creates a token of a user of a role below your own, or of a member of the team that you own. " +
    "Only this answer contains its key.",
  body: NEW_TOKEN,
  data: NEW_TOKEN_SHOWN,

  async handle(
    exchange,
    deps: Pick<AccountDeps, "clock" | "limits" | "userKeys" | "users">,
    { body },
  ) {
    const user = await managedUser(exchange, deps);
    return await createFor(exchange, deps, user.id, body);
  },
});

export const updateUserToken = management({
  operationId: "updateUserToken",
  ...managing,
  method: "PUT",
  path: `${PATH}/:token`,
  summary:
    "Changes a token of a user of a role below your own, or of a member of the team that you own. " +
    "Absent fields stay unchanged.",
  body: CHANGED_TOKEN.omit({ id: true }),
  data: TOKEN,

  async handle(exchange, deps: Pick<AccountDeps, "clock" | "userKeys" | "users">, { body }) {
    const status = readStatus(body.status);
    const user = await managedUser(exchange, deps);
    const changed = await deps.userKeys.update(user.id, tokenInPath(exchange), {
      ...readTokenFields(body),
      ...(status === undefined ? {} : { status }),
    });
    return succeed(
      exchange.id,
      "The token was changed.",
      showToken(existing(changed), deps.clock.now()),
    );
  },
});

export const deleteUserToken = management({
  operationId: "deleteUserToken",
  ...managing,
  method: "DELETE",
  path: `${PATH}/:token`,
  summary:
    "Deletes a token of a user of a role below your own, or of a member of the team that you own, " +
    "permanently; its running streams end.",

  async handle(exchange, deps: Pick<AccountDeps, "userKeys" | "users">) {
    const user = await managedUser(exchange, deps);
    const deleted = await deps.userKeys.deleteOwn(user.id, [tokenInPath(exchange)]);
    if (deleted.length === 0) throw noSuchToken();
    return succeed(exchange.id, "The token was deleted.");
  },
});

/** The audit log names the user beside the actor. */
async function managedUser(
  exchange: Exchange,
  { users }: Pick<AccountDeps, "users">,
): Promise<User> {
  const user = await findManaged(exchange, users);
  exchange.note({ user: user.name });
  return user;
}

function tokenInPath(exchange: Exchange): number {
  const id = readId(exchange.param("token"));
  if (id === undefined) throw noSuchToken();
  return id;
}
