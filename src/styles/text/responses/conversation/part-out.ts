import type { Block, BlockKinds, MediaBlock } from "#core/chat.ts";
import { refuse, type LossReport } from "#core/lossy.ts";
import type { ModelTraits } from "#core/model.ts";
import { isObject, type JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { AS_READ, blockWriter, LOST_CACHE } from "#styles/text/block-table.ts";
import type { MemberTable } from "#styles/text/member-table.ts";
import { dataUrl, formatOf, isMedia, isSameMedia } from "#styles/text/media.ts";
import { lifeOf, withBreakpoint, type BreakpointPlan } from "#styles/text/prompt-cache.ts";
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

/** Breakpoints have their place in the input only. */
const CACHE = {
  ...LOST_CACHE,
  unless: (_: unknown, block: Block, { marks }: Place): boolean => marks.has(block),
};

const MEDIA_MEMBERS: MemberTable<MediaBlock, Place> = {
  cache: CACHE,
  source: "written",
  mediaType: "written",
  filename: "written",
  detail: "written",
  transcript: { unreported: "the sound itself is sent" },
  extra: AS_READ,
};

/** The losses of members are reported by message, before its items are written. */
export const MEMBERS = {
  text: { cache: CACHE, citations: { lost: "citations" }, text: "written", extra: AS_READ },
  refusal: { cache: CACHE, text: "written", extra: AS_READ },
  reasoning: { cache: CACHE, text: "written", signature: "written", extra: AS_READ },
  tool_call: {
    cache: CACHE,
    id: "written",
    name: "written",
    arguments: "written",
    kind: "written",
    signature: { unreported: "a call is the same without its proof" },
    extra: AS_READ,
  },
  tool_result: {
    cache: CACHE,
    // A mark inside it stands for one at its end.
    blocks: {
      ...LOST_CACHE,
      unless: (_, block, { marks }) => lifeOf(block) === undefined || marks.has(block),
    },
    callId: "written",
    name: { unreported: "the call has the name" },
    isError: "written",
    extra: AS_READ,
  },
  image: MEDIA_MEMBERS,
  audio: MEDIA_MEMBERS,
  video: MEDIA_MEMBERS,
  file: MEDIA_MEMBERS,
  other: { cache: CACHE, style: "written", data: "written", extra: AS_READ },
} satisfies { readonly [Kind in keyof BlockKinds]: MemberTable<BlockKinds[Kind], Place> };

type Words = Extract<Block, { type: "text" | "refusal" }>;
const WORDS = (block: Words, { marks }: Place): JsonObject =>
  withBreakpoint({ type: "input_text", text: block.text }, marks.get(block));
const MEDIA = (block: MediaBlock, at: Place): JsonObject =>
  withBreakpoint(buildMedia(block, at), at.marks.get(block));
/** Items of their own, see `buildItems`. */
const NO_PART = (): undefined => undefined;

/** Blocks of users and of tools. */
const PARTS = blockWriter<Place, JsonObject>({
  text: { members: MEMBERS.text, build: WORDS },
  refusal: { members: MEMBERS.refusal, build: WORDS },
  reasoning: { members: MEMBERS.reasoning, build: NO_PART },
  tool_call: { members: MEMBERS.tool_call, build: NO_PART },
  tool_result: { members: MEMBERS.tool_result, build: NO_PART },
  image: { members: MEDIA_MEMBERS, build: MEDIA },
  audio: { members: MEDIA_MEMBERS, build: MEDIA },
  video: { members: MEDIA_MEMBERS, build: MEDIA },
  file: { members: MEDIA_MEMBERS, build: MEDIA },
  other: {
    members: MEMBERS.other,
    fits: ({ style }) => style === RESPONSES,
    build: ({ data }) => data,
  },
});

/** Reports the losses of blocks that have a place. */
export const reportMembers = PARTS.reportMembers;

/** One part of what is said to a model or returned to it; `undefined` for what has no place there. */
export function buildPart(block: Block, at: Place): JsonObject | undefined {
  const written = block.extra?.[RESPONSES]?.["part"];
  if (isObject(written) && saysSame(block, understand(written))) return written;
  return PARTS.hasPlace(block, at) ? PARTS.build(block, at) : undefined;
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
    throw refuse(at.path, "it refers to a file that another vendor stores.");
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
        throw refuse(at.path, "this model does not accept audio.");
      }
      return {
        type: "input_audio",
        input_audio: defined({ data: source.base64, format: formatOf(block.mediaType) }),
      };
    case "video":
      throw refuse(at.path, "the responses style does not support video.");
  }
}
