import { z } from "zod";
import { invalid } from "#core/error.ts";
import type { User } from "#core/user.ts";
import { defined } from "#lib/values.ts";
import type { AccountDeps } from "#http/deps/accounts.ts";
import { requireUser } from "#http/require-user.ts";
import type { Exchange } from "#http/routes.ts";
import { BUDGETS, readBudgets } from "../budget-fields.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import { GRANTS, HISTORY, showHistory } from "../quota/history.ts";
import { raiseRoutes } from "../quota/raises.ts";
import { QUOTA, showQuota } from "../quota/show-quota.ts";
import { TOP_UP, TOPPED_UP, topUp } from "../quota/top-up.ts";
import { USD } from "../usd.ts";
import { findUser, refuseUnlessAbove } from "./find-user.ts";

const USER_QUOTA = z.object({ user_id: z.int(), ...QUOTA }).meta({ id: "UserQuota" });

export const getOwnQuota = management({
  operationId: "getOwnQuota",
  tag: "Quota",
  method: "GET",
  path: "/api/user/self/quota",
  access: "user",
  scope: "usage:read",
  summary: "Quota and budgets of all your tokens together, and the amounts spent.",
  data: USER_QUOTA,
  handle: (exchange, deps: Pick<AccountDeps, "clock" | "ledger" | "quotas">) =>
    show(exchange, requireUser(exchange), deps),
});

export const getQuota = management({
  operationId: "getQuota",
  tag: "Quota",
  method: "GET",
  path: "/api/user/:id/quota",
  access: "auditor",
  scope: "usage:read",
  summary: "Quota and budgets of a user, and the amounts spent.",
  data: USER_QUOTA,
  handle: async (exchange, deps: Pick<AccountDeps, "clock" | "ledger" | "quotas" | "users">) =>
    show(exchange, await findUser(exchange, deps.users), deps),
});

const NEW_QUOTA = z.strictObject({
  quota_usd: USD,
  ...BUDGETS,
  reason: z.string().min(1).max(500),
});

export const setQuota = management({
  operationId: "setQuota",
  tag: "Quota",
  method: "PUT",
  path: "/api/user/:id/quota",
  access: "admin",
  scope: "users:write",
  summary:
    "Sets the total quota, spent amounts included, and the budgets of a user of a role below " +
    "your own. The reason is stored in the ledger.",
  body: NEW_QUOTA,
  data: USER_QUOTA,

  async handle(
    exchange,
    deps: Pick<AccountDeps, "clock" | "ledger" | "quotas" | "users">,
    { body },
  ) {
    const quota = body.quota_usd;
    const budgets = readBudgets(body);
    if (quota === undefined && Object.keys(budgets).length === 0) {
      throw invalid(
        "quota_usd",
        "'quota_usd' or a budget is required: an amount, or null for no limit.",
      );
    }
    const user = await findBelow(exchange, deps);
    const note = `${requireUser(exchange).name}: ${body.reason}`;
    await deps.quotas.set(`user:${user.id}`, defined({ quota, budgets }), note);
    return await show(exchange, user, deps);
  },
});

export const userRaises = raiseRoutes({
  scope: "users:write",
  of: "User",
  whose: "a user of a role below your own",
  tag: "Quota",
  access: "admin",
  path: "/api/user/:id/quota",
  findOwner: async (exchange, deps: Pick<AccountDeps, "users">) =>
    `user:${(await findBelow(exchange, deps)).id}` as const,
});

export const topUpUser = management({
  operationId: "topUpUser",
  tag: "Quota",
  method: "POST",
  path: "/api/user/:id/quota",
  access: "admin",
  scope: "users:write",
  summary:
    "Raises or lowers the quota of a user of a role below your own, once for " +
    "each `operation`.",
  body: TOP_UP,
  data: TOPPED_UP,

  handle(exchange, deps: Pick<AccountDeps, "clock" | "ledger" | "quotas" | "users">, { body }) {
    const findOwner = async () => `user:${(await findBelow(exchange, deps)).id}` as const;
    return topUp({ exchange, body }, requireUser(exchange), findOwner, deps);
  },
});

export const listOwnGrants = management({
  operationId: "listOwnGrants",
  tag: "Quota",
  method: "GET",
  path: "/api/user/self/quota/history",
  access: "user",
  scope: "usage:read",
  summary: "Changes of your quota with actor, time and reason, latest first.",
  query: HISTORY,
  data: GRANTS,
  handle: (exchange, deps: Pick<AccountDeps, "quotas">, { query }) =>
    showHistory(exchange, `user:${requireUser(exchange).id}`, query, deps),
});

export const listGrants = management({
  operationId: "listGrants",
  tag: "Quota",
  method: "GET",
  path: "/api/user/:id/quota/history",
  access: "auditor",
  scope: "usage:read",
  summary:
    "Changes of a user's quota with actor, time and reason, latest first. `page_size`: number of changes; " +
    "`before`: the last id of the previous page.",
  query: HISTORY,
  data: GRANTS,

  async handle(exchange, deps: Pick<AccountDeps, "quotas" | "users">, { query }) {
    const { id } = await findUser(exchange, deps.users);
    return showHistory(exchange, `user:${id}`, query, deps);
  },
});

async function findBelow(exchange: Exchange, { users }: Pick<AccountDeps, "users">): Promise<User> {
  const user = await findUser(exchange, users);
  const actor = requireUser(exchange);
  // Root has no admin above it, so root sets its own quota.
  if (actor.id !== user.id || actor.role !== "root") refuseUnlessAbove(actor, user.role);
  return user;
}

async function show(
  { id }: Exchange,
  user: User,
  deps: Pick<AccountDeps, "clock" | "ledger" | "quotas">,
): Promise<Response> {
  return succeed(id, "", { user_id: user.id, ...(await showQuota(`user:${user.id}`, deps)) });
}
