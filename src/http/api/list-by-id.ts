import { z } from "zod";
import type { Endpoint, LoginPermission } from "#http/routes.ts";
import type { Tag } from "#http/tags.ts";
import { succeed } from "./envelope.ts";
import { items, management } from "./management.ts";
import { afterField, shortTextField } from "./query-fields.ts";
import type { JsonObject } from "#lib/json.ts";

const PAGE = 100;

interface ListedObjects<Item, Deps> extends LoginPermission {
  readonly operationId: string;
  readonly tag: Tag;
  readonly path: string;
  /** "groups of users" */
  readonly objects: string;
  /** "a group's", for the error of an invalid id. */
  readonly whose: string;
  readonly item: z.ZodType;
  readonly show: (item: Item) => JsonObject;
  /** At most `limit` objects with ids after `after`, and with `search` in their names. */
  readonly list: (
    deps: Deps,
    after: number,
    limit: number,
    search: string | undefined,
  ) => Promise<readonly Item[]>;
  /** Of the names that `q` searches; without it, the route has no search. */
  readonly searched?: string;
  /** Further fields of each object, read for the whole page at once. */
  readonly beside?: (items: readonly Item[], deps: Deps) => Promise<(item: Item) => JsonObject>;
}

/** A route that lists all objects of a kind by id, in pages. */
export function listById<Item, Deps>({
  objects,
  whose,
  item,
  show,
  list,
  searched,
  beside,
  ...route
}: ListedObjects<Item, Deps>): Endpoint<Deps> {
  const q = shortTextField(100, `A part of ${searched}, in any script and case.`);
  return management({
    ...route,
    method: "GET",
    summary: `Lists ${objects} by id, at most ${PAGE}; \`after\` is the last id of the previous page.`,
    query: z.object({
      after: afterField(whose),
      // Its type is that of the route with a search.
      ...(searched === undefined ? ({} as { q: typeof q }) : { q }),
    }),
    data: items(item),

    async handle(exchange, deps: Deps, { query }) {
      const found = await list(deps, query.after, PAGE, query.q);
      const more = await beside?.(found, deps);
      const shown = found.map((each) => ({ ...show(each), ...more?.(each) }));
      return succeed(exchange.id, "", { items: shown });
    },
  });
}
