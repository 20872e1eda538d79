import type { Period } from "./key.ts";

/** One period of a budget. */
interface BudgetSpan {
  /** The part of the account's id behind `@`. */
  readonly name: string;
  /** Unix ms. */
  readonly startsAt: number;
  /** Unix ms; the start of the next period. */
  readonly endsAt: number;
}

interface ScheduleTerms {
  /** Day on which a month begins, 1 to 28. */
  readonly startDay?: number | undefined;
  /** IANA time zone in which days, weeks and months begin. */
  readonly timeZone?: string | undefined;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The first day of Unix time was a Thursday. */
const DAYS_SINCE_MONDAY = 3;
const UTC = "UTC";

/**
 * The periods of a budget. Hours are those of UTC; days, weeks (from Monday) and months begin at
 * midnight in the time zone.
 */
export class BudgetSchedule {
  readonly period: Period;
  readonly startDay: number;
  readonly timeZone: string;
  readonly #clock: ((at: number) => number) | undefined;
  /** Admission asks for the same period many times. */
  #last: BudgetSpan = { name: "", startsAt: Infinity, endsAt: -Infinity };

  constructor(period: Period, { startDay = 1, timeZone = UTC }: ScheduleTerms = {}) {
    this.period = period;
    this.startDay = period === "month" ? startDay : 1;
    this.timeZone = period === "hour" ? UTC : timeZone;
    this.#clock = this.timeZone === UTC ? undefined : localClock(this.timeZone);
  }

  /** `at`: Unix ms. */
  spanAt(at: number): BudgetSpan {
    const { startsAt, endsAt } = this.#last;
    if (at < startsAt || at >= endsAt) this.#last = this.#find(at);
    return this.#last;
  }

  #find(at: number): BudgetSpan {
    const start = this.#localStart(this.#toLocal(at));
    return {
      name: this.#nameOf(start),
      startsAt: this.#toInstant(start),
      endsAt: this.#toInstant(this.#localEnd(start)),
    };
  }

  #localStart(local: number): number {
    const day = local - modulo(local, DAY_MS);
    switch (this.period) {
      case "hour":
        return local - modulo(local, HOUR_MS);
      case "day":
        return day;
      case "week":
        return day - modulo(day / DAY_MS + DAYS_SINCE_MONDAY, 7) * DAY_MS;
      case "month": {
        const date = new Date(local);
        const isBefore = date.getUTCDate() < this.startDay;
        return Date.UTC(
          date.getUTCFullYear(),
          date.getUTCMonth() - (isBefore ? 1 : 0),
          this.startDay,
        );
      }
    }
  }

  #localEnd(start: number): number {
    if (this.period !== "month") return start + LENGTH_MS[this.period];
    const date = new Date(start);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, this.startDay);
  }

  #nameOf(start: number): string {
    const text = new Date(start).toISOString();
    switch (this.period) {
      case "hour":
        return text.slice(0, 13).toLowerCase();
      case "day":
        return text.slice(0, 10);
      case "week":
        return weekName(start);
      case "month": {
        const month = text.slice(0, 7);
        return this.startDay === 1 ? month : `${month}s${text.slice(8, 10)}`;
      }
    }
  }

  #toLocal(at: number): number {
    return this.#clock === undefined ? at : this.#clock(at);
  }

  /** The first moment at which the local clock shows this time or, if it is skipped, a later one. */
  #toInstant(local: number): number {
    const clock = this.#clock;
    if (clock === undefined) return local;
    const moments = [local - DAY_MS, local + DAY_MS].map((near) => local - (clock(near) - near));
    return moments.toSorted((one, other) => one - other).find((at) => clock(at) >= local) ?? local;
  }
}

/** The same terms give the same object, so that keys share its current period. */
export function scheduleOf(period: Period, terms: ScheduleTerms = {}): BudgetSchedule {
  const { startDay = 1, timeZone = UTC } = terms;
  const name = `${period} ${startDay} ${timeZone}`;
  let found = schedules.get(name);
  if (found === undefined) {
    if (schedules.size >= MAX_SCHEDULES) schedules.clear();
    found = new BudgetSchedule(period, terms);
    schedules.set(name, found);
  }
  return found;
}

const MAX_SCHEDULES = 1_000;
const schedules = new Map<string, BudgetSchedule>();

const LENGTH_MS = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS } as const;

export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** The local time as if it were UTC. */
function localClock(timeZone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (at) => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    const [year, month, day] = [part("year"), part("month") - 1, part("day")];
    const seconds = Date.UTC(year, month, day, part("hour"), part("minute"), part("second"));
    return seconds + modulo(at, 1_000);
  };
}

/** By ISO 8601: the first week of a year has its first Thursday. */
function weekName(monday: number): string {
  const year = new Date(monday + 3 * DAY_MS).getUTCFullYear();
  const fourth = Date.UTC(year, 0, 4);
  const first = fourth - modulo(fourth / DAY_MS + DAYS_SINCE_MONDAY, 7) * DAY_MS;
  const week = Math.round((monday - first) / (7 * DAY_MS)) + 1;
  return `${year}-w${String(week).padStart(2, "0")}`;
}

function modulo(value: number, of: number): number {
  return ((value % of) + of) % of;
}
