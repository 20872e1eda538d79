import { z } from "zod";
import type { CallRecord } from "#core/call.ts";
import { PERIODS, type ApiKey } from "#core/key.ts";
import type { Limited } from "#core/limits.ts";
import type { JsonObject } from "#lib/json.ts";
import type { PastCallDeps } from "#http/deps/past-calls.ts";
import { callerLimits } from "#relay/metering/rate-reservations.ts";
import { findFunds, type Fund } from "../key/key-funds.ts";
import { showLimits, SHOWN_LIMITS } from "../limit-fields.ts";
import { seconds } from "../seconds.ts";
import { showUsd } from "../usd.ts";

export const CALL_LIMITS = z
  .object({
    rates: z.array(
      z.object({
        of: z.string().describe("`key:31`, `user:7`, `group:2`, or a model."),
        ...SHOWN_LIMITS,
      }),
    ),
    budgets: z.array(
      z.object({
        owner: z.enum(["key", "user", "team"]),
        period: z.enum([...PERIODS, "total"]).describe("The day and the month of the call."),
        amount_usd: z.number(),
        used_usd: z.number(),
        held_usd: z.number(),
        left_usd: z.number(),
        resets_at: z.int().nullable(),
      }),
    ),
  })
  .nullable()
  .describe("As they are now, for the key and the model of the call; null if the key was deleted.");

export type LimitDeps = Pick<PastCallDeps, "keyDirectory" | "limitsOf">;

/** The limits that bind the key of a call. They are not recorded with the call. */
export async function showCallLimits(
  call: CallRecord,
  { keyDirectory, limitsOf }: LimitDeps,
): Promise<JsonObject | null> {
  const key = await keyDirectory.findById(call.keyId);
  if (key === undefined) return null;
  // The periods of the call, and not of today.
  const clock = { now: () => call.at, monotonic: () => 0 };
  const funds = await findFunds(key, { ledger: limitsOf.ledger, clock });
  return {
    rates: ratesOf(key, call.model, limitsOf).map(({ id, limits }) => ({
      of: id,
      ...showLimits(limits),
    })),
    budgets: funds.map(showFund),
  };
}

function ratesOf(
  key: ApiKey,
  model: string,
  { userLimits, router }: PastCallDeps["limitsOf"],
): readonly Limited[] {
  return [...callerLimits(key, userLimits), ...router.limitsOn(key, model)];
}

function showFund({ owner, period, limit, spent, held, left, resetsAt }: Fund): JsonObject {
  return {
    owner,
    period,
    amount_usd: showUsd(limit),
    used_usd: showUsd(spent),
    held_usd: showUsd(held),
    left_usd: showUsd(left),
    resets_at: resetsAt === null ? null : seconds(resetsAt),
  };
}
