import type { Block, MediaBlock, Message } from "#core/chat.ts";
import { refuse, type LossReport } from "#core/lossy.ts";
import { isObject, type JsonObject } from "#lib/json.ts";
import type { ChatDialect } from "../request/dialect.ts";
import { AS_READ, blockWriter, LOST_CACHE, type WrittenBlock } from "#styles/text/block-table.ts";
import { withBreakpoint, type BreakpointPlan } from "#styles/text/prompt-cache.ts";
import { understand } from "./part-in.ts";
import { dataUrl, formatOf, isMedia, isSameMedia } from "#styles/text/media.ts";
import { CHAT, isOwn } from "../raw-fields.ts";
import { defined } from "#lib/values.ts";

/** Where a block stands, for reports. */
export interface Place {
  readonly path: string;
  readonly message: Message;
  readonly dialect: ChatDialect;
  readonly report: LossReport;
  /** The texts become one, without marks and citations. */
  readonly isPlain?: true;
  /** Blocks up to which the prompt is cached. */
  readonly marks: BreakpointPlan["marks"];
}

/** Callers of this style keep their breakpoints. */
const CACHE = {
  ...LOST_CACHE,
  unless: (_: unknown, block: Block, { marks, message }: Place): boolean =>
    marks.has(block) || isOwn(message),
};

const MEDIA: WrittenBlock<MediaBlock, Place, JsonObject> = {
  members: {
    cache: CACHE,
    source: "written",
    mediaType: "written",
    filename: "written",
    detail: "written",
    transcript: { unreported: "the sound itself is sent" },
    extra: AS_READ,
  },
  // In this style assistants only speak, but at some vendors they draw.
  fits: ({ type }, { message, dialect }) =>
    message.role !== "assistant" ||
    isOwn(message) ||
    (type === "image" && dialect.pictures === true),
  build: (block, at) => withBreakpoint(buildMedia(block, at), at.marks.get(block)),
};

const PARTS = blockWriter<Place, JsonObject>({
  text: {
    members: {
      cache: CACHE,
      citations: {
        lost: "citations",
        unless: (_, __, { message, isPlain }) => isPlain !== true || isOwn(message),
      },
      text: "written",
      extra: AS_READ,
    },
    build: (block, { marks }) =>
      withBreakpoint({ type: "text", text: block.text }, marks.get(block)),
  },
  refusal: {
    members: { cache: CACHE, text: "written", extra: AS_READ },
    build: ({ text }) => ({ type: "refusal", refusal: text }),
  },
  reasoning: {
    members: { cache: CACHE, text: "written", signature: "written", extra: AS_READ },
    // It has a member of its own, see `reasoningBack`.
    build: () => undefined,
  },
  tool_call: {
    members: {
      cache: CACHE,
      id: "written",
      name: "written",
      arguments: "written",
      kind: "written",
      signature: "written",
      extra: AS_READ,
    },
    // It has a member of its own, see `buildCall`.
    build: () => undefined,
  },
  tool_result: { elsewhere: "results are messages of their own" },
  image: MEDIA,
  audio: MEDIA,
  video: MEDIA,
  file: MEDIA,
  other: {
    members: { cache: CACHE, style: "written", data: "written", extra: AS_READ },
    // What another style's server did or showed has no place here.
    fits: ({ style }) => style === CHAT,
    build: ({ data }) => data,
  },
});

/** Reports a block that has no place in the content. */
export const hasPlace = PARTS.hasPlace;

/** One part of a message's content; `undefined` for what has no place there. */
export function buildPart(block: Block, at: Place): JsonObject | undefined {
  return partAsWritten(block) ?? PARTS.write(block, at);
}

/** Reports the losses of blocks that become one text. */
export function reportPlain(blocks: readonly Block[], at: Place): void {
  if (!isOwn(at.message)) PARTS.reportMembers(blocks, { ...at, isPlain: true });
}

function partAsWritten(block: Block): JsonObject | undefined {
  const written = block.extra?.[CHAT]?.["part"];
  return isObject(written) && saysSame(block, understand(written)) ? written : undefined;
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
  return refuse(at.path, "it refers to a file that another vendor stores.");
}
