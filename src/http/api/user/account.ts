import { z } from "zod";
import { isFactorRequired } from "#core/second-factor.ts";
import type { User } from "#core/user.ts";
import type { OwnAccountDeps } from "#http/deps/own-account.ts";
import { requireUser } from "#http/require-user.ts";
import { ownSession } from "#http/start-session.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import { SESSION, showSession } from "./sessions.ts";
import { showUser, USER } from "./user-json.ts";

const ACCOUNT = z.object({
  user: USER,
  team_name: z.string().nullable(),
  group_name: z.string().nullable(),
  has_password: z.boolean(),
  second_factor: z.object({
    is_set_up: z.boolean(),
    is_required: z.boolean(),
    recovery_codes: z.int().describe("Recovery codes that are left."),
  }),
  issuers: z.array(z.string()).describe("Identity providers that the account is linked to."),
  sessions: z.array(SESSION),
});

export const getAccount = management({
  operationId: "getAccount",
  tag: "Account",
  method: "GET",
  path: "/api/user/self/account",
  access: "user",
  scope: "account:read",
  summary: "All about your account: the user, its team and group, its logins and its sessions.",
  data: ACCOUNT,

  async handle(exchange, deps: OwnAccountDeps) {
    const user = requireUser(exchange);
    const [names, recoveryCodes, issuers, sessions] = await Promise.all([
      namesOf(user, deps),
      deps.secondFactors.countRecoveryCodes(user.id),
      deps.identities.issuersOf(user.id),
      deps.logins.listSessions(user.id, ownSession(exchange)),
    ]);
    return succeed(exchange.id, "", {
      user: showUser(user),
      ...names,
      has_password: user.hasPassword,
      second_factor: {
        is_set_up: user.hasSecondFactor,
        is_required: isFactorRequired(deps.secondFactorRule, user.role),
        recovery_codes: recoveryCodes,
      },
      issuers,
      sessions: sessions.map(showSession),
    });
  },
});

async function namesOf(
  { teamId, groupId }: User,
  { teams, groups }: Pick<OwnAccountDeps, "teams" | "groups">,
): Promise<{ readonly team_name: string | null; readonly group_name: string | null }> {
  const team = teamId === undefined ? undefined : await teams.find(teamId);
  const group = groupId === undefined ? undefined : await groups.find(groupId);
  return { team_name: team?.name ?? null, group_name: group?.name ?? null };
}
