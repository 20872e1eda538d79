import type { WebSearch } from "@sluice/sandbox/engine/web-search.ts";
import type { Piece } from "@sluice/sandbox/engine/pieces.ts";
import type { JsonObject } from "@sluice/sandbox/json.ts";
import { callWriter } from "./call-writer.ts";
import { newItemId } from "./item-ids.ts";
import { event, type BareEvent, type ItemStatus, type ItemWriter } from "./item-writer.ts";
import { messageWriter } from "./message-writer.ts";
import { reasoningWriter } from "./reasoning-writer.ts";
import type { Turn } from "./turn.ts";

/**
 * The items of the output, one after another: thoughts, a search, a message,
 * calls. Each finished item is added to `output`.
 */
export function* outputEvents(turn: Turn, output: JsonObject[]): Generator<BareEvent> {
  const { request, answer, meter } = turn;
  let open: ItemWriter | undefined;
  let hasSearched = request.search === undefined;

  for (const piece of turn.pieces()) {
    meter.piece(piece);
    if (open === undefined || !open.takes(piece)) {
      if (open !== undefined) yield* close(open, "completed", output);
      if (piece.kind !== "reasoning" && !hasSearched) {
        yield* search(turn, output);
        hasSearched = true;
      }
      open = writerFor(piece, turn, output.length);
      yield* open.open();
    }
    yield* open.take(piece);
  }

  const isCut = answer.finish === "length";
  if (open !== undefined) yield* close(open, isCut ? "incomplete" : "completed", output);
  const hasAnswered = output.some((item) => item["type"] !== "reasoning");
  if (isCut || hasAnswered) return;
  // An empty answer is a message all the same.
  const message = messageWriter(turn, output.length, false);
  yield* message.open();
  yield* close(message, "completed", output);
}

function writerFor(piece: Piece, turn: Turn, index: number): ItemWriter {
  switch (piece.kind) {
    case "reasoning":
      return reasoningWriter(turn, index);
    case "text":
    case "refusal":
      return messageWriter(turn, index, piece.kind === "refusal");
    case "call":
    case "input": {
      const call = turn.answer.calls[piece.index];
      return call === undefined
        ? messageWriter(turn, index, false)
        : callWriter(turn, index, call, piece.index);
    }
  }
}

function* close(
  writer: ItemWriter,
  status: ItemStatus,
  output: JsonObject[],
): Generator<BareEvent> {
  const { events, item } = writer.close(status);
  yield* events;
  yield event("output_item.done", { item, output_index: output.length });
  output.push(item);
}

function* search({ request }: Turn, output: JsonObject[]): Generator<BareEvent> {
  if (request.search === undefined) return;
  const id = newItemId("ws");
  const place = { item_id: id, output_index: output.length };
  const action = actionOf(request.search, request.include);
  const item = (status: string) => ({ id, type: "web_search_call", status, action });
  yield event("output_item.added", { item: item("in_progress"), output_index: output.length });
  for (const step of ["in_progress", "searching", "completed"])
    yield event(`web_search_call.${step}`, place);
  yield event("output_item.done", { item: item("completed"), output_index: output.length });
  output.push(item("completed"));
}

function actionOf({ query, pages }: WebSearch, include: readonly string[]): JsonObject {
  const sources = pages.map(({ url }) => ({ type: "url", url }));
  return {
    type: "search",
    queries: [query],
    query,
    ...(include.includes("web_search_call.action.sources") ? { sources } : {}),
  };
}
