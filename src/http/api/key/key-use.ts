import { periodStart } from "#core/budget.ts";
import type { ApiKey } from "#core/key.ts";
import { MAX_NANO_USD, nanoUsd, type NanoUsd } from "#core/money.ts";
import type { UsageGroup } from "#core/usage-report.ts";
import type { HolderDeps } from "#http/deps/holders.ts";

/** The cost of a key's calls, by the sums of usage. Periods are in UTC. */
export interface KeyUse {
  readonly hour: NanoUsd;
  readonly day: NanoUsd;
  /** Since Monday. */
  readonly week: NanoUsd;
  readonly month: NanoUsd;
  /** Since the key was made, as far back as sums of usage are kept. */
  readonly total: NanoUsd;
}

const HOUR_MS = 3_600_000;

type UseDeps = Pick<HolderDeps, "usage" | "clock">;

export async function findUse(key: ApiKey, { usage, clock }: UseDeps): Promise<KeyUse> {
  const now = clock.now();
  const days = await costsByDay(key, now, { usage });
  const since = (start: number): NanoUsd =>
    toNano(days.reduce((sum, { day, cost }) => (day < start ? sum : sum + cost), 0));
  return {
    hour: await costBetween(key, { from: periodStart("hour", now) }, { usage, clock }),
    day: since(periodStart("day", now)),
    week: since(periodStart("week", now)),
    month: since(periodStart("month", now)),
    total: await costBetween(key, {}, { usage, clock }),
  };
}

/** From the start of an hour to the end of one; all time if absent. Unix ms. */
export async function costBetween(
  key: ApiKey,
  { from = 0, to }: { readonly from?: number; readonly to?: number | undefined },
  { usage, clock }: UseDeps,
): Promise<NanoUsd> {
  const until = to ?? hourAfter(clock.now());
  const { total } = await usage.report({ from, to: until, by: [], keyId: key.id });
  return toNano(total.cost);
}

async function costsByDay(
  key: ApiKey,
  now: number,
  { usage }: Pick<HolderDeps, "usage">,
): Promise<readonly { readonly day: number; readonly cost: number }[]> {
  const from = Math.min(periodStart("week", now), periodStart("month", now));
  const { groups } = await usage.report({
    from,
    to: hourAfter(now),
    by: ["day"],
    keyId: key.id,
  });
  return groups.map(({ of, sum }: UsageGroup) => ({ day: Number(of.day), cost: sum.cost }));
}

function hourAfter(now: number): number {
  return (Math.floor(now / HOUR_MS) + 1) * HOUR_MS;
}

/** Sums above the maximum of an account are shown as the maximum. */
function toNano(cost: number): NanoUsd {
  return nanoUsd(Math.min(Math.round(cost), MAX_NANO_USD));
}
