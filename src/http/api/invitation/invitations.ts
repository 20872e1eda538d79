import { z } from "zod";
import { GatewayError, invalid } from "#core/error.ts";
import type { InvitationDraft, NamedInvitation } from "#core/invitation.ts";
import { isAtLeast, type User } from "#core/user.ts";
import { defined } from "#lib/values.ts";
import { accountLink } from "#http/account-mailer.ts";
import type { JoiningDeps } from "#http/deps/joining.ts";
import { requireUser } from "#http/require-user.ts";
import type { Exchange } from "#http/routes.ts";
import { succeed } from "../envelope.ts";
import { BUDGETS, readBudgets } from "../budget-fields.ts";
import { optional } from "../fields.ts";
import { items, management } from "../management.ts";
import { afterField, pageSize } from "../query-fields.ts";
import { readId } from "../read-id.ts";
import { seconds } from "../seconds.ts";
import { USD } from "../usd.ts";
import { refuseUnlessAbove } from "../user/find-user.ts";
import { MAIL_ADDRESS } from "../user/user-fields.ts";
import { INVITATION, showInvitation } from "./invitation-json.ts";
import { invitationMail } from "./invitation-mail.ts";

const common = { tag: "Invitations", access: "user" } as const;

const ID = z.int().min(1).max(Number.MAX_SAFE_INTEGER).nullish();
const DAY_S = 86_400;

const NEW_INVITATION = z.strictObject({
  role: optional(z.enum(["user", "auditor", "admin"])),
  team_id: ID,
  team_role: optional(z.enum(["member", "owner"])),
  group_id: ID,
  quota_usd: USD,
  ...BUDGETS,
  email: optional(MAIL_ADDRESS).describe("The only person who is invited; gets the link by mail."),
  note: optional(z.string().min(1).max(500)),
  max_uses: optional(z.int().min(1).max(1_000)).describe("1 if absent."),
  expires_in_seconds: optional(
    z
      .int()
      .min(60)
      .max(90 * DAY_S),
  ).describe("A week if absent."),
});

type NewInvitation = z.output<typeof NEW_INVITATION>;

export const createInvitation = management({
  operationId: "createInvitation",
  ...common,
  scope: "users:write",
  method: "POST",
  path: "/api/invitation",
  summary:
    "Invites new users by a link: admins with a role below their own, team owners into their " +
    "team. The link is mailed, or else shown once.",
  body: NEW_INVITATION,
  data: z.object({
    invitation: INVITATION,
    is_mailed: z.boolean(),
    link: z.string().nullable().describe("Null if it was mailed, or without a public URL."),
    token: z.string().nullable().describe("The secret of the link; null if it was mailed."),
  }),

  async handle(exchange, deps: Pick<JoiningDeps, CreationNeeds>, { body }) {
    const inviter = requireUser(exchange);
    const draft = readDraft(body, inviter, deps.clock.now());
    if (!isAdmin(inviter)) await refuseUnboundedTeam(inviter, deps);
    const { id, secret } = await deps.invitations.create(draft);
    const invitation = await requireInvitation(deps, id);
    const isMailed = await mailed(invitation, secret, deps);
    const { publicUrl } = deps;
    const link = publicUrl === undefined ? null : accountLink(publicUrl, "invitation", secret);
    exchange.note({ invitation: id, is_mailed: isMailed });
    return succeed(
      exchange.id,
      isMailed ? "The link was mailed." : "The link is not shown again.",
      {
        invitation: showInvitation(invitation, deps.clock.now()),
        is_mailed: isMailed,
        link: isMailed ? null : link,
        token: isMailed ? null : secret,
      },
    );
  },
});

type CreationNeeds = "accountMailer" | "clock" | "invitations" | "ledger" | "publicUrl" | "quotas";

export const listInvitations = management({
  operationId: "listInvitations",
  ...common,
  scope: "users:read",
  method: "GET",
  path: "/api/invitation",
  summary:
    "Invitations by id; `after` is the last id of the previous page. Team owners see their team's.",
  query: z.object({ after: afterField("an invitation's"), page_size: pageSize(50, 100) }),
  data: items(INVITATION),

  async handle(
    exchange,
    { invitations, clock }: Pick<JoiningDeps, "invitations" | "clock">,
    { query },
  ) {
    const user = requireUser(exchange);
    const { after, page_size: limit } = query;
    if (!isAdmin(user) && user.isTeamOwner !== true) return succeed(exchange.id, "", NO_ITEMS);
    const teamId = isAdmin(user) ? undefined : user.teamId;
    const found = await invitations.list({ after, limit, ...defined({ teamId }) });
    return succeed(exchange.id, "", {
      items: found.map((each) => showInvitation(each, clock.now())),
    });
  },
});

export const getInvitation = management({
  operationId: "getInvitation",
  ...common,
  scope: "users:read",
  method: "GET",
  path: "/api/invitation/:id",
  summary: "An invitation, and the users who accepted it.",
  data: z.object({
    invitation: INVITATION,
    accepted: z.array(z.object({ user_id: z.int(), username: z.string(), at: z.int() })),
  }),

  async handle(exchange, { invitations, clock }: Pick<JoiningDeps, "invitations" | "clock">) {
    const invitation = await findVisible(exchange, invitations);
    const uses = await invitations.uses(invitation.id);
    return succeed(exchange.id, "", {
      invitation: showInvitation(invitation, clock.now()),
      accepted: uses.map(({ userId, name, at }) => ({
        user_id: userId,
        username: name,
        at: seconds(at),
      })),
    });
  },
});

export const revokeInvitation = management({
  operationId: "revokeInvitation",
  ...common,
  scope: "users:write",
  method: "DELETE",
  path: "/api/invitation/:id",
  summary: "Ends an invitation. Users who accepted it stay.",

  async handle(exchange, { invitations }: Pick<JoiningDeps, "invitations">) {
    const { id } = await findVisible(exchange, invitations);
    if (!(await invitations.revoke(id))) throw noSuchInvitation();
    return succeed(exchange.id, "The invitation was revoked.");
  },
});

const NO_ITEMS = { items: [] };

function readDraft(body: NewInvitation, inviter: User, now: number): InvitationDraft {
  const { role = "user", max_uses: maxUses = 1, email } = body;
  if (email !== undefined && maxUses !== 1) {
    throw invalid("max_uses", "'max_uses' must be 1 for an invitation to one address.");
  }
  const budgets = readBudgets(body);
  const draft = {
    createdBy: inviter.id,
    role,
    maxUses,
    isTeamOwner: body.team_role === "owner",
    expiresAt: now + (body.expires_in_seconds ?? 7 * DAY_S) * 1_000,
    ...defined({ email, note: body.note, quota: body.quota_usd ?? undefined }),
    ...(Object.keys(budgets).length === 0 ? {} : { budgets }),
  };
  if (isAdmin(inviter)) {
    refuseUnlessAbove(inviter, role);
    const teamId = body.team_id ?? undefined;
    if (draft.isTeamOwner && teamId === undefined) {
      throw invalid("team_role", "A user without a team cannot own one. Give 'team_id', too.");
    }
    return { ...draft, ...defined({ teamId, groupId: body.group_id ?? undefined }) };
  }
  return { ...draft, ...placeOfMember(body, inviter) };
}

/** A team owner invites members of the team, who get the owner's own group. */
function placeOfMember(
  { role = "user", team_id, team_role, group_id }: NewInvitation,
  inviter: User,
) {
  const teamId = requireOwnTeam(inviter);
  const isOther = typeof team_id === "number" && team_id !== teamId;
  const isOtherGroup = typeof group_id === "number" && group_id !== inviter.groupId;
  if (isOther || isOtherGroup || role !== "user" || team_role === "owner") {
    throw new GatewayError(
      "forbidden",
      "A team owner can invite members into the own team and group. Ask an admin for more.",
    );
  }
  return { teamId, ...defined({ groupId: inviter.groupId }) };
}

/** Otherwise an owner with a quota could get more by inviting more people. */
async function refuseUnboundedTeam(
  { id, teamId }: User,
  deps: Pick<JoiningDeps, "quotas" | "ledger">,
): Promise<void> {
  if (!(await isBounded(`user:${id}`, deps))) return;
  if (teamId !== undefined && (await isBounded(`team:${teamId}`, deps))) return;
  throw new GatewayError(
    "forbidden",
    "Your own spending has a limit, and your team's has none. Ask an admin to set a quota or budget of the team.",
  );
}

async function isBounded(
  owner: `user:${number}` | `team:${number}`,
  { quotas, ledger }: Pick<JoiningDeps, "quotas" | "ledger">,
): Promise<boolean> {
  const account = await ledger.findAccount(owner);
  return typeof account?.granted === "number" || (await quotas.budgets(owner)).length > 0;
}

/** Revokes an invitation if its mail could not be sent, since its link is then lost. */
async function mailed(
  invitation: NamedInvitation,
  secret: string,
  { accountMailer, invitations }: Pick<JoiningDeps, "invitations" | "accountMailer">,
): Promise<boolean> {
  if (accountMailer === undefined || invitation.email === undefined) return false;
  try {
    const link = accountMailer.linkTo("invitation", secret);
    await accountMailer.send(invitationMail(invitation, invitation.email, link));
    return true;
  } catch (cause) {
    await invitations.revoke(invitation.id);
    throw cause;
  }
}

async function findVisible(
  exchange: Exchange,
  invitations: JoiningDeps["invitations"],
): Promise<NamedInvitation> {
  const user = requireUser(exchange);
  const id = readId(exchange.param("id"));
  const found = id === undefined ? undefined : await invitations.find(id);
  if (found === undefined) throw noSuchInvitation();
  if (!isAdmin(user) && requireOwnTeam(user) !== found.teamId) throw noSuchInvitation();
  return found;
}

async function requireInvitation(
  { invitations }: Pick<JoiningDeps, "invitations">,
  id: number,
): Promise<NamedInvitation> {
  const found = await invitations.find(id);
  if (found === undefined) throw noSuchInvitation();
  return found;
}

function isAdmin({ role }: User): boolean {
  return isAtLeast(role, "admin");
}

function requireOwnTeam({ teamId, isTeamOwner }: User): number {
  if (teamId !== undefined && isTeamOwner === true) return teamId;
  throw new GatewayError("forbidden", "Only admins and owners of a team have invitations.");
}

function noSuchInvitation(): GatewayError {
  return new GatewayError("not_found", "The invitation does not exist, or was revoked.");
}
