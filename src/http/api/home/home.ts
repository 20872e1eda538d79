import { z } from "zod";
import { ALL_CALLS, firstByteAt, MINUTE_MS, sumMinutes } from "#core/channel-minute.ts";
import type { UsedFunds } from "#core/alert.ts";
import { GATEWAY_OWNER, PERIODS, type OwnerId } from "#core/key.ts";
import { nanoUsd } from "#core/money.ts";
import type { User } from "#core/user.ts";
import type { HomeDeps } from "#http/deps/home.ts";
import { requireUser } from "#http/require-user.ts";
import type { JsonObject } from "#lib/json.ts";
import { CONDITIONS } from "#relay/failover/channel-condition.ts";
import { ALERT, showAlert } from "../alert/alerts.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import { seconds } from "../seconds.ts";
import { showToken, TOKEN } from "../token/token-json.ts";
import { showUsd, showUsdOrNull } from "../usd.ts";

const RECENT_MINUTES = 5;
const DAY_MS = 24 * 60 * MINUTE_MS;
const MAX_KEYS = 20;
const MAX_FUNDS = 20;
const NEARLY_USED = 0.8;

const SPEND = z.object({ today_usd: z.number(), month_usd: z.number() });

const FUNDS = z.object({
  owner: z.string(),
  period: z.enum([...PERIODS, "quota"]),
  spent_usd: z.number(),
  limit_usd: z.number(),
});

const BUDGETS = z.array(
  z.object({
    period: z.enum(PERIODS),
    amount_usd: z.number().nullable(),
    spent_usd: z.number(),
    resets_at: z.int(),
  }),
);

const HOME = z
  .object({
    problems: z
      .object({
        alerts: z.array(ALERT),
        channels: z.array(
          z.object({
            name: z.string(),
            state: z.enum(CONDITIONS),
            text: z.string(),
            until: z.int().nullable(),
          }),
        ),
        unpriced_models: z.array(z.string()),
        budgets: z.array(FUNDS).describe("Budgets and quotas of which 80 % are used."),
        failing_jobs: z.array(z.object({ name: z.string(), failures: z.int(), since: z.int() })),
        is_simulated: z.boolean(),
        redis_down_since: z.int().nullable(),
      })
      .nullable()
      .describe("What is wrong; null for users who are not auditors."),
    traffic: z
      .object({
        calls_per_minute: z.number(),
        error_rate: z.number().nullable().describe("From 0 to 1; null without calls."),
        first_byte_p50_ms: z.int().nullable(),
        first_byte_p95_ms: z.int().nullable(),
      })
      .nullable()
      .describe("All calls of the last 5 minutes; null for users who are not auditors."),
    spend: SPEND.nullable().describe("Of all users; null for users who are not auditors."),
    budgets: BUDGETS.nullable().describe(
      "Of all callers together; null for users who are not auditors.",
    ),
    has_status_page: z.boolean().describe("Whether everyone may see `/status`."),
    has_model_page: z.boolean().describe("Whether everyone may see `/pricing`."),
    own: z.object({
      spend: SPEND,
      budgets: BUDGETS,
      keys: z.array(TOKEN),
      keys_total: z.int(),
    }),
  })
  .meta({ id: "Home" });

export const getHome = management({
  operationId: "getHome",
  tag: "Gateway",
  method: "GET",
  path: "/api/home",
  access: "user",
  scope: "usage:read",
  summary:
    "The first page of a console: what is wrong, traffic and spend for auditors and admins; own " +
    "keys, budgets and spend for everyone.",
  data: HOME,

  async handle(exchange, deps: HomeDeps) {
    const user = requireUser(exchange);
    const isOperator = user.role !== "user";
    const own = await ownOf(user, deps);
    const shown = isOperator
      ? {
          problems: await problemsOf(deps),
          traffic: await trafficOf(deps),
          spend: await spendOf(undefined, deps),
          budgets: await budgetsOf(GATEWAY_OWNER, deps),
        }
      : { problems: null, traffic: null, spend: null, budgets: null };
    return succeed(exchange.id, "", {
      ...shown,
      has_status_page: deps.isStatusPublic,
      has_model_page: deps.isPricingPublic,
      own,
    });
  },
});

async function problemsOf({ alerts, alertWatch, funds, clock }: HomeDeps): Promise<JsonObject> {
  const { facts, channels, isPriced } = alertWatch.state;
  const dayAgo = clock.now() - DAY_MS;
  const unpriced = facts
    .flatMap((each) => each.unpriced)
    .filter(({ model, at }) => at >= dayAgo && !isPriced(model))
    .map(({ model }) => model);
  const redisDown = facts.flatMap(({ redisDownSince }) => redisDownSince ?? []);
  const used = [
    ...(await funds.budgets(NEARLY_USED, MAX_FUNDS)),
    ...(await funds.quotas(NEARLY_USED, MAX_FUNDS)),
  ];
  return {
    alerts: (await alerts.open()).map(showAlert),
    channels: channels
      .filter(({ condition }) => condition.state !== "healthy")
      .map(({ name, condition: { state, text, until } }) => ({
        name,
        state,
        text,
        until: until === undefined ? null : seconds(until),
      })),
    unpriced_models: [...new Set(unpriced)].sort(byText),
    budgets: used.map(showFunds),
    failing_jobs: facts
      .flatMap(({ jobs }) => jobs)
      .map(({ name, failures, since }) => ({ name, failures, since: seconds(since) })),
    is_simulated: facts.some(({ isSimulated }) => isSimulated),
    redis_down_since: redisDown.length === 0 ? null : seconds(Math.min(...redisDown)),
  };
}

function showFunds({ owner, period, spent, limit }: UsedFunds): JsonObject {
  return {
    owner,
    period,
    spent_usd: showUsd(nanoUsd(spent)),
    limit_usd: showUsd(nanoUsd(limit)),
  };
}

async function trafficOf({ channelMinutes, clock }: HomeDeps): Promise<JsonObject> {
  const now = clock.now();
  const minutes = await channelMinutes.read(
    ALL_CALLS,
    now - RECENT_MINUTES * MINUTE_MS,
    now + MINUTE_MS,
  );
  const sum = sumMinutes(minutes);
  return {
    calls_per_minute: sum.attempts / RECENT_MINUTES,
    error_rate: sum.attempts === 0 ? null : sum.failed / sum.attempts,
    first_byte_p50_ms: firstByteAt(sum, 0.5) ?? null,
    first_byte_p95_ms: firstByteAt(sum, 0.95) ?? null,
  };
}

async function ownOf(user: User, deps: HomeDeps): Promise<JsonObject> {
  const { items, total } = await deps.userKeys.page(user.id, 0, MAX_KEYS);
  const now = deps.clock.now();
  return {
    spend: await spendOf(user.id, deps),
    budgets: await budgetsOf(`user:${user.id}`, deps),
    keys: items.map((each) => showToken(each, now)),
    keys_total: total,
  };
}

async function budgetsOf(
  owner: OwnerId,
  { quotas }: Pick<HomeDeps, "quotas">,
): Promise<readonly JsonObject[]> {
  const budgets = await quotas.budgets(owner);
  return budgets.map(({ budget, account, resetsAt }) => ({
    period: budget.period,
    amount_usd: showUsdOrNull(account.granted),
    spent_usd: showUsd(account.spent),
    resets_at: seconds(resetsAt),
  }));
}

async function spendOf(
  userId: number | undefined,
  { spends }: Pick<HomeDeps, "spends">,
): Promise<JsonObject> {
  const { today, month } = await spends.of(userId);
  return { today_usd: usdOf(today), month_usd: usdOf(month) };
}

function usdOf(nano: number): number {
  return showUsd(nanoUsd(Math.round(nano)));
}

function byText(one: string, other: string): number {
  return one < other ? -1 : 1;
}
