import type { Json, JsonObject } from "#lib/json.ts";
import { table, type Verb } from "./command.ts";

/** Options of a list, with the query's parameter and the form of its value. */
type Filters = Readonly<Record<string, { readonly param: string; readonly value: string }>>;

/** Finds a part of a name. */
export const SEARCHED: Filters = { search: { param: "q", value: "<text>" } };

/** The verb that lists objects by id, in pages. */
export function listById(
  what: string,
  path: string,
  columns: Readonly<Record<string, (item: JsonObject) => Json>>,
  filters: Filters = {},
): Verb {
  const named = Object.entries(filters);
  return {
    usage: "list",
    doc: `lists ${what} by id, 100 per page`,
    options: {
      after: "<id>",
      ...Object.fromEntries(named.map(([name, { value }]) => [name, value])),
    },
    ask(words) {
      words.none();
      const query = new URLSearchParams({ after: String(words.count("after") ?? 0) });
      for (const [name, { param }] of named) {
        const given = words.text(name);
        if (given !== undefined) query.set(param, given);
      }
      return { method: "GET", path: `${path}?${query.toString()}` };
    },
    show: (data) =>
      table(data, Object.keys(columns), (item) =>
        Object.values(columns).map((valueIn) => valueIn(item)),
      ),
  };
}

/** The field as the API gives it. */
export function field(name: string): (item: JsonObject) => Json {
  return (item) => item[name] ?? null;
}
