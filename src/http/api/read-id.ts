import { invalid } from "#core/error.ts";

/** An id of a path or a query; undefined for what can be nobody's. */
export function readId(text: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

/** An id of a query; undefined where it is absent. */
export function idIn(query: URLSearchParams, name: string): number | undefined {
  const given = query.get(name) ?? "";
  if (given === "") return undefined;
  const id = readId(given);
  if (id === undefined) throw invalid(name, `'${name}' must be an id.`);
  return id;
}

/** The last id of the page before, in a query; 0 for the first page. `whose`: "a user's". */
export function readAfter(query: URLSearchParams, whose: string): number {
  const given = query.get("after") ?? "0";
  if (/^\d{1,15}$/.test(given)) return Number(given);
  throw invalid("after", `'after' must be ${whose} id.`);
}
