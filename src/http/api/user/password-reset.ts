import { z } from "zod";
import { GatewayError } from "#core/error.ts";
import type { AccountMailer } from "#http/account-mailer.ts";
import type { LoginDeps } from "#http/deps/logins.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import { passwordChangedMail, passwordLinkMail } from "./account-mails.ts";
import { refuseOtherPages } from "./login.ts";
import { endedLink, enterMail } from "./mail-limits.ts";
import { LINK_SECRET, MAIL_ADDRESS, NEW_PASSWORD } from "./user-fields.ts";

const common = { tag: "Login", method: "POST", access: "public" } as const;

export const requestPasswordReset = management({
  operationId: "requestPasswordReset",
  ...common,
  path: "/api/user/password/forgot",
  summary: "Mails a link that sets a new password. The answer is the same for unknown addresses.",
  body: z.strictObject({ email: MAIL_ADDRESS }),

  async handle(
    exchange,
    deps: Pick<LoginDeps, "accountMailer" | "loginLimits" | "mailLinks" | "users">,
    { body: { email } },
  ) {
    const accountMailer = requireMailer(deps);
    refuseOtherPages(exchange);
    await enterMail(exchange, deps, THIS, email);
    accountMailer.later(async () => {
      const user = await deps.users.findByEmail(email);
      // A user of single sign-on gets no second way to log in.
      if (user?.isEnabled !== true || !user.hasPassword) return;
      const secret = await deps.mailLinks.issue("password", { userId: user.id, email });
      const link = accountMailer.linkTo("reset-password", secret);
      await accountMailer.send(passwordLinkMail(email, user.name, link));
    });
    return succeed(exchange.id, "If an account has this address, a link is sent to it.");
  },
});

export const resetPassword = management({
  operationId: "resetPassword",
  ...common,
  path: "/api/user/password/reset",
  summary:
    "Sets a new password with a mailed link. All logins of the user end; a second factor stays.",
  body: z.strictObject({ token: LINK_SECRET, password: NEW_PASSWORD }),

  async handle(
    exchange,
    deps: Pick<LoginDeps, "accountMailer" | "loginLimits" | "mailLinks" | "users">,
    { body: { token, password } },
  ) {
    const accountMailer = requireMailer(deps);
    refuseOtherPages(exchange);
    const { address } = exchange.client;
    await deps.loginLimits.enter(THIS, address);
    const link = await deps.mailLinks.spend("password", token);
    const user = link?.userId === undefined ? undefined : await deps.users.find(link.userId);
    // The address can have changed since the mail.
    if (user?.isEnabled !== true || user.email !== link?.email) throw endedLink();
    deps.loginLimits.succeeded(THIS, address);
    exchange.identify(user, "mail_link");
    await deps.users.change(user.id, { password });
    const mail = passwordChangedMail(user.email ?? "", user.name);
    accountMailer.later(() => accountMailer.send(mail));
    return succeed(exchange.id, "Your password was changed. Log in with it.");
  },
});

/** Cannot equal a login name. */
const THIS = "(password reset)";

function requireMailer({ accountMailer }: Pick<LoginDeps, "accountMailer">): AccountMailer {
  if (accountMailer !== undefined) return accountMailer;
  throw new GatewayError(
    "not_found",
    "This gateway sends no mail. Ask an admin for a new password.",
  );
}
