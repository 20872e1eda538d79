import type { Piece } from "@sluice/sandbox/engine/pieces.ts";
import type { JsonObject } from "@sluice/sandbox/json.ts";
import { newItemId } from "./item-ids.ts";
import { event, type BareEvent, type ItemWriter } from "./item-writer.ts";
import type { Turn } from "./turn.ts";

/**
 * The model's thoughts: hidden, or as a summary where one was asked for, or
 * as they are from a model that shows them.
 */
export function reasoningWriter({ request, seal }: Turn, index: number): ItemWriter {
  const id = newItemId("rs");
  const { summary } = request.reasoning;
  const way = request.model.thinks === "visibly" ? SHOWN : summary === undefined ? HIDDEN : SUMMARY;
  // The newest models seal their reasoning whether or not they are asked to.
  const isSealed =
    request.include.includes("reasoning.encrypted_content") ||
    request.model.hasBreakpoints === true;
  let thoughts = "";
  let shown = "";

  const place = { item_id: id, output_index: index, ...way?.index };
  const isEnough = () => summary === "concise" && way === SUMMARY && /[.!?]/.test(shown);
  const isPartOpen = () => shown !== "";
  /** What an item opens with is not whole: only what it ends with can be sent back. */
  const sealed = (isDone: boolean): string =>
    isDone ? seal.close(thoughts, request.owner) : seal.close("", request.owner).slice(0, 24);
  const item = (isDone: boolean): JsonObject => ({
    id,
    type: "reasoning",
    content: way === SHOWN && isPartOpen() ? [{ type: "reasoning_text", text: shown }] : [],
    ...(isSealed ? { encrypted_content: sealed(isDone) } : {}),
    summary: way === SUMMARY && isPartOpen() ? [{ type: "summary_text", text: shown }] : [],
  });

  function take(piece: Piece): readonly BareEvent[] {
    if (piece.kind !== "reasoning") return [];
    thoughts += piece.text;
    if (way === undefined || isEnough()) return [];
    const opening = isPartOpen()
      ? []
      : [event(`${way.part}.added`, { ...place, part: { type: way.partType, text: "" } })];
    shown += piece.text;
    return [...opening, event(`${way.text}.delta`, { ...place, delta: piece.text }, piece.tokens)];
  }

  return {
    id,
    takes: (piece) => piece.kind === "reasoning",
    open: () => [event("output_item.added", { item: item(false), output_index: index })],
    take,
    close() {
      const events =
        way === undefined || !isPartOpen()
          ? []
          : [
              event(`${way.text}.done`, { ...place, text: shown }),
              event(`${way.part}.done`, { ...place, part: { type: way.partType, text: shown } }),
            ];
      return { events, item: item(true) };
    },
  };
}

const HIDDEN = undefined;
const SUMMARY = {
  part: "reasoning_summary_part",
  text: "reasoning_summary_text",
  partType: "summary_text",
  index: { summary_index: 0 },
} as const;
const SHOWN = {
  part: "content_part",
  text: "reasoning_text",
  partType: "reasoning_text",
  index: { content_index: 0 },
} as const;
