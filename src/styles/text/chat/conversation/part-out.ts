import type { Block, MediaBlock, Message } from "#core/chat.ts";
import { refuse, type LossReport } from "#core/lossy.ts";
import { isObject, type JsonObject } from "#lib/json.ts";
import type { ChatDialect } from "../request/dialect.ts";
import { withBreakpoint, type BreakpointPlan } from "#styles/text/prompt-cache.ts";
import { understand } from "./part-in.ts";
import { dataUrl, formatOf, isMedia, isSameMedia } from "#styles/text/media.ts";
import { CHAT, isOwn } from "../raw-fields.ts";
import { defined, textOf } from "#lib/values.ts";

/** Where a block stands, for reports. */
export interface Place {
  readonly path: string;
  readonly message: Message;
  readonly dialect: ChatDialect;
  readonly report: LossReport;
  /** Blocks up to which the prompt is cached. */
  readonly marks: BreakpointPlan["marks"];
}

/** One part of a message's content; `undefined` for what has no place there. */
export function buildPart(block: Block, at: Place): JsonObject | undefined {
  const written = block.extra?.[CHAT]?.["part"];
  if (isObject(written) && saysSame(block, understand(written))) return written;

  const life = at.marks.get(block);
  if (block.cache !== undefined && life === undefined && !isOwn(at.message)) {
    at.report.lose("cache_control");
  }
  switch (block.type) {
    case "text":
      return withBreakpoint({ type: "text", text: block.text }, life);
    case "refusal":
      return { type: "refusal", refusal: block.text };
    case "image":
    case "audio":
    case "video":
    case "file":
      return withBreakpoint(buildMedia(block, at), life);
    case "other":
      if (block.style === CHAT) return block.data;
      at.report.lose(`messages.${textOf(block.data["type"]) ?? "content"}`, block);
      return undefined;
    case "reasoning":
    case "tool_call":
    case "tool_result":
      return undefined;
  }
}

/** A block may have been changed since it was read, a link exchanged for its content for example. */
function saysSame(block: Block, read: Block | undefined): boolean {
  if (read === undefined || block.type !== read.type) return false;
  if (isMedia(block) && isMedia(read)) return isSameMedia(block, read);
  return "text" in block && "text" in read && block.text === read.text;
}

function buildMedia(block: MediaBlock, at: Place): JsonObject {
  switch (block.type) {
    case "image":
      return {
        type: "image_url",
        image_url: defined({ url: linkOf(block, at), detail: block.detail }),
      };
    case "video":
      return { type: "video_url", video_url: { url: linkOf(block, at) } };
    case "audio":
      return { type: "input_audio", input_audio: soundOf(block, at) };
    case "file":
      return { type: "file", file: fileOf(block, at) };
  }
}

function linkOf(block: MediaBlock, at: Place): string {
  switch (block.source.kind) {
    case "url":
      return block.source.url;
    case "data":
      return dataUrl(block, block.source.base64);
    case "reference":
      throw unreachable(at);
  }
}

function soundOf(block: MediaBlock, at: Place): JsonObject {
  const format = formatOf(block.mediaType);
  if (block.source.kind === "reference") throw unreachable(at);
  if (block.source.kind === "url") throw refuse(at.path, "audio can only be sent as data.");
  return defined({ data: block.source.base64, format });
}

function fileOf(block: MediaBlock, at: Place): JsonObject {
  const { filename, source } = block;
  if (source.kind === "reference") throw unreachable(at);
  if (source.kind === "url") throw refuse(at.path, "a file can only be sent as data.");
  return defined({ filename, file_data: dataUrl(block, source.base64) });
}

function unreachable(at: Place): Error {
  return refuse(at.path, "it refers to something that only another vendor holds.");
}
