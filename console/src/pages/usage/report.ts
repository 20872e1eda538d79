import type { Schemas } from "../../api/client.ts";

export type Report = Schemas["UsageReport"];
export type Item = Report["items"][number];

export const TIMES = ["hour", "day", "month"] as const;
const OWN = ["model", "key", "endpoint", "tag", "session"] as const;
const TEAM = ["user", "model", "key", "group", "endpoint", "tag", "session"] as const;
const ALL = [
  "user",
  "team",
  "model",
  "key",
  "channel",
  "group",
  "endpoint",
  "tag",
  "session",
] as const;

export type Time = (typeof TIMES)[number];
export type Category = (typeof ALL)[number];
export type Scope = "all" | "team" | "self";

export const PATHS = {
  all: "/api/usage",
  team: "/api/usage/team",
  self: "/api/usage/self",
} as const;
export const CATEGORIES: Record<Scope, readonly Category[]> = { all: ALL, team: TEAM, self: OWN };
export const MEASURES = ["cost", "calls", "input", "output"] as const;
export type Measure = (typeof MEASURES)[number];

export function isTime(name: string): name is Time {
  return (TIMES as readonly string[]).includes(name);
}

/** A value of a group: its id, or the name itself; empty if there is none. */
export function valueOf(item: Item, category: Category): string {
  const value = isNamed(category) ? item[`${category}_id`] : item[category];
  return value === null || value === undefined ? "" : String(value);
}

export function nameOf(item: Item, category: Category): string {
  const name = isNamed(category) ? item[`${category}_name`] : undefined;
  return name ?? valueOf(item, category);
}

export function isNamed(category: Category): category is "user" | "team" | "key" | "group" {
  return category === "user" || category === "team" || category === "key" || category === "group";
}

export function measured(
  sum: Pick<Item, "cost_usd" | "calls" | "input_tokens" | "output_tokens">,
  measure: Measure,
): number {
  switch (measure) {
    case "cost":
      return Number(sum.cost_usd);
    case "calls":
      return sum.calls;
    case "input":
      return sum.input_tokens;
    case "output":
      return sum.output_tokens;
  }
}

/** Unix seconds of the start of an hour, a day or a month as the API writes it. */
export function startOf(text: string): number {
  return Date.parse(text.length === 7 ? `${text}-01` : text) / 1_000;
}

/** All hours, days or months from `from` to `to`, also those without usage. */
export function timesBetween(from: number, to: number, unit: Time): readonly number[] {
  const times: number[] = [];
  const at = new Date(from * 1_000);
  at.setUTCMinutes(0, 0, 0);
  if (unit !== "hour") at.setUTCHours(0);
  if (unit === "month") at.setUTCDate(1);
  while (at.getTime() < to * 1_000) {
    times.push(at.getTime() / 1_000);
    if (unit === "hour") at.setUTCHours(at.getUTCHours() + 1);
    else if (unit === "day") at.setUTCDate(at.getUTCDate() + 1);
    else at.setUTCMonth(at.getUTCMonth() + 1);
  }
  return times;
}
