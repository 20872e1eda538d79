/** The names of the filters in the address; those of the API, but `period`. */
export const OWN_FILTERS = [
  "outcome",
  "status",
  "fault",
  "model",
  "token",
  "style",
  "tag",
  "session",
  "min_cost_usd",
  "min_duration_ms",
  "id",
] as const;

export const AUDITORS_FILTERS = [...OWN_FILTERS, "channel", "user", "team"] as const;

export const PERIODS = { hour: 3_600, day: 86_400, week: 604_800, month: 2_592_000 } as const;

export type Period = keyof typeof PERIODS;

export function periodIn(params: URLSearchParams): Period | "" {
  const given = params.get("period");
  return given !== null && Object.hasOwn(PERIODS, given) ? (given as Period) : "";
}

/** What the API is asked for. `since`: the time that periods end at, in Unix seconds. */
export function queryIn(
  params: URLSearchParams,
  names: readonly string[],
  since: number,
): Record<string, string> {
  const query: Record<string, string> = {};
  for (const name of names) {
    const value = params.get(name);
    if (value) query[name] = value;
  }
  const period = periodIn(params);
  if (period !== "") query["from"] = String(Math.floor(since - PERIODS[period]));
  return query;
}
