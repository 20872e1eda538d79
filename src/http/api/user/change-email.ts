import { z } from "zod";
import { GatewayError } from "#core/error.ts";
import type { User } from "#core/user.ts";
import type { AccountMailer } from "#http/account-mailer.ts";
import type { LoginDeps } from "#http/deps/logins.ts";
import type { Exchange } from "#http/routes.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import { addressChangedMail, newAddressMail } from "./account-mails.ts";
import { refuseOtherPages } from "./login.ts";
import { endedLink, enterMail } from "./mail-limits.ts";
import { LINK_SECRET } from "./user-fields.ts";
import { showUser, USER } from "./user-json.ts";

type ChangeDeps = Pick<
  LoginDeps,
  "accountMailer" | "loginLimits" | "mailLinks" | "singleSignOn" | "users"
>;

/**
 * Mails a link to the new address; without mail, changes it at once. Returns
 * true if a link was sent.
 */
export async function changeOwnEmail(
  exchange: Exchange,
  { accountMailer, mailLinks, users, ...deps }: ChangeDeps,
  user: User,
  email: string,
): Promise<boolean> {
  if (accountMailer === undefined) {
    // Single sign-on links accounts by address, so a foreign address could catch its owner's login.
    if (deps.singleSignOn !== undefined) {
      throw new GatewayError(
        "forbidden",
        "This gateway cannot confirm addresses. Ask an admin to change yours.",
      );
    }
    await users.change(user.id, { email });
    return false;
  }
  await enterMail(exchange, deps, `(new address of ${user.id})`, email);
  const secret = await mailLinks.issue("email", { userId: user.id, email });
  const link = accountMailer.linkTo("confirm-email", secret);
  await accountMailer.send(newAddressMail(email, user.name, link));
  return true;
}

/** The former address gets a notice, if the gateway sends mail. */
export function noticeOfNewEmail(
  accountMailer: AccountMailer | undefined,
  { email: former, name }: User,
  email: string | null | undefined,
): void {
  if (former === undefined || former === email) return;
  accountMailer?.later(() => accountMailer.send(addressChangedMail(former, name)));
}

export const confirmEmail = management({
  operationId: "confirmEmail",
  tag: "Login",
  method: "POST",
  path: "/api/user/email/confirm",
  access: "public",
  summary: "Changes a user's address with the link that was mailed to the new one.",
  body: z.strictObject({ token: LINK_SECRET }),
  data: USER,

  async handle(
    exchange,
    { accountMailer, loginLimits, mailLinks, users }: ChangeDeps,
    { body: { token } },
  ) {
    refuseOtherPages(exchange);
    const { address } = exchange.client;
    await loginLimits.enter(THIS, address);
    const link = await mailLinks.spend("email", token);
    const user = link?.userId === undefined ? undefined : await users.find(link.userId);
    if (link === undefined || user?.isEnabled !== true) throw endedLink();
    loginLimits.succeeded(THIS, address);
    exchange.identify(user, "mail_link");
    const changed = await users.change(user.id, { email: link.email });
    noticeOfNewEmail(accountMailer, user, link.email);
    return succeed(exchange.id, "Your address was changed.", showUser(changed ?? user));
  },
});

/** Cannot equal a login name. */
const THIS = "(new address)";
