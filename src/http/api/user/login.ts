import { z } from "zod";
import { GatewayError, invalid } from "#core/error.ts";
import { missingFactor } from "#core/second-factor.ts";
import type { User } from "#core/user.ts";
import type { LoginDeps } from "#http/deps/logins.ts";
import { requireUser } from "#http/require-user.ts";
import type { Exchange } from "#http/routes.ts";
import { originOf } from "#http/same-origin.ts";
import { endedCookie, readSession } from "#http/session-cookie.ts";
import { ownSession, startSession } from "#http/start-session.ts";
import { succeed } from "../envelope.ts";
import { optional } from "../fields.ts";
import { management } from "../management.ts";
import { isCodeGood } from "./prove.ts";
import { CODE, TRIED_PASSWORD } from "./user-fields.ts";
import { LOGGED_IN, showUser } from "./user-json.ts";

/** Either one is taken for what it looks like. */
const NAME = optional(z.string().min(1).max(254));
const LOGIN = z.strictObject({
  email: NAME,
  username: NAME,
  password: TRIED_PASSWORD,
  code: optional(CODE),
});

export const login = management({
  operationId: "login",
  tag: "Login",
  method: "POST",
  path: "/api/user/login",
  access: "public",
  summary:
    "Logs in with a name or an email address, a password, and a code if the user has a second " +
    "factor; the answer sets a cookie.",
  body: LOGIN,
  data: LOGGED_IN,

  async handle(
    exchange,
    deps: Pick<LoginDeps, "loginLimits" | "logins" | "secondFactorRule" | "secondFactors">,
    { body },
  ) {
    refuseOtherPages(exchange);
    const name = body.email ?? body.username;
    if (name === undefined) throw invalid("email", "'email' or 'username' is required.");

    const { logins, loginLimits } = deps;
    const account = await logins.accountName(name);
    await loginLimits.enter(account, exchange.client.address);
    const user = await logins.checkPassword(name, body.password);
    if (user === undefined) {
      throw new GatewayError("unauthenticated", "Unknown user or wrong password.");
    }
    loginLimits.succeeded(account, exchange.client.address);
    exchange.identify(user, "password");
    if (user.hasSecondFactor) await takeCode(exchange, deps, user, body.code);
    return await logIn(exchange, deps, user);
  },
});

const SHOWN = z.strictObject({ code: CODE });

export const finishLogin = management({
  operationId: "finishLogin",
  tag: "Login",
  method: "POST",
  path: "/api/user/login/code",
  access: "mfa_pending",
  scope: "account:write",
  summary: "Submits the second-factor code for a single sign-on session.",
  body: SHOWN,
  data: LOGGED_IN,

  async handle(
    exchange,
    deps: Pick<LoginDeps, "loginLimits" | "logins" | "secondFactorRule" | "secondFactors">,
    { body },
  ) {
    const user = requireUser(exchange);
    if (ownSession(exchange) === undefined || !user.hasSecondFactor) {
      throw new GatewayError(
        "forbidden",
        "This session has no login that requires a code. Log in again.",
      );
    }
    await takeCode(exchange, deps, user, body.code);
    return await logIn(exchange, deps, user);
  },
});

export const logout = management({
  operationId: "logout",
  tag: "Login",
  method: "POST",
  path: "/api/user/logout",
  access: "mfa_pending",
  scope: "account:write",
  summary: "Ends the session of the cookie.",

  async handle(exchange, { logins }: Pick<LoginDeps, "logins">) {
    const session = readSession(exchange.request);
    if (session !== undefined) await logins.endSession(session);
    const response = succeed(exchange.id, "You are logged out.");
    response.headers.set("set-cookie", endedCookie(exchange.client.isSecure));
    return response;
  },
});

/** Prevents login CSRF: another site could log its visitor in to an account of the attacker. */
export function refuseOtherPages({ request }: Exchange): void {
  if (originOf(request) !== "cross") return;
  throw new GatewayError("forbidden", "This request did not come from a page of this gateway.");
}

/** Asks for the code only after the password was correct. */
async function takeCode(
  exchange: Exchange,
  deps: Pick<LoginDeps, "loginLimits" | "logins" | "secondFactors">,
  user: User,
  code: string | undefined,
): Promise<void> {
  if (code === undefined) {
    throw new GatewayError("unauthenticated", "A code of your second factor is required.", {
      details: { second_factor: "required" },
    });
  }
  if (await isCodeGood(exchange, deps, user, code)) return;
  throw new GatewayError("unauthenticated", "This code is wrong or was already used.", {
    details: { second_factor: "wrong" },
  });
}

/** Starts a session: all required factors are verified. */
export async function logIn(
  exchange: Exchange,
  deps: Pick<LoginDeps, "logins" | "secondFactorRule">,
  user: User,
): Promise<Response> {
  const isConfirmed = user.hasSecondFactor;
  const lack = missingFactor({ user, isConfirmed }, deps.secondFactorRule);
  const response =
    lack === undefined
      ? succeed(exchange.id, "", showUser(user))
      : succeed(
          exchange.id,
          "Set up a second factor. Until then, this login gives no other access.",
          {
            ...showUser(user),
            set_up: "second_factor",
          },
        );
  return await startSession(exchange, deps, user.id, isConfirmed, response);
}
