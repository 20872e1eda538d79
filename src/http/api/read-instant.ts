import { invalid } from "#core/error.ts";
import { isDay } from "#lib/iso-date.ts";

const SECONDS = /^\d{1,11}$/;
const DATE = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** Unix ms from a query's Unix seconds or ISO date, which begins in UTC; undefined where it is absent. */
export function readInstant(query: URLSearchParams, name: string): number | undefined {
  const given = query.get(name) ?? "";
  if (given === "") return undefined;
  // A plus that was not escaped is a space by now.
  const text = given.replace(" ", "+");
  const [, day = ""] = DATE.exec(text) ?? [];
  const ms = SECONDS.test(text) ? Number(text) * 1_000 : isDay(day) ? Date.parse(text) : NaN;
  if (Number.isFinite(ms)) return ms;
  throw invalid(name, `'${name}' must be Unix seconds, or a date such as 2026-01-31.`);
}
