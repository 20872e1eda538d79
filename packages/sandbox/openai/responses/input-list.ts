import type { JsonObject } from "@sluice/sandbox/json.ts";
import { invalid } from "../error.ts";
import { readChoice, readInteger } from "../fields.ts";
import type { Entry } from "./entry.ts";

/** A page of a response's input items, newest first by default. */
export function listInputItems(input: readonly Entry[], query: URLSearchParams): JsonObject {
  const asked = query.get("limit");
  const limit =
    readInteger({ path: "limit", value: asked === null ? undefined : Number(asked) }, 1, 100) ?? 20;
  const order = readChoice({ path: "order", value: query.get("order") ?? undefined }, [
    "asc",
    "desc",
  ]);
  const items = (order === "asc" ? input : input.toReversed()).map(({ item }) => item);

  const after = query.get("after");
  const start = after === null ? 0 : items.findIndex((item) => item["id"] === after) + 1;
  if (after !== null && start === 0)
    throw invalid("after", null, `Item with id '${after}' not found.`);
  const data = items.slice(start, start + limit);
  return {
    object: "list",
    data,
    first_id: data[0]?.["id"] ?? null,
    last_id: data.at(-1)?.["id"] ?? null,
    has_more: items.length > start + limit,
  };
}
