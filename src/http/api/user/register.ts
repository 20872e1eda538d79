import { z } from "zod";
import { GatewayError, invalid } from "#core/error.ts";
import type { RegistrationRules } from "#core/registration.ts";
import type { UserDraft } from "#core/user.ts";
import { randomBase62 } from "#lib/ids.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import type { AccountMailer } from "#http/account-mailer.ts";
import type { RegistrationDeps } from "#http/deps/joining.ts";
import { succeed } from "../envelope.ts";
import { optional } from "../fields.ts";
import { management } from "../management.ts";
import { knownAddressMail, registrationMail } from "./account-mails.ts";
import { logIn, refuseOtherPages } from "./login.ts";
import { endedLink, enterMail } from "./mail-limits.ts";
import { DISPLAY_NAME, LINK_SECRET, MAIL_ADDRESS, NEW_PASSWORD, USERNAME } from "./user-fields.ts";
import { LOGGED_IN } from "./user-json.ts";

const common = { tag: "Login", access: "public" } as const;

export const REGISTRATION = z.object({
  mode: z.enum(["off", "mail", "open"]).describe("`mail` needs an address, `open` takes none."),
  domains: z.array(z.string()).describe("Domains of addresses; any if empty."),
});

export const describeRegistration = management({
  operationId: "describeRegistration",
  ...common,
  method: "GET",
  path: "/api/user/register",
  summary: "Whether new users may register, and how.",
  data: REGISTRATION,

  handle: ({ id }, deps: Pick<RegistrationDeps, "accountMailer" | "registration">) =>
    succeed(id, "", showRegistration(deps)),
});

/** `mail` counts as `off` on a gateway that sends none. */
export function showRegistration({
  accountMailer,
  registration: { mode, domains },
}: Pick<RegistrationDeps, "accountMailer" | "registration">): JsonObject {
  const isUsable = mode !== "mail" || accountMailer !== undefined;
  return { mode: isUsable ? mode : "off", domains: [...domains] };
}

export const beginRegistration = management({
  operationId: "beginRegistration",
  ...common,
  method: "POST",
  path: "/api/user/register/mail",
  summary: "Mails a link to an address. The answer is the same for addresses that have an account.",
  body: z.strictObject({ email: MAIL_ADDRESS }),

  async handle(exchange, deps: Pick<RegistrationDeps, BeginNeeds>, { body: { email } }) {
    const accountMailer = requireMailer(deps);
    refuseOtherPages(exchange);
    refuseOtherDomains(email, deps.registration);
    await enterMail(exchange, deps, THIS, email);
    accountMailer.later(async () => {
      if ((await deps.users.findByEmail(email)) !== undefined) {
        await accountMailer.send(knownAddressMail(email));
        return;
      }
      const secret = await deps.mailLinks.issue("register", { email });
      const link = accountMailer.linkTo("register", secret);
      await accountMailer.send(registrationMail(email, link));
    });
    return succeed(exchange.id, "A link is sent to this address. Open it to continue.");
  },
});

type BeginNeeds = "accountMailer" | "loginLimits" | "mailLinks" | "registration" | "users";

const CONFIRMED = z.strictObject({
  token: LINK_SECRET,
  username: USERNAME,
  password: NEW_PASSWORD,
  display_name: optional(DISPLAY_NAME),
});

export const finishRegistration = management({
  operationId: "finishRegistration",
  ...common,
  method: "POST",
  path: "/api/user/register/confirm",
  summary: "Creates the account of a mailed link, and logs in.",
  body: CONFIRMED,
  data: LOGGED_IN,

  async handle(exchange, deps: RegistrationDeps, { body: { token, username, ...body } }) {
    requireMailer(deps);
    refuseOtherPages(exchange);
    const { address } = exchange.client;
    await deps.loginLimits.enter(THIS, address);
    const link = await deps.mailLinks.find("register", token);
    if (link === undefined) throw endedLink();
    deps.loginLimits.succeeded(THIS, address);
    const { email } = link;
    // The domains can have changed since the mail.
    refuseOtherDomains(email, deps.registration);
    const { password, display_name: displayName } = body;
    const person = { name: username, email, password, ...defined({ displayName }) };
    // Of simultaneous uses one succeeds, since an address belongs to one user.
    const user = await deps.users.create(await draftFor(person, deps));
    await deps.mailLinks.spend("register", token);
    exchange.identify(user, "mail_link");
    return await logIn(exchange, deps, user);
  },
});

const OPEN = z.strictObject({
  username: USERNAME,
  password: NEW_PASSWORD,
  display_name: optional(DISPLAY_NAME),
});

export const register = management({
  operationId: "register",
  ...common,
  method: "POST",
  path: "/api/user/register",
  summary:
    "Creates an account without an address, and logs in. The gateway completes the name, so that " +
    "the answer tells nothing about other users.",
  body: OPEN,
  data: LOGGED_IN,

  async handle(exchange, deps: RegistrationDeps, { body }) {
    if (deps.registration.mode !== "open") throw closed();
    refuseOtherPages(exchange);
    await deps.loginLimits.enter(THIS, exchange.client.address);
    const { username, password, display_name: displayName = username } = body;
    const name = `${username.slice(0, 57)}-${randomBase62(6).toLowerCase()}`;
    const user = await deps.users.create(await draftFor({ name, password, displayName }, deps));
    exchange.identify(user, "password");
    return await logIn(exchange, deps, user);
  },
});

/** Cannot equal a login name. */
const THIS = "(registration)";

async function draftFor(
  person: Omit<UserDraft, "role">,
  { registration, groups }: Pick<RegistrationDeps, "registration" | "groups">,
): Promise<UserDraft> {
  const { group, quota, dayBudget: day, monthBudget: month } = registration;
  const found = group === undefined ? undefined : await groups.findByName(group);
  if (group !== undefined && found === undefined) {
    // Without its group, the user could have more models and higher limits.
    throw new GatewayError("unavailable", "Registration is not possible now. Tell an admin.", {
      cause: new Error("The group of registration.group does not exist."),
    });
  }
  return {
    ...person,
    role: "user",
    budgets: defined({ day, month }),
    ...defined({ quota, groupId: found?.id }),
  };
}

function requireMailer({
  accountMailer,
  registration: { mode },
}: Pick<RegistrationDeps, "accountMailer" | "registration">): AccountMailer {
  if (mode !== "mail" || accountMailer === undefined) throw closed();
  return accountMailer;
}

function refuseOtherDomains(email: string, { domains }: RegistrationRules): void {
  if (domains.length === 0 || domains.includes(email.slice(email.lastIndexOf("@") + 1))) return;
  throw invalid("email", `'email' must have one of these domains: ${domains.join(", ")}.`);
}

function closed(): GatewayError {
  return new GatewayError("not_found", "This way of registration is not open on this gateway.");
}
