import { z } from "zod";
import { PERIOD_NAMES } from "#core/budget.ts";
import { MAX_NANO_USD, nanoUsd } from "#core/money.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { jsonAnswer } from "#http/answer.ts";
import type { HolderDeps } from "#http/deps/holders.ts";
import type { Endpoint } from "#http/routes.ts";
import { showUsd } from "../usd.ts";
import { answerHolder, HOLDER_ROUTE, readKeyState, totalLimit, type KeyState } from "./holder.ts";
import type { Fund } from "./key-funds.ts";

export const CURRENT_KEY = z
  .looseObject({
    label: z.string(),
    limit: z.number().nullable(),
    limit_remaining: z.number().nullable(),
    limit_reset: z.enum(["hourly", "daily", "weekly", "monthly"]).nullable(),
    usage: z.number(),
    usage_daily: z.number(),
    usage_weekly: z.number(),
    usage_monthly: z.number(),
  })
  .describe("The same in OpenRouter's form.");

/** The paths of https://openrouter.ai/docs/api/api-reference (2026-11), which its clients ask. */
export const getCurrentKey: Endpoint<HolderDeps> = {
  ...HOLDER_ROUTE,
  operationId: "getCurrentKey",
  path: "/api/v1/key",
  summary: "The key of the request in OpenRouter's form.",
  answer: jsonAnswer(z.object({ data: CURRENT_KEY })),

  async handle(exchange, deps) {
    return answerHolder({ data: showCurrentKey(await readKeyState(exchange, deps)) }, exchange);
  },
};

/** Its two members are those of the page `credits/get-credits` there. */
export const getCredits: Endpoint<HolderDeps> = {
  ...HOLDER_ROUTE,
  operationId: "getCredits",
  path: "/api/v1/credits",
  summary: "What the key of the request has spent and can spend, in OpenRouter's form.",
  answer: jsonAnswer(
    z.object({ data: z.object({ total_credits: z.number(), total_usage: z.number() }) }),
  ),

  async handle(exchange, deps) {
    const state = await readKeyState(exchange, deps);
    const data = { total_credits: totalLimit(state), total_usage: showUsd(state.use.total) };
    return answerHolder({ data }, exchange);
  },
};

/**
 * The members of the page `api-keys/get-current-key` there. No upstream key is the caller's own,
 * so the members of such keys (`byok`) are 0.
 */
export function showCurrentKey(state: KeyState): JsonObject {
  const { key, use } = state;
  const expiresAt = key.expiresAt && new Date(key.expiresAt).toISOString();
  return {
    label: key.name,
    ...showLimit(state),
    include_byok_in_limit: false,
    usage: showUsd(use.total),
    usage_daily: showUsd(use.day),
    usage_weekly: showUsd(use.week),
    usage_monthly: showUsd(use.month),
    byok_usage: 0,
    byok_usage_daily: 0,
    byok_usage_weekly: 0,
    byok_usage_monthly: 0,
    is_free_tier: false,
    is_management_key: false,
    is_provisioning_key: false,
    creator_user_id: null,
    ...defined({ expires_at: expiresAt }),
    rate_limit: RATE_LIMIT,
  };
}

/**
 * Of the budget with the least left, so that the next calls may spend `limit_remaining`. The amounts
 * of a user or a team are not shown: there, `limit` is the total that this key can reach.
 */
function showLimit({ scarcest, use }: KeyState): JsonObject {
  if (scarcest === undefined) return { limit: null, limit_remaining: null, limit_reset: null };
  const { owner, period, limit, left } = scarcest;
  const used = use[period];
  const reachable = owner === "key" ? limit : nanoUsd(Math.min(used + left, MAX_NANO_USD));
  return {
    limit: showUsd(reachable),
    limit_remaining: showUsd(left),
    limit_reset: RESETS[period],
  };
}

const RESETS = { ...PERIOD_NAMES, total: null } as const satisfies Record<
  Fund["period"],
  string | null
>;

/** OpenRouter's documentation calls it deprecated, but requires it. */
const RATE_LIMIT = {
  requests: -1,
  interval: "10s",
  note: "Deprecated. See the rate limit headers.",
};
