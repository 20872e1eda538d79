import { z } from "zod";
import type { Endpoint, LoginPermission } from "#http/routes.ts";
import type { Tag } from "#http/tags.ts";
import { succeed } from "./envelope.ts";
import { items, management } from "./management.ts";
import { afterField } from "./query-fields.ts";
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
  /** At most `limit` objects with ids after `after`. */
  readonly list: (deps: Deps, after: number, limit: number) => Promise<readonly Item[]>;
}

/** A route that lists all objects of a kind by id, in pages. */
export function listById<Item, Deps>({
  objects,
  whose,
  item,
  show,
  list,
  ...route
}: ListedObjects<Item, Deps>): Endpoint<Deps> {
  return management({
    ...route,
    method: "GET",
    summary: `Lists ${objects} by id, at most ${PAGE}; \`after\` is the last id of the previous page.`,
    query: z.object({ after: afterField(whose) }),
    data: items(item),

    async handle(exchange, deps: Deps, { query }) {
      const found = await list(deps, query.after, PAGE);
      return succeed(exchange.id, "", { items: found.map(show) });
    },
  });
}
