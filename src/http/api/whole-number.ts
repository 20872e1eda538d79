import { invalid } from "#core/error.ts";

/** Of a query, from 1 to `most`; `usual` where it is not there. */
export function wholeNumber(
  query: URLSearchParams,
  name: string,
  usual: number,
  most: number,
): number {
  const given = query.get(name);
  if (given === null || given === "") return usual;
  const value = /^\d{1,9}$/.test(given) ? Number(given) : 0;
  if (value >= 1 && value <= most) return value;
  throw invalid(name, `'${name}' must be a whole number from 1 to ${most}.`);
}
