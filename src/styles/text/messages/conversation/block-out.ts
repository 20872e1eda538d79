import type { Block, MediaBlock, TextBlock, ToolCallBlock, ToolResultBlock } from "#core/chat.ts";
import type { LossReport } from "#core/lossy.ts";
import { isObject, type JsonObject } from "#lib/json.ts";
import { defined, objectOf } from "#lib/values.ts";
import { AS_READ, blockWriter, LOST_DETAIL, type WrittenBlock } from "#styles/text/block-table.ts";
import { understand } from "./block-in.ts";
import { adaptBlock, buildMark } from "./cache.ts";
import { inputOf } from "./call-input.ts";
import { withVendorCitations, writtenCitation } from "./citation.ts";
import { buildMedia } from "./media-out.ts";
import { buildReasoning, isGenuine } from "./proof.ts";
import { saysSame } from "./says-same.ts";
import { MESSAGES } from "../raw-fields.ts";
import { writeToolName } from "./tool-name.ts";
import { isBlank } from "./turn.ts";

/** Where a block stands. */
export interface Place {
  /** For a refusal, as the caller would write it. */
  readonly path: string;
  readonly role: "system" | "user" | "assistant";
  readonly report: LossReport;
}

/** One block of an upstream's request; `undefined` for what has no place there. */
export function buildBlock(block: Block, at: Place): JsonObject | undefined {
  const written = block.extra?.[MESSAGES]?.["block"];
  if (isObject(written) && mayGoBack(block) && saysSame(block, understand(written))) {
    const own = withVendorCitations(written);
    if (own !== written) at.report.lose("citations");
    return objectOf(adaptBlock(own));
  }
  const built = BLOCKS.write(block, at);
  // Thinking takes no mark.
  if (built === undefined || block.cache === undefined || block.type === "reasoning") return built;
  return { ...built, cache_control: buildMark(block.cache) };
}

/** A foreign proof would be refused, and so would a name that this style does not know. */
function mayGoBack(block: Block): boolean {
  if (block.type === "reasoning") return isGenuine(block);
  return block.type !== "tool_call" || writeToolName(block.name, block.kind) === block.name;
}

const MEDIA: WrittenBlock<MediaBlock, Place, JsonObject> = {
  members: {
    detail: {
      ...LOST_DETAIL,
      unless: (detail, _, { role }) => LOST_DETAIL.unless(detail) || role !== "user",
    },
    cache: "written",
    source: "written",
    mediaType: "written",
    filename: "written",
    transcript: "written",
    extra: AS_READ,
  },
  // Here assistants only speak; what another's showed is left out.
  fits: ({ transcript }, { role }) => role === "user" || transcript !== undefined,
  build: (block, { role, path }) =>
    role === "user" ? buildMedia(block, path) : { type: "text", text: block.transcript ?? "" },
};

const BLOCKS = blockWriter<Place, JsonObject>({
  text: {
    members: {
      // A citation holds what only its vendor can read; without that it is refused.
      citations: {
        lost: "citations",
        unless: (citations) => citations.every((one) => writtenCitation(one) !== undefined),
      },
      text: "written",
      cache: "written",
      extra: AS_READ,
    },
    build: buildText,
  },
  refusal: {
    members: { text: "written", cache: "written", extra: AS_READ },
    build: ({ text }) => ({ type: "text", text }),
  },
  reasoning: {
    members: {
      text: "written",
      signature: "written",
      cache: { unreported: "thinking takes no mark" },
      extra: AS_READ,
    },
    fits: (block, { role }) => role === "assistant" && isGenuine(block),
    build: (block) => (isGenuine(block) ? buildReasoning(block.text, block.signature) : undefined),
  },
  tool_call: {
    members: {
      id: "written",
      name: "written",
      arguments: "written",
      kind: "written",
      signature: { unreported: "a call is the same without its proof" },
      cache: "written",
      extra: AS_READ,
    },
    build: buildCall,
  },
  tool_result: {
    members: {
      callId: "written",
      name: { unreported: "the call has the name" },
      blocks: "written",
      isError: "written",
      cache: "written",
      extra: AS_READ,
    },
    build: buildResult,
  },
  image: MEDIA,
  audio: MEDIA,
  video: MEDIA,
  file: MEDIA,
  other: {
    members: { style: "written", data: "written", cache: "written", extra: AS_READ },
    fits: ({ style }) => style === MESSAGES,
    build: ({ data }) => objectOf(adaptBlock(data)),
  },
});

function buildText({ text, citations = [] }: TextBlock): JsonObject {
  const known = citations.map(writtenCitation).filter((one) => one !== undefined);
  return { type: "text", text, ...(known.length === 0 ? {} : { citations: known }) };
}

function buildCall({ id, name, kind, arguments: args }: ToolCallBlock): JsonObject {
  return {
    type: "tool_use",
    id,
    name: writeToolName(name, kind),
    input: inputOf(args, kind),
  };
}

/** A mark inside it stands for one at its end: there are few, and that is where they are counted. */
function buildResult({ callId, blocks, isError }: ToolResultBlock, at: Place): JsonObject {
  const content = blocks
    .filter((block) => !isBlank(block))
    .map((block) => buildBlock(unmarked(block), { ...at, role: "user" }))
    .filter((block) => block !== undefined);
  const [first] = content;
  const isPlain = content.length === 1 && first?.["type"] === "text" && isBare(first);
  const mark = blocks.findLast(({ cache }) => cache !== undefined)?.cache;
  return {
    type: "tool_result",
    tool_use_id: callId,
    ...defined({
      content: content.length === 0 ? undefined : isPlain ? first["text"] : content,
      is_error: isError === true ? true : undefined,
      cache_control: mark === undefined ? undefined : buildMark(mark),
    }),
  };
}

function unmarked(block: Block): Block {
  const { cache: _, ...rest } = block;
  return rest;
}

/** Nothing but its text. */
export function isBare(block: JsonObject): boolean {
  return Object.keys(block).length === 2;
}
