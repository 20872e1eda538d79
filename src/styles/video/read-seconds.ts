import { invalid } from "#core/error.ts";
import type { Json } from "#lib/json.ts";

const MAX_SECONDS = 3_600;
/** The model chooses the length. */
const ANY_LENGTH = -1;

/** A number or text; undefined if unset. */
export function readSeconds(value: Json | undefined, param: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  const seconds = typeof value === "string" && /^-?\d{1,5}$/.test(value) ? Number(value) : value;
  const isWhole = typeof seconds === "number" && Number.isInteger(seconds);
  if (isWhole && (seconds === ANY_LENGTH || (seconds >= 1 && seconds <= MAX_SECONDS)))
    return seconds;
  throw invalid(param, `'${param}' must be a whole number of seconds from 1 to ${MAX_SECONDS}.`);
}
