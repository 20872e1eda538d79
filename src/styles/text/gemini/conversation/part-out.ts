import type {
  Block,
  MediaBlock,
  ReasoningBlock,
  ToolCallBlock,
  ToolResultBlock,
} from "#core/chat.ts";
import type { LossReport } from "#core/lossy.ts";
import { parseExactJson } from "#lib/exact-number.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import {
  AS_READ,
  blockWriter,
  BY_KIND,
  LOST_CACHE,
  LOST_DETAIL,
  type WrittenBlock,
} from "#styles/text/block-table.ts";
import { isMedia, isSameMedia } from "#styles/text/media.ts";
import { CallBook } from "./call-book.ts";
import { buildMedia } from "./media-out.ts";
import { signatureIn, understand } from "./part-in.ts";
import { GEMINI } from "../raw-fields.ts";
import { writeToolName } from "./tool-name.ts";

/** Where a block stands, for reports. */
export interface Place {
  readonly path: string;
  readonly report: LossReport;
  /** The block is part of an answer of the model. */
  readonly isModels?: boolean;
  /** The model wants results to name their calls by id. */
  readonly namesCalls?: boolean;
}

export function partsOf(blocks: readonly Block[], at: Place): readonly JsonObject[] {
  return blocks
    .map((block) => writtenPart(block) ?? PARTS.write(block, at))
    .filter((part) => part !== undefined);
}

/** A block as its caller wrote it in this style, where it still says the same. */
function writtenPart(block: Block): JsonObject | undefined {
  if (block.type === "other") return block.style === GEMINI ? block.data : undefined;
  const part = block.extra?.[GEMINI]?.["part"];
  if (!isObject(part) || !saysSame(block, understand(part, new CallBook()))) return undefined;
  // Another style's proof was only lent to the caller, and this vendor would refuse it.
  const { thoughtSignature: _, ...rest } = part;
  const issued = signatureIn(part)?.issuer === GEMINI ? part : rest;
  return { ...issued, ...proofOf(block) };
}

/** A model's speech may be stored at its own vendor only: it is no part of the question. */
function isOutOfReach({ source }: MediaBlock, { isModels }: Place): boolean {
  return isModels === true && source.kind === "reference";
}

/** A block that is left out has one name in the report. */
const unlessLeftOut = (_: unknown, block: MediaBlock, at: Place): boolean =>
  isOutOfReach(block, at);

const MEDIA: WrittenBlock<MediaBlock, Place, JsonObject> = {
  members: {
    cache: { ...LOST_CACHE, unless: unlessLeftOut },
    detail: {
      ...LOST_DETAIL,
      unless: (detail, block, at) => LOST_DETAIL.unless(detail) || isOutOfReach(block, at),
    },
    filename: { lost: "messages.filename", isPlaced: true, unless: unlessLeftOut },
    source: "written",
    mediaType: "written",
    transcript: { unreported: "the sound itself is sent" },
    extra: AS_READ,
  },
  fits: (block, at) => !isOutOfReach(block, at),
  build: (block, { path }) => buildMedia(block, path),
};

const OTHER = { cache: LOST_CACHE, style: "written", data: "written", extra: AS_READ } as const;

/** Rows for the blocks that a caller of another style wrote. */
const PARTS = blockWriter<Place, JsonObject>({
  text: {
    members: {
      cache: LOST_CACHE,
      citations: { lost: "citations" },
      text: "written",
      extra: AS_READ,
    },
    build: ({ text }) => textPart(text),
  },
  refusal: {
    members: { cache: LOST_CACHE, text: "written", extra: AS_READ },
    build: ({ text }) => textPart(text),
  },
  reasoning: {
    members: { cache: LOST_CACHE, text: "written", signature: "written", extra: AS_READ },
    // Only with proof of this vendor's is thinking worth its place: others' it cannot check.
    fits: (block) => issuedHere(block) !== undefined,
    build: reasoningPart,
  },
  tool_call: {
    members: {
      cache: LOST_CACHE,
      id: { unreported: "results find their calls by name and order, if not by id" },
      name: "written",
      arguments: "written",
      kind: "written",
      signature: { unreported: "a call is the same without its proof" },
      extra: AS_READ,
    },
    build: buildCall,
  },
  // Results of calls are written apart: this result answers no call.
  tool_result: {
    members: {
      cache: LOST_CACHE,
      callId: { lost: "messages.tool_call_id", isPlaced: true },
      name: "written",
      blocks: "written",
      isError: { unreported: "the call is reported" },
      extra: AS_READ,
    },
    build: (block) => textPart(strayResult(block)),
  },
  image: MEDIA,
  audio: MEDIA,
  video: MEDIA,
  file: MEDIA,
  other: { lost: BY_KIND, members: OTHER },
});

/** Empty texts are refused. */
function textPart(text: string): JsonObject | undefined {
  return text === "" ? undefined : { text };
}

/** Rows for the blocks of a result. Its words are one text. */
const RESULT_PARTS = blockWriter<Place, JsonObject>({
  text: {
    members: {
      cache: LOST_CACHE,
      citations: { unreported: "sources of a tool's own words are part of them" },
      text: "written",
      extra: AS_READ,
    },
    build: () => undefined,
  },
  refusal: {
    members: { cache: LOST_CACHE, text: "written", extra: AS_READ },
    build: () => undefined,
  },
  reasoning: {
    members: {
      cache: LOST_CACHE,
      text: "written",
      signature: { unreported: "a tool's words prove nothing" },
      extra: AS_READ,
    },
    build: () => undefined,
  },
  tool_call: { elsewhere: "results hold no calls" },
  tool_result: { elsewhere: "results hold no results" },
  image: MEDIA,
  audio: MEDIA,
  video: MEDIA,
  file: MEDIA,
  other: { lost: "messages.tool_result", members: OTHER },
});

/** The media of a result. */
export function mediaIn({ blocks }: ToolResultBlock, at: Place): readonly JsonObject[] {
  return blocks.map((block) => RESULT_PARTS.write(block, at)).filter((part) => part !== undefined);
}

export function textIn({ blocks }: ToolResultBlock): string {
  return blocks.flatMap((block) => ("text" in block ? [block.text] : [])).join("\n");
}

/** An answer to a call that nobody made is told as what it is. */
function strayResult(result: ToolResultBlock): string {
  const name = result.name === undefined ? "" : ` of ${result.name}`;
  return `Result${name}: ${textIn(result)}`;
}

function buildCall(block: ToolCallBlock, { namesCalls }: Place): JsonObject {
  const name = writeToolName(block.name, block.kind);
  const id = namesCalls === true ? { id: block.id } : {};
  return { functionCall: { ...id, name, args: argumentsOf(block) }, ...proofOf(block) };
}

/** Always an object, whatever the model wrote. */
export function argumentsOf(call: Pick<ToolCallBlock, "kind" | "arguments">): JsonObject {
  if (call.kind === "custom") return { input: call.arguments };
  if (call.arguments.trim() === "") return {};
  const json: Json | undefined = parseExactJson(call.arguments);
  if (isObject(json)) return json;
  if (json === null) return {};
  return json === undefined ? { _raw: call.arguments } : { value: json };
}

function reasoningPart(block: ReasoningBlock): JsonObject {
  const { text } = block;
  return { text, ...(text === "" ? {} : { thought: true }), ...proofOf(block) };
}

function proofOf(block: Block): JsonObject {
  return defined({ thoughtSignature: issuedHere(block) });
}

function issuedHere(block: Block): string | undefined {
  const signature = "signature" in block ? block.signature : undefined;
  return signature?.issuer === GEMINI ? signature.value : undefined;
}

/** A block may have been changed since it was read, a link exchanged for its content for example. */
function saysSame(block: Block, read: Block | undefined): boolean {
  if (read === undefined) return false;
  if (isMedia(block) && isMedia(read)) return isSameMedia(block, read);
  if (block.type === "tool_call" && read.type === "tool_call") {
    return block.name === read.name && block.arguments === read.arguments;
  }
  if (block.type === "tool_result" && read.type === "tool_result") {
    return textIn(block) === textIn(read) && block.blocks.length === read.blocks.length;
  }
  return block.type === read.type && "text" in block && "text" in read && block.text === read.text;
}
