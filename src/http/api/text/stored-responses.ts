import { invalid } from "#core/error.ts";
import type { StoredResponse } from "#core/responses.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { responses } from "#styles/text/responses/index.ts";
import { jsonAnswer } from "#http/answer.ts";
import type { TextDeps } from "#http/deps/text.ts";
import { json } from "#http/json.ts";
import { requireKey } from "#http/require-key.ts";
import type { Exchange, Endpoint } from "#http/routes.ts";
import { DELETED_RESPONSE, INPUT_ITEMS, INPUT_ITEMS_QUERY, RESPONSE } from "./answers.ts";
import { responseNotFound } from "./kept-response.ts";

const DEFAULT_PAGE = 20;
const MAX_PAGE = 100;

const base = {
  access: "key",
  family: "text",
  tag: "Text",
  renderError: responses.inbound.buildError,
} as const;

export const getResponse: Endpoint<Pick<TextDeps, "responses">> = {
  operationId: "getResponse",
  answer: jsonAnswer(RESPONSE),
  ...base,
  method: "GET",
  path: "/v1/responses/:id",
  summary: "A stored response of this user; responses are stored for 30 days.",
  async handle(exchange, deps) {
    return json((await find(exchange, deps)).response, exchange.id);
  },
};

export const deleteResponse: Endpoint<Pick<TextDeps, "responses">> = {
  operationId: "deleteResponse",
  answer: jsonAnswer(DELETED_RESPONSE),
  ...base,
  method: "DELETE",
  path: "/v1/responses/:id",
  summary: "Deletes a stored response.",
  async handle(exchange, deps) {
    const id = exchange.param("id");
    const { userId } = requireKey(exchange);
    if (!(await deps.responses.delete(userId, id))) throw responseNotFound(id);
    return json({ id, object: "response", deleted: true }, exchange.id);
  },
};

/** Nothing can be cancelled: a response is stored only when it is complete. */
export const cancelResponse: Endpoint<Pick<TextDeps, "responses">> = {
  operationId: "cancelResponse",
  answer: jsonAnswer(RESPONSE),
  ...base,
  method: "POST",
  path: "/v1/responses/:id/cancel",
  summary:
    "Always refused: only background responses can be cancelled, and they are not supported.",
  async handle(exchange, deps) {
    await find(exchange, deps);
    throw invalid("response_id", "Only responses that run in the background can be cancelled.");
  },
};

export const listInputItems: Endpoint<Pick<TextDeps, "responses" | "limits">> = {
  operationId: "listInputItems",
  query: INPUT_ITEMS_QUERY,
  answer: jsonAnswer(INPUT_ITEMS),
  ...base,
  method: "GET",
  path: "/v1/responses/:id/input_items",
  summary: "Input items of a response, newest first.",
  async handle(exchange, deps) {
    const { userId } = requireKey(exchange);
    const id = exchange.param("id");
    const turns = await deps.responses.findConversation(userId, id, deps.limits.bodyBytes);
    if (turns === undefined) throw responseNotFound(id);
    const { query } = exchange;
    return json(pageOf(inputOf(turns), query), exchange.id);
  },
};

async function find(
  exchange: Exchange,
  deps: Pick<TextDeps, "responses">,
): Promise<StoredResponse> {
  const id = exchange.param("id");
  const found = await deps.responses.find(requireKey(exchange).userId, id);
  if (found === undefined) throw responseNotFound(id);
  return found;
}

/** All items before the response; each has an id for paging. */
function inputOf(turns: readonly StoredResponse[]): JsonObject[] {
  const last = turns.at(-1);
  return turns.flatMap((turn) => {
    const output = turn === last ? [] : turn.response["output"];
    const items: Json[] = [...turn.input, ...(Array.isArray(output) ? output : [])];
    return items.filter(isObject).map((item, at) => ({
      ...(item["type"] === undefined ? { type: "message" } : {}),
      ...item,
      id: typeof item["id"] === "string" ? item["id"] : `item_${turn.id}_${at}`,
    }));
  });
}

function pageOf(items: readonly JsonObject[], query: URLSearchParams): JsonObject {
  const limit = Number(query.get("limit") ?? DEFAULT_PAGE);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) {
    throw invalid("limit", `'limit' must be an integer from 1 to ${MAX_PAGE}.`);
  }
  const ordered = query.get("order") === "asc" ? items : items.toReversed();
  const after = query.get("after");
  const start = after === null ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  const data = ordered.slice(start, start + limit);
  return {
    object: "list",
    data,
    first_id: data[0]?.["id"] ?? null,
    last_id: data.at(-1)?.["id"] ?? null,
    has_more: start + limit < ordered.length,
  };
}
