import { GatewayError } from "#core/error.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import { object, text } from "#lib/rules.ts";
import { textOf } from "#lib/values.ts";
import type { HttpDeps } from "#http/deps.ts";
import type { Route } from "#http/routes.ts";
import { renderFailure, succeed } from "../envelope.ts";
import { readFields } from "../read-fields.ts";
import { refuseOtherPages } from "./login.ts";
import { EMAIL, NEW_PASSWORD, readEmail, readNewPassword } from "./user-fields.ts";
import { showUser } from "./user-json.ts";

const SET_UP = object({
  "token!": text({ minLength: 1, maxLength: 128, isSecret: true }),
  "email!": EMAIL,
  "password!": NEW_PASSWORD,
});

export const setUp: Route<HttpDeps> = {
  method: "POST",
  path: "/api/user/setup",
  access: "public",
  summary: "Gives the root account its first login, with the token that the first start printed.",
  renderError: renderFailure,
  requestSchema: () => schemaOf(SET_UP),

  async handle(exchange, { logins, loginLimits }) {
    refuseOtherPages(exchange);
    const body = await readFields(exchange, SET_UP);
    const email = readEmail(body) ?? "";
    const password = readNewPassword(body) ?? "";
    const { address } = exchange.client;
    await loginLimits.enter(THIS, address);
    const user = await logins.setUp(textOf(body["token"]) ?? "", email, password);
    if (user === undefined) {
      throw new GatewayError("unauthenticated", "This token is not good, or not good any more.");
    }
    loginLimits.succeeded(THIS, address);
    exchange.identify(user, "setup_token");
    return succeed(exchange.id, "The root account is ready; log in.", showUser(user));
  },
};

/** Cannot equal a login name. */
const THIS = "(set-up)";
