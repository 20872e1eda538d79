import { z } from "zod";
import { GatewayError } from "#core/error.ts";
import type { NamedInvitation } from "#core/invitation.ts";
import { ROLES } from "#core/user.ts";
import { defined } from "#lib/values.ts";
import type { JoiningDeps } from "#http/deps/joining.ts";
import type { LoginDeps } from "#http/deps/logins.ts";
import type { Exchange } from "#http/routes.ts";
import { succeed } from "../envelope.ts";
import { optional } from "../fields.ts";
import { management } from "../management.ts";
import { seconds } from "../seconds.ts";
import { logIn, refuseOtherPages } from "../user/login.ts";
import { DISPLAY_NAME, LINK_SECRET, NEW_PASSWORD, USERNAME } from "../user/user-fields.ts";
import { LOGGED_IN } from "../user/user-json.ts";

const common = { tag: "Login", method: "POST", access: "public" } as const;

const HELD = z.strictObject({ token: LINK_SECRET });

export const checkInvitation = management({
  operationId: "checkInvitation",
  ...common,
  path: "/api/user/invitation/check",
  summary: "What an invitation offers, for who holds its link.",
  body: HELD,
  data: z.object({
    role: z.enum(ROLES),
    team: z.string().nullable(),
    email: z.string().nullable(),
    invited_by: z.string(),
    expires_at: z.int(),
    single_sign_on: z.string().nullable().describe("Label of its button; null without it."),
  }),

  async handle(exchange, deps: Pick<JoiningDeps, CheckNeeds>, { body: { token } }) {
    const invitation = await requireOpen(exchange, deps, token);
    return succeed(exchange.id, "", {
      role: invitation.role,
      team: invitation.team ?? null,
      email: invitation.email ?? null,
      invited_by: invitation.inviter,
      expires_at: seconds(invitation.expiresAt),
      single_sign_on: deps.singleSignOn?.name ?? null,
    });
  },
});

type CheckNeeds = "invitations" | "loginLimits" | "singleSignOn";

const ACCEPTED = z.strictObject({
  token: LINK_SECRET,
  username: USERNAME,
  password: NEW_PASSWORD,
  display_name: optional(DISPLAY_NAME),
});

export const acceptInvitation = management({
  operationId: "acceptInvitation",
  ...common,
  path: "/api/user/invitation/accept",
  summary: "Creates your account with a name and a password, and logs in.",
  body: ACCEPTED,
  data: LOGGED_IN,

  async handle(
    exchange,
    deps: Pick<JoiningDeps, "invitations" | "loginLimits" | "logins" | "secondFactorRule">,
    { body: { token, username, password, display_name: displayName } },
  ) {
    const { email } = await requireOpen(exchange, deps, token);
    const person = { name: username, password, ...defined({ displayName, email }) };
    const user = await deps.invitations.accept(token, person);
    if (user === undefined) throw endedInvitation();
    exchange.identify(user, "invitation");
    return await logIn(exchange, deps, user);
  },
});

/** Guesses at links are throttled like guesses at passwords. */
export async function requireOpen(
  exchange: Exchange,
  { invitations, loginLimits }: Pick<LoginDeps, "invitations" | "loginLimits">,
  token: string,
): Promise<NamedInvitation> {
  refuseOtherPages(exchange);
  const { address } = exchange.client;
  await loginLimits.enter(THIS, address);
  const found = await invitations.findOpen(token);
  if (found === undefined) throw endedInvitation();
  loginLimits.succeeded(THIS, address);
  return found;
}

/** Cannot equal a login name. */
const THIS = "(invitation)";

export function endedInvitation(): GatewayError {
  return new GatewayError(
    "unauthenticated",
    "This invitation is invalid, used or has ended. Ask for a new one.",
  );
}
