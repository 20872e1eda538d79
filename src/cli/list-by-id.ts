import type { Json, JsonObject } from "#lib/json.ts";
import { table, type Verb } from "./command.ts";

/** The verb that lists objects by id, in pages. */
export function listById(
  what: string,
  path: string,
  columns: Readonly<Record<string, (item: JsonObject) => Json>>,
): Verb {
  return {
    usage: "list",
    doc: `lists ${what} by id, 100 per page`,
    options: { after: "<id>" },
    ask(words) {
      words.none();
      return { method: "GET", path: `${path}?after=${words.count("after") ?? 0}` };
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
