import { GatewayError } from "#core/error.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import { object } from "#lib/rules.ts";
import { defined, textOf } from "#lib/values.ts";
import type { HttpDeps } from "#http/deps.ts";
import { requireUser } from "#http/require-user.ts";
import type { Route } from "#http/routes.ts";
import { ownSession, startSession } from "#http/start-session.ts";
import { renderFailure, succeed } from "../envelope.ts";
import { readFields } from "../read-fields.ts";
import { provePassword } from "./prove.ts";
import { DISPLAY_NAME, NEW_PASSWORD, readNewPassword, TRIED_PASSWORD } from "./user-fields.ts";
import { showUser } from "./user-json.ts";

const common = { access: "user", renderError: renderFailure } as const;

export const getSelf: Route<HttpDeps> = {
  ...common,
  method: "GET",
  path: "/api/user/self",
  summary: "Who is logged in.",
  handle: (exchange) => succeed(exchange.id, "", showUser(requireUser(exchange))),
};

const CHANGE = object({
  display_name: DISPLAY_NAME,
  password: NEW_PASSWORD,
  current_password: TRIED_PASSWORD,
});

export const updateSelf: Route<HttpDeps> = {
  ...common,
  method: "PUT",
  path: "/api/user/self",
  summary: "Changes your name for display, or your password, which ends all your other logins.",
  requestSchema: () => schemaOf(CHANGE),

  async handle(exchange, deps) {
    const user = requireUser(exchange);
    const body = await readFields(exchange, CHANGE);
    const password = readNewPassword(body);
    if (password !== undefined) {
      await provePassword(exchange, deps, user, body, "current_password");
    }
    const session = ownSession(exchange);
    const before = session === undefined ? undefined : await deps.logins.findBySession(session);
    const displayName = textOf(body["display_name"]);
    const changed = await deps.users.change(user.id, defined({ displayName, password }));
    const response = succeed(exchange.id, "Changed.", showUser(changed ?? user));
    if (password === undefined || before === undefined) return response;
    return await startSession(exchange, deps, user.id, before.isConfirmed, response);
  },
};

export const createAccessToken: Route<HttpDeps> = {
  ...common,
  method: "POST",
  path: "/api/user/token",
  summary: "Makes your access token, in place of the one before. It is not shown again.",

  async handle(exchange, { logins }) {
    const token = await logins.createToken(requireUser(exchange).id);
    return succeed(exchange.id, "Your access token was made. It is not shown again.", { token });
  },
};

export const deleteAccessToken: Route<HttpDeps> = {
  ...common,
  method: "DELETE",
  path: "/api/user/token",
  summary: "Revokes your access token.",

  async handle(exchange, { logins }) {
    if (await logins.deleteToken(requireUser(exchange).id)) {
      return succeed(exchange.id, "Your access token was revoked.");
    }
    throw new GatewayError("not_found", "You have no access token.");
  },
};
