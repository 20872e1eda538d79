import { GatewayError, invalid } from "#core/error.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import { object, text } from "#lib/rules.ts";
import { textOf } from "#lib/values.ts";
import type { HttpDeps } from "#http/deps.ts";
import type { Exchange, Route } from "#http/routes.ts";
import { originOf } from "#http/same-origin.ts";
import { endedCookie, readSession, sessionCookie } from "#http/session-cookie.ts";
import { renderFailure, succeed } from "../envelope.ts";
import { readFields } from "../read-fields.ts";
import { TRIED_PASSWORD } from "./user-fields.ts";
import { showUser } from "./user-json.ts";

/** Either one is taken for what it looks like. */
const NAME = text({ minLength: 1, maxLength: 254 });
const LOGIN = object({ email: NAME, username: NAME, "password!": TRIED_PASSWORD });

export const login: Route<HttpDeps> = {
  method: "POST",
  path: "/api/user/login",
  access: "public",
  summary: "Logs in with a name or an address and a password; the answer sets a cookie.",
  renderError: renderFailure,
  requestSchema: () => schemaOf(LOGIN),

  async handle(exchange, { logins, loginLimits }) {
    refuseOtherPages(exchange);
    const body = await readFields(exchange, LOGIN);
    const name = textOf(body["email"]) ?? textOf(body["username"]);
    if (name === undefined) throw invalid("email", "'email' or 'username' must be there.");

    const { address, isSecure } = exchange.client;
    loginLimits.enter(name, address);
    const user = await logins.checkPassword(name, textOf(body["password"]) ?? "");
    if (user === undefined) {
      throw new GatewayError("unauthenticated", "There is no such user, or the password is wrong.");
    }
    loginLimits.succeeded(name, address);
    exchange.identify(user, "password");
    // Whatever session the browser showed before is not this one's any more.
    const before = readSession(exchange.request);
    if (before !== undefined) await logins.endSession(before);
    const response = succeed(exchange.id, "", showUser(user));
    response.headers.set("set-cookie", sessionCookie(await logins.startSession(user.id), isSecure));
    return response;
  },
};

export const logout: Route<HttpDeps> = {
  method: "POST",
  path: "/api/user/logout",
  access: "user",
  summary: "Ends the session of the cookie.",
  renderError: renderFailure,

  async handle(exchange, { logins }) {
    const session = readSession(exchange.request);
    if (session !== undefined) await logins.endSession(session);
    const response = succeed(exchange.id, "You are logged out.");
    response.headers.set("set-cookie", endedCookie(exchange.client.isSecure));
    return response;
  },
};

/** Or somebody could be logged in, unawares, as somebody else. */
export function refuseOtherPages({ request }: Exchange): void {
  if (originOf(request) !== "cross") return;
  throw new GatewayError("forbidden", "This request did not come from a page of this gateway.");
}
