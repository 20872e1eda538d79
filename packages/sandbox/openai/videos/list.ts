import type { JsonObject } from "@sluice/sandbox/json.ts";
import { invalid } from "../error.ts";
import { readChoice, readInteger } from "../fields.ts";
import type { SoraTask } from "./task-body.ts";

/** A page of somebody's videos, which come the newest first. */
export function listVideos(
  newestFirst: readonly SoraTask[],
  query: URLSearchParams,
  bodyOf: (task: SoraTask) => JsonObject,
): JsonObject {
  const asked = query.get("limit");
  const limit =
    readInteger({ path: "limit", value: asked === null ? undefined : Number(asked) }, 0, 100) ?? 20;
  const order = readChoice({ path: "order", value: query.get("order") ?? undefined }, [
    "asc",
    "desc",
  ]);
  const tasks = order === "asc" ? newestFirst.toReversed() : newestFirst;
  const after = query.get("after");
  const start = after === null ? 0 : tasks.findIndex(({ id }) => id === after) + 1;
  if (after !== null && start === 0)
    throw invalid("after", null, `Video with id '${after}' not found.`);
  const page = tasks.slice(start, start + limit);
  return {
    object: "list",
    data: page.map(bodyOf),
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
    has_more: tasks.length > start + limit,
  };
}
