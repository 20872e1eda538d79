import { invalid } from "#core/error.ts";
import type { User } from "#core/user.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import { object, text } from "#lib/rules.ts";
import { defined, textOf } from "#lib/values.ts";
import type { HttpDeps } from "#http/deps.ts";
import { requireUser } from "#http/require-user.ts";
import type { Exchange, Route } from "#http/routes.ts";
import { BUDGETS, readBudgets } from "../budget-fields.ts";
import { renderFailure, succeed } from "../envelope.ts";
import { showHistory } from "../quota/history.ts";
import { showQuota } from "../quota/show-quota.ts";
import { TOP_UP, topUp } from "../quota/top-up.ts";
import { readFields } from "../read-fields.ts";
import { readUsd, USD } from "../usd.ts";
import { findUser, refuseUnlessAbove } from "./find-user.ts";

export const getOwnQuota: Route<HttpDeps> = {
  method: "GET",
  path: "/api/user/self/quota",
  access: "user",
  summary: "What all your tokens may spend together, and have spent.",
  renderError: renderFailure,
  handle: (exchange, deps) => show(exchange, requireUser(exchange), deps),
};

export const getQuota: Route<HttpDeps> = {
  method: "GET",
  path: "/api/user/:id/quota",
  access: "auditor",
  summary: "What a user may spend, and has spent.",
  renderError: renderFailure,
  handle: async (exchange, deps) => show(exchange, await findUser(exchange, deps.users), deps),
};

const QUOTA = object({
  quota_usd: USD,
  ...BUDGETS,
  "reason!": text({ minLength: 1, maxLength: 500 }),
});

export const setQuota: Route<HttpDeps> = {
  method: "PUT",
  path: "/api/user/:id/quota",
  access: "admin",
  summary:
    "Says what a user of a role below your own may spend in all, what was spent included, and by " +
    "day and month; the reason is kept in the ledger.",
  renderError: renderFailure,
  requestSchema: () => schemaOf(QUOTA),

  async handle(exchange, deps) {
    const body = await readFields(exchange, QUOTA);
    const quota = readUsd(body["quota_usd"], "quota_usd");
    const budgets = readBudgets(body);
    if (quota === undefined && Object.keys(budgets).length === 0) {
      throw invalid(
        "quota_usd",
        "'quota_usd' or a budget must be there: an amount, or null for no bound.",
      );
    }
    const user = await findBelow(exchange, deps);
    const note = `${requireUser(exchange).name}: ${textOf(body["reason"])}`;
    await deps.quotas.set(`user:${user.id}`, defined({ quota, budgets }), note);
    return await show(exchange, user, deps);
  },
};

export const topUpUser: Route<HttpDeps> = {
  method: "POST",
  path: "/api/user/:id/quota",
  access: "admin",
  summary:
    "Adds to what a user of a role below your own may spend, or takes away from it; once for " +
    "each `operation`.",
  renderError: renderFailure,
  requestSchema: () => schemaOf(TOP_UP),

  handle(exchange, deps) {
    const findOwner = async () => `user:${(await findBelow(exchange, deps)).id}` as const;
    return topUp(exchange, requireUser(exchange), findOwner, deps);
  },
};

export const listOwnGrants: Route<HttpDeps> = {
  method: "GET",
  path: "/api/user/self/quota/history",
  access: "user",
  summary: "Who changed what you may spend, when and why, latest first.",
  renderError: renderFailure,
  handle: (exchange, deps) => showHistory(exchange, `user:${requireUser(exchange).id}`, deps),
};

export const listGrants: Route<HttpDeps> = {
  method: "GET",
  path: "/api/user/:id/quota/history",
  access: "auditor",
  summary:
    "Who changed what a user may spend, when and why, latest first; `page_size` says how many, " +
    "`before` is the id of the last one of the page before.",
  renderError: renderFailure,

  async handle(exchange, deps) {
    const { id } = await findUser(exchange, deps.users);
    return showHistory(exchange, `user:${id}`, deps);
  },
};

async function findBelow(exchange: Exchange, { users }: HttpDeps): Promise<User> {
  const user = await findUser(exchange, users);
  const actor = requireUser(exchange);
  // Root has no admin above it, so root sets its own quota.
  if (actor.id !== user.id || actor.role !== "root") refuseUnlessAbove(actor, user.role);
  return user;
}

async function show({ id }: Exchange, user: User, deps: HttpDeps): Promise<Response> {
  return succeed(id, "", { user_id: user.id, ...(await showQuota(`user:${user.id}`, deps)) });
}
