import type { Block, TextBlock, ToolCallBlock, ToolResultBlock } from "#core/chat.ts";
import type { LossReport } from "#core/lossy.ts";
import { isObject, type JsonObject } from "#lib/json.ts";
import { defined, objectOf, textOf } from "#lib/values.ts";
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
  const built = build(block, at);
  // Thinking takes no mark.
  if (built === undefined || block.cache === undefined || block.type === "reasoning") return built;
  return { ...built, cache_control: buildMark(block.cache) };
}

/** A foreign proof would be refused, and so would a name that this style does not know. */
function mayGoBack(block: Block): boolean {
  if (block.type === "reasoning") return isGenuine(block);
  return block.type !== "tool_call" || writeToolName(block.name, block.kind) === block.name;
}

function build(block: Block, at: Place): JsonObject | undefined {
  switch (block.type) {
    case "text":
      return buildText(block, at);
    case "refusal":
      return { type: "text", text: block.text };
    case "reasoning":
      if (at.role === "assistant" && isGenuine(block)) {
        return buildReasoning(block.text, block.signature);
      }
      at.report.lose("reasoning");
      return undefined;
    case "tool_call":
      return buildCall(block);
    case "tool_result":
      return buildResult(block, at);
    case "image":
    case "audio":
    case "video":
    case "file":
      if (at.role === "user") return buildMedia(block, at.path, at.report);
      if (block.transcript !== undefined) return { type: "text", text: block.transcript };
      // Here assistants only speak; what another's showed is left out.
      at.report.lose(`messages.${block.type}`, block);
      return undefined;
    case "other":
      if (block.style === MESSAGES) return objectOf(adaptBlock(block.data));
      at.report.lose(`messages.${textOf(block.data["type"]) ?? "content"}`, block);
      return undefined;
  }
}

/** A citation holds what only its vendor can read; without that it is refused. */
function buildText(block: TextBlock, { report }: Place): JsonObject {
  const citations = (block.citations ?? []).map(writtenCitation);
  const known = citations.filter((one) => one !== undefined);
  if (known.length < citations.length) report.lose("citations");
  return {
    type: "text",
    text: block.text,
    ...(known.length === 0 ? {} : { citations: known }),
  };
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
