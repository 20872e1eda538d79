import { citationsIn } from "@sluice/sandbox/engine/web-search.ts";
import type { Piece } from "@sluice/sandbox/engine/pieces.ts";
import type { Json, JsonObject } from "@sluice/sandbox/json.ts";
import { tokenLogprob } from "../logprobs.ts";
import { newItemId } from "./item-ids.ts";
import { event, type BareEvent, type ItemWriter } from "./item-writer.ts";
import type { Turn } from "./turn.ts";

/** A message with one part: text or a refusal. */
export function messageWriter({ request }: Turn, index: number, isRefusal: boolean): ItemWriter {
  const id = newItemId("msg");
  const place = { content_index: 0, item_id: id, output_index: index };
  const kind = isRefusal ? "refusal" : "text";
  const logprobs: Json[] = [];
  let text = "";

  function take(piece: Piece): readonly BareEvent[] {
    if (piece.kind !== kind) return [];
    text += piece.text;
    const own = request.logprobs === undefined ? [] : [tokenLogprob(piece.text, request.logprobs)];
    logprobs.push(...own);
    const fields = isRefusal ? { delta: piece.text } : { delta: piece.text, logprobs: own };
    return [event(`${PART[kind]}.delta`, { ...place, ...fields }, piece.tokens)];
  }

  const part = (annotations: readonly JsonObject[]): JsonObject =>
    isRefusal
      ? { type: "refusal", refusal: text }
      : { type: "output_text", annotations, logprobs: [...logprobs], text };

  function message(status: string, content: readonly JsonObject[]): JsonObject {
    const phase = request.model.namesPhases ? { phase: "final_answer" } : {};
    return { id, type: "message", status, content, ...phase, role: "assistant" };
  }

  return {
    id,
    takes: (piece) => piece.kind === kind,
    open: () => [
      event("output_item.added", { item: message("in_progress", []), output_index: index }),
      event("content_part.added", { ...place, part: part([]) }),
    ],
    take,
    close(status) {
      const annotations = isRefusal ? [] : annotationsIn(text, request.search?.pages ?? []);
      const done = isRefusal ? { refusal: text } : { logprobs: [...logprobs], text };
      const events = [
        ...annotations.map((annotation, at) =>
          event("output_text.annotation.added", { ...place, annotation, annotation_index: at }),
        ),
        event(`${PART[kind]}.done`, { ...place, ...done }),
        event("content_part.done", { ...place, part: part(annotations) }),
      ];
      return { events, item: message(status, [part(annotations)]) };
    },
  };
}

const PART = { refusal: "refusal", text: "output_text" } as const;

function annotationsIn(
  text: string,
  pages: Parameters<typeof citationsIn>[1],
): readonly JsonObject[] {
  return citationsIn(text, pages).map(({ page, start, end }) => ({
    type: "url_citation",
    end_index: end,
    start_index: start,
    title: page.title,
    url: page.url,
  }));
}
