import type { JsonObject } from "#lib/json.ts";
import { buildError } from "#styles/text/messages/error.ts";
import type { ModelListStyle, Page, ShownModel } from "./model-list.ts";

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1_000;

/** Pages run by id: `after_id` or `before_id`, at most `limit` of them. */
export const messagesModelList: ModelListStyle = {
  id: "messages",
  list(models, { query }) {
    const limit = clamp(Number(query.get("limit") ?? DEFAULT_LIMIT));
    const { page, hasMore } = cut(models, query, limit);
    return {
      data: page.map(one),
      has_more: hasMore,
      first_id: page.at(0)?.id ?? null,
      last_id: page.at(-1)?.id ?? null,
    };
  },
  one,
  buildError,
};

function one(model: ShownModel): JsonObject {
  return {
    type: "model",
    id: model.id,
    display_name: model.id,
    // Its clients expect a date; where none is known it is the first one there is.
    created_at: new Date((model.createdAt ?? 0) * 1_000).toISOString().replace(".000Z", "Z"),
  };
}

function cut(
  models: readonly ShownModel[],
  query: Page["query"],
  limit: number,
): { page: readonly ShownModel[]; hasMore: boolean } {
  const before = models.findIndex((each) => each.id === query.get("before_id"));
  if (before >= 0) {
    return { page: models.slice(Math.max(0, before - limit), before), hasMore: before > limit };
  }
  const start = models.findIndex((each) => each.id === query.get("after_id")) + 1;
  return { page: models.slice(start, start + limit), hasMore: start + limit < models.length };
}

function clamp(limit: number): number {
  return Number.isInteger(limit) && limit >= 1 ? Math.min(limit, MAX_LIMIT) : DEFAULT_LIMIT;
}
