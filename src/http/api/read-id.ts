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
