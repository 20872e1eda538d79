import { z } from "zod";
import { FAMILIES } from "#core/family.ts";
import { userLimitsIn } from "#core/group.ts";
import type { Allowance, RateLimits } from "#core/limits.ts";
import { PERIODS } from "#core/key.ts";
import type { JsonObject } from "#lib/json.ts";
import { jsonAnswer } from "#http/answer.ts";
import type { HolderDeps } from "#http/deps/holders.ts";
import type { Endpoint } from "#http/routes.ts";
import { showLimits, SHOWN_LIMITS } from "../limit-fields.ts";
import { seconds } from "../seconds.ts";
import { showUsd } from "../usd.ts";
import { CURRENT_KEY, showCurrentKey } from "./current-key.ts";
import { answerHolder, HOLDER_ROUTE, readKeyState, type KeyState } from "./holder.ts";
import type { Fund } from "./key-funds.ts";

const ALLOWANCE = z
  .object({ limit: z.int(), left: z.int(), full_in_ms: z.int() })
  .nullable()
  .describe("Per minute, of the tightest limit of the key and its user; null without a limit.");

const BUDGET = z.object({
  owner: z.enum(["key", "user", "team"]),
  period: z.enum([...PERIODS, "total"]).describe("`total` is a quota, which never resets."),
  amount_usd: z.number().optional().describe("For the key only, as are the next two."),
  used_usd: z.number().optional(),
  held_usd: z.number().optional().describe("Reserved by running calls."),
  left_usd: z.number(),
  resets_at: z.int().nullable().describe("Unix seconds."),
});

const OWN_KEY = z
  .object({
    object: z.literal("key"),
    name: z.string(),
    expires_at: z.int().nullable().describe("Unix seconds."),
    models: z.array(z.string()).describe("Names that calls may use, as in the model list."),
    model_patterns: z.array(z.string()).describe("Names and patterns that the key allows."),
    endpoints: z.array(z.enum(FAMILIES)).nullable(),
    ip_ranges: z.array(z.string()).nullable(),
    ...SHOWN_LIMITS,
    user_limits: z.object(SHOWN_LIMITS).describe("Of all keys of the user together."),
    requests: ALLOWANCE,
    tokens: ALLOWANCE,
    used_usd: z.number().describe("By calls with this key, as far back as usage is kept."),
    used_day_usd: z.number(),
    used_month_usd: z.number(),
    left_usd: z.number().nullable().describe("The least of all budgets; null without a limit."),
    budgets: z.array(BUDGET).describe("Limits of spending of the key, its user and its team."),
    data: CURRENT_KEY,
  })
  .meta({ id: "OwnKey" });

export const getOwnKey: Endpoint<HolderDeps> = {
  ...HOLDER_ROUTE,
  operationId: "getOwnKey",
  path: "/v1/key",
  summary: "What the key of the request may do, has spent and has left.",
  answer: jsonAnswer(OWN_KEY),

  async handle(exchange, deps) {
    const state = await readKeyState(exchange, deps);
    const models = deps.channels.list(state.key).map(({ id }) => id);
    const { userLimits } = deps.relay.admission;
    return answerHolder(showKey(state, models, userLimits), exchange);
  },
};

function showKey(
  state: KeyState,
  models: readonly string[],
  everybodys: RateLimits | undefined,
): JsonObject {
  const { key, rates, funds, scarcest, use } = state;
  const ofUser = key.group === undefined ? everybodys : userLimitsIn(key.group, everybodys);
  return {
    object: "key",
    name: key.name,
    expires_at: key.expiresAt === undefined ? null : seconds(key.expiresAt),
    models,
    model_patterns: key.models,
    endpoints: key.endpoints ?? null,
    ip_ranges: key.networks ?? null,
    ...showLimits(key.limits),
    user_limits: showLimits(ofUser),
    requests: showAllowance(rates.requests),
    tokens: showAllowance(rates.tokens),
    used_usd: showUsd(use.total),
    used_day_usd: showUsd(use.day),
    used_month_usd: showUsd(use.month),
    left_usd: scarcest === undefined ? null : showUsd(scarcest.left),
    budgets: funds.map(showFund),
    // Clients of OpenRouter with a base URL that ends in `/v1` ask this path.
    data: showCurrentKey(state),
  };
}

/** Of the user and the team, a holder sees only the remaining amounts: others spent the rest. */
function showFund({ owner, period, limit, spent, held, left, resetsAt }: Fund): JsonObject {
  const own = { amount_usd: showUsd(limit), used_usd: showUsd(spent), held_usd: showUsd(held) };
  return {
    owner,
    period,
    ...(owner === "key" ? own : {}),
    left_usd: showUsd(left),
    resets_at: resetsAt === null ? null : seconds(resetsAt),
  };
}

function showAllowance(allowance: Allowance | undefined): JsonObject | null {
  if (allowance === undefined) return null;
  const { limit, remaining, resetMs } = allowance;
  return { limit, left: remaining, full_in_ms: Math.ceil(resetMs) };
}
