import { z } from "zod";
import { defined } from "#lib/values.ts";
import type { LoginDeps } from "#http/deps/logins.ts";
import { requireUser } from "#http/require-user.ts";
import { ownSession, startSession } from "#http/start-session.ts";
import { succeed } from "../envelope.ts";
import { optional } from "../fields.ts";
import { management } from "../management.ts";
import { changeOwnEmail } from "./change-email.ts";
import { provePassword, proveSelf } from "./prove.ts";
import { DISPLAY, showDisplay } from "../usage/usage-json.ts";
import { CODE, DISPLAY_NAME, MAIL_ADDRESS, NEW_PASSWORD, TRIED_PASSWORD } from "./user-fields.ts";
import { showUser, USER } from "./user-json.ts";

const common = { access: "user", tag: "Account" } as const;

const SELF = USER.extend({
  display: DISPLAY.nullable().describe("The currency that amounts are shown in beside US dollars."),
}).meta({ id: "Self" });

export const getSelf = management({
  operationId: "getSelf",
  ...common,
  scope: "account:read",
  method: "GET",
  path: "/api/user/self",
  summary: "The logged-in user.",
  data: SELF,
  handle: (exchange, { displayCurrency }: Pick<LoginDeps, "displayCurrency">) =>
    succeed(exchange.id, "", {
      ...showUser(requireUser(exchange)),
      display: displayCurrency === undefined ? null : showDisplay(displayCurrency),
    }),
});

const CHANGE = z.strictObject({
  display_name: optional(DISPLAY_NAME),
  email: optional(MAIL_ADDRESS).describe("Takes effect once the link in a mail is opened."),
  password: optional(NEW_PASSWORD),
  current_password: optional(TRIED_PASSWORD),
  code: optional(CODE),
});

export const updateSelf = management({
  operationId: "updateSelf",
  ...common,
  scope: "account:write",
  method: "PUT",
  path: "/api/user/self",
  summary:
    "Changes your display name, address or password. The address is confirmed by mail, if the " +
    "gateway sends any. A new password ends all your other sessions.",
  body: CHANGE,
  data: USER,

  async handle(
    exchange,
    deps: Pick<
      LoginDeps,
      | "accountMailer"
      | "loginLimits"
      | "logins"
      | "mailLinks"
      | "secondFactors"
      | "singleSignOn"
      | "users"
    >,
    { body },
  ) {
    const user = requireUser(exchange);
    const { email } = body;
    const isNewEmail = email !== undefined && email !== user.email;
    const { password, display_name: displayName, current_password: current } = body;
    if (password !== undefined) {
      await provePassword(exchange, deps, user, current, "current_password");
    } else if (isNewEmail) {
      await proveSelf(
        exchange,
        deps,
        user,
        { password: current, code: body.code },
        "current_password",
      );
    }
    const session = ownSession(exchange);
    const before = session === undefined ? undefined : await deps.logins.findBySession(session);
    const changed = await deps.users.change(user.id, defined({ displayName, password }));
    const isLinkSent = isNewEmail && (await changeOwnEmail(exchange, deps, user, email));
    const message = isLinkSent ? "Open the link that was sent to the new address." : "Changed.";
    const shown = (isNewEmail ? await deps.users.find(user.id) : changed) ?? user;
    const response = succeed(exchange.id, message, showUser(shown));
    if (password === undefined || before === undefined) return response;
    return await startSession(exchange, deps, user.id, before.isConfirmed, response);
  },
});
