import { CATEGORIES, TIMES, isTime, type Category, type Scope, type Time } from "./report.ts";

export const PERIODS = ["day", "week", "month", "before", "days30", "days90", "year"] as const;
export type Period = (typeof PERIODS)[number];

const PARAMETERS: Record<Category, string> = {
  user: "user_id",
  team: "team_id",
  key: "key_id",
  group: "group_id",
  model: "model",
  channel: "channel",
  endpoint: "endpoint",
  tag: "tag",
  session: "session",
};

export interface Choice {
  readonly period: Period | "custom";
  readonly first: Time | Category;
  readonly second: Category;
  readonly isCompared: boolean;
  /** Filters and period, as parameters of the API. */
  readonly query: Readonly<Record<string, string>>;
  readonly filters: readonly (readonly [category: Category, value: string])[];
}

/** The state of the page in its address. */
export function choiceIn(params: URLSearchParams, scope: Scope, now: number): Choice {
  const known = CATEGORIES[scope];
  const second = oneOf(params.get("by"), known) ?? known[0] ?? "model";
  const period = params.has("from") ? "custom" : (oneOf(params.get("period"), PERIODS) ?? "month");
  const first =
    oneOf(
      params.get("per"),
      [...TIMES, ...known].filter((each) => each !== second),
    ) ?? (period === "day" ? "hour" : period === "year" ? "month" : "day");
  const filters = known.flatMap((category) => {
    const value = params.get(category);
    return value ? [[category, value] as const] : [];
  });
  return {
    period,
    first,
    second,
    isCompared: params.get("compare") === "1",
    filters,
    query: {
      ...spanOf(period, params, now),
      ...Object.fromEntries(filters.map(([category, value]) => [PARAMETERS[category], value])),
    },
  };
}

/** Whole days or months of UTC, so that the same page is the same request. */
function spanOf(
  period: Choice["period"],
  params: URLSearchParams,
  now: number,
): Record<string, string> {
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const dayAt = (...parts: readonly [number, number, number]): string =>
    new Date(Date.UTC(...parts)).toISOString().slice(0, 10);
  switch (period) {
    case "day":
      return { from: String((Math.floor(now / 3_600_000) - 23) * 3_600) };
    case "week":
      return { from: dayAt(year, month, day - 6) };
    case "month":
      return { from: dayAt(year, month, 1) };
    case "before":
      return { from: dayAt(year, month - 1, 1), to: dayAt(year, month, 1) };
    case "days30":
      return { from: dayAt(year, month, day - 29) };
    case "days90":
      return { from: dayAt(year, month, day - 89) };
    case "year":
      return { from: dayAt(year, month - 11, 1) };
    case "custom":
      return { from: params.get("from") ?? "", ...optional("to", params.get("to")) };
  }
}

function optional(name: string, value: string | null): Record<string, string> {
  return value ? { [name]: value } : {};
}

function oneOf<T extends string>(given: string | null, known: readonly T[]): T | undefined {
  return known.find((each) => each === given);
}

/** The page's link to the calls behind a group; undefined if the log has no such filter. */
export function logsOf(category: Category, value: string): string | undefined {
  const names: Partial<Record<Category, string>> = {
    user: "user",
    team: "team",
    key: "token",
    model: "model",
    channel: "channel",
    tag: "tag",
    session: "session",
  };
  const name = names[category];
  if (name === undefined || value === "") return undefined;
  return `/logs?${new URLSearchParams({ [name]: value })}`;
}

export function timeOf(first: Time | Category): Time | undefined {
  return isTime(first) ? first : undefined;
}
