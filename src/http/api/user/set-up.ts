import { z } from "zod";
import { GatewayError } from "#core/error.ts";
import type { LoginDeps } from "#http/deps/logins.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import { refuseOtherPages } from "./login.ts";
import { EMAIL, NEW_PASSWORD } from "./user-fields.ts";
import { showUser, USER } from "./user-json.ts";

const SET_UP = z.strictObject({
  token: z.string().min(1).max(128).meta({ writeOnly: true }),
  email: EMAIL,
  password: NEW_PASSWORD,
});

export const setUp = management({
  operationId: "setUp",
  tag: "Login",
  method: "POST",
  path: "/api/user/setup",
  access: "public",
  summary:
    "Creates the first login of the root account, with the token that the first start printed.",
  body: SET_UP,
  data: USER,

  async handle(
    exchange,
    { logins, loginLimits }: Pick<LoginDeps, "logins" | "loginLimits">,
    { body: { token, email, password } },
  ) {
    refuseOtherPages(exchange);
    const { address } = exchange.client;
    await loginLimits.enter(THIS, address);
    const user = await logins.setUp(token, email, password);
    if (user === undefined) {
      throw new GatewayError("unauthenticated", "This token is invalid or has expired.");
    }
    loginLimits.succeeded(THIS, address);
    exchange.identify(user, "setup_token");
    return succeed(exchange.id, "The root account is ready; log in.", showUser(user));
  },
});

/** Cannot equal a login name. */
const THIS = "(set-up)";
