import type { UsageReports } from "#core/usage-report.ts";
import type { Clock } from "#lib/clock.ts";

/** Nano-dollars, since midnight and since the first of the month in UTC. */
interface Spend {
  readonly today: number;
  readonly month: number;
}

/** Sums of a month are not read again for each request. */
const KEPT_MS = 15_000;
const MAX_KEPT = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The spend of today and this month: of each user, and of all together. */
export class Spends {
  readonly #usage: UsageReports;
  readonly #clock: Clock;
  readonly #kept = new Map<
    number | undefined,
    { readonly until: number; readonly spend: Promise<Spend> }
  >();

  constructor(usage: UsageReports, clock: Clock) {
    this.#usage = usage;
    this.#clock = clock;
  }

  /** Without a user, of all. */
  of(userId: number | undefined): Promise<Spend> {
    const now = this.#clock.now();
    const known = this.#kept.get(userId);
    if (known !== undefined && known.until > now) return known.spend;
    const spend = this.#read(userId, now);
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    this.#kept.set(userId, { until: now + KEPT_MS, spend });
    spend.catch(() => this.#kept.delete(userId));
    return spend;
  }

  async #read(userId: number | undefined, now: number): Promise<Spend> {
    const date = new Date(now);
    const { groups, total } = await this.#usage.report({
      from: Date.UTC(date.getUTCFullYear(), date.getUTCMonth()),
      to: Math.floor(now / HOUR_MS) * HOUR_MS + HOUR_MS,
      by: ["day"],
      ...(userId === undefined ? {} : { userId }),
    });
    const midnight = Math.floor(now / DAY_MS) * DAY_MS;
    const today = groups.find(({ of }) => of.day === midnight)?.sum.cost ?? 0;
    return { today, month: total.cost };
  }
}
