import type { Block, MediaBlock } from "#core/chat.ts";
import { refuse, type LossReport } from "#core/lossy.ts";
import type { ModelTraits } from "#core/model.ts";
import { isObject, type JsonObject } from "#lib/json.ts";
import { defined, textOf } from "#lib/values.ts";
import { dataUrl, formatOf, isMedia, isSameMedia } from "#styles/text/media.ts";
import { withBreakpoint, type BreakpointPlan } from "#styles/text/prompt-cache.ts";
import { understand } from "./part-in.ts";
import { RESPONSES } from "../raw-fields.ts";

/** Where a block stands, and whom it is written for. */
export interface Place {
  readonly path: string;
  readonly report: LossReport;
  readonly model: ModelTraits;
  /** Blocks up to which the prompt is cached. */
  readonly marks: BreakpointPlan["marks"];
}

/** One part of what is said to a model or returned to it; `undefined` for what has no place there. */
export function buildPart(block: Block, at: Place): JsonObject | undefined {
  const written = block.extra?.[RESPONSES]?.["part"];
  if (isObject(written) && saysSame(block, understand(written))) return written;
  switch (block.type) {
    case "text":
    case "refusal":
      return withBreakpoint({ type: "input_text", text: block.text }, at.marks.get(block));
    case "image":
    case "audio":
    case "video":
    case "file":
      return withBreakpoint(buildMedia(block, at), at.marks.get(block));
    case "other":
      if (block.style === RESPONSES) return block.data;
      at.report.lose(`messages.${textOf(block.data["type"]) ?? "content"}`, block);
      return undefined;
    case "reasoning":
    case "tool_call":
    case "tool_result":
      return undefined;
  }
}

/** One part of what a model said. */
export function buildSaid(block: Block): JsonObject {
  if (block.type === "other") return block.data;
  const written = block.extra?.[RESPONSES]?.["part"];
  if (isObject(written) && saysSame(block, understand(written))) return written;
  const text = textIn(block);
  return block.type === "refusal"
    ? { type: "refusal", refusal: text }
    : { type: "output_text", text, annotations: [] };
}

export function textIn(block: Block): string {
  return "text" in block ? block.text : "";
}

/** A block may have been changed since it was read, a link exchanged for its content for example. */
function saysSame(block: Block, read: Block | undefined): boolean {
  if (read === undefined || block.type !== read.type) return false;
  if (isMedia(block) && isMedia(read)) return isSameMedia(block, read);
  return textIn(block) === textIn(read);
}

function buildMedia(block: MediaBlock, at: Place): JsonObject {
  const { source } = block;
  if (source.kind === "reference") {
    throw refuse(at.path, "it refers to something that only another vendor holds.");
  }
  switch (block.type) {
    case "image":
      return {
        type: "input_image",
        image_url: source.kind === "url" ? source.url : dataUrl(block, source.base64),
        detail: block.detail ?? "auto",
      };
    case "file":
      return source.kind === "url"
        ? { type: "input_file", file_url: source.url }
        : {
            type: "input_file",
            filename: block.filename ?? "file",
            file_data: dataUrl(block, source.base64),
          };
    case "audio":
      if (source.kind === "url") throw refuse(at.path, "audio can only be sent as data.");
      if (at.model.input?.includes("audio") === false) {
        throw refuse(at.path, "this model does not listen to audio.");
      }
      return {
        type: "input_audio",
        input_audio: defined({ data: source.base64, format: formatOf(block.mediaType) }),
      };
    case "video":
      throw refuse(at.path, "there is no video in the responses style.");
  }
}
