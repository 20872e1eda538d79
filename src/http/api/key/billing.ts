import { z } from "zod";
import { invalid } from "#core/error.ts";
import { isDay } from "#lib/iso-date.ts";
import { jsonAnswer } from "#http/answer.ts";
import type { HolderDeps } from "#http/deps/holders.ts";
import { requireKey } from "#http/require-key.ts";
import type { Endpoint } from "#http/routes.ts";
import { throttle } from "#http/throttle.ts";
import { seconds } from "../seconds.ts";
import { answerHolder, HOLDER_ROUTE, readKeyState, totalLimit } from "./holder.ts";
import { costBetween } from "./key-use.ts";

/**
 * Paths and members are those of `router/dashboard.go` and `controller/billing.go` of
 * songquanpeng/one-api, after an API that OpenAI no longer documents.
 */
export const getBillingSubscription: Endpoint<HolderDeps> = {
  ...HOLDER_ROUTE,
  operationId: "getBillingSubscription",
  path: "/v1/dashboard/billing/subscription",
  summary: "What the key of the request can spend in all, in one-api's form.",
  answer: jsonAnswer(
    z.object({
      object: z.literal("billing_subscription"),
      has_payment_method: z.boolean(),
      soft_limit_usd: z.number(),
      hard_limit_usd: z.number().describe("What was spent and what is left."),
      system_hard_limit_usd: z.number(),
      access_until: z.int().describe("Unix seconds; 0 if the key never expires."),
    }),
  ),

  async handle(exchange, deps) {
    const state = await readKeyState(exchange, deps);
    const limit = totalLimit(state);
    const { expiresAt } = state.key;
    const subscription = {
      object: "billing_subscription",
      has_payment_method: true,
      soft_limit_usd: limit,
      hard_limit_usd: limit,
      system_hard_limit_usd: limit,
      access_until: expiresAt === undefined ? 0 : seconds(expiresAt),
    };
    return answerHolder(subscription, exchange);
  },
};

const DAY_QUERY = z.object({
  start_date: z.string().optional().describe("First day in UTC; from the beginning if absent."),
  end_date: z.string().optional().describe("Day after the last in UTC; until now if absent."),
});

/** one-api ignores the dates; clients send them as OpenAI's page did, with an exclusive end. */
export const getBillingUsage: Endpoint<HolderDeps> = {
  ...HOLDER_ROUTE,
  operationId: "getBillingUsage",
  path: "/v1/dashboard/billing/usage",
  summary: "What calls of the key of the request cost, in one-api's form.",
  query: DAY_QUERY,
  answer: jsonAnswer(
    z.object({ object: z.literal("list"), total_usage: z.number().describe("US cents.") }),
  ),

  async handle(exchange, deps) {
    await throttle(exchange, deps);
    const from = readDay("start_date", exchange.query) ?? 0;
    const to = readDay("end_date", exchange.query);
    if (to !== undefined && to <= from) {
      throw invalid("end_date", "'end_date' must be after 'start_date'.");
    }
    const cost = await costBetween(requireKey(exchange), { from, to }, deps);
    return answerHolder({ object: "list", total_usage: cost / NANO_USD_PER_CENT }, exchange);
  },
};

const NANO_USD_PER_CENT = 10_000_000;

/** Unix ms; undefined if it is absent. */
function readDay(name: keyof typeof DAY_QUERY.shape, query: URLSearchParams): number | undefined {
  const given = query.get(name) ?? "";
  if (given === "") return undefined;
  if (!isDay(given)) throw invalid(name, `'${name}' must be a date such as 2026-01-31.`);
  return Date.parse(given);
}
