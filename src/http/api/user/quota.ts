import { GatewayError, invalid } from "#core/error.ts";
import type { Account } from "#core/ledger.ts";
import { nanoUsd } from "#core/money.ts";
import type { User } from "#core/user.ts";
import type { JsonObject } from "#lib/json.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import { object, text } from "#lib/rules.ts";
import { textOf } from "#lib/values.ts";
import type { HttpDeps } from "#http/deps.ts";
import { requireUser } from "#http/require-user.ts";
import type { Exchange, Route } from "#http/routes.ts";
import { renderFailure, succeed } from "../envelope.ts";
import { readFields } from "../read-fields.ts";
import { readUsd, showUsd, USD } from "../usd.ts";
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
  "reason!": text({ minLength: 1, maxLength: 500 }),
});

export const setQuota: Route<HttpDeps> = {
  method: "PUT",
  path: "/api/user/:id/quota",
  access: "admin",
  summary:
    "Says what a user of a role below your own may spend in all, what was spent included; " +
    "the reason is kept in the ledger.",
  renderError: renderFailure,
  requestSchema: () => schemaOf(QUOTA),

  async handle(exchange, deps) {
    const body = await readFields(exchange, QUOTA);
    const quota = readUsd(body["quota_usd"], "quota_usd");
    if (quota === undefined) {
      throw invalid("quota_usd", "'quota_usd' must be there: an amount, or null for no bound.");
    }
    const user = await findUser(exchange, deps.users);
    const actor = requireUser(exchange);
    // There is nobody above root to say what root may spend.
    if (actor.id !== user.id || actor.role !== "root") refuseUnlessAbove(actor, user.role);

    const note = `${actor.name}: ${textOf(body["reason"])}`;
    await deps.ledger.grant(`user:${user.id}`, quota, note);
    return await show(exchange, user, deps);
  },
};

async function show({ id }: Exchange, user: User, { ledger }: HttpDeps): Promise<Response> {
  const account = await ledger.findAccount(`user:${user.id}`);
  if (account === undefined) throw new GatewayError("internal", "This user has no account.");
  return succeed(id, "", { user_id: user.id, ...showAccount(account) });
}

function showAccount({ granted, spent, held }: Account): JsonObject {
  return {
    quota_usd: granted === null ? null : showUsd(granted),
    used_usd: showUsd(spent),
    /** Of calls that run. */
    held_usd: showUsd(held),
    left_usd: granted === null ? null : showUsd(nanoUsd(Math.max(0, granted - spent - held))),
  };
}
