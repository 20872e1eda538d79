import type { Block, ToolCallBlock, ToolResultBlock } from "#core/chat.ts";
import type { LossReport } from "#core/lossy.ts";
import { parseExactJson } from "#lib/exact-number.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, textOf } from "#lib/values.ts";
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
  /** The model wants results to name their calls by id. */
  readonly namesCalls?: boolean;
}

export function partsOf(blocks: readonly Block[], at: Place): readonly JsonObject[] {
  return blocks
    .map((block) => writtenPart(block) ?? buildPart(block, at))
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

/** One part of another style's content; `undefined` for what has no place there. */
function buildPart(block: Block, at: Place): JsonObject | undefined {
  if (block.cache !== undefined) at.report.lose("cache_control");
  switch (block.type) {
    case "text":
      if (block.citations !== undefined) at.report.lose("citations");
      return textPart(block.text);
    case "refusal":
      return textPart(block.text);
    case "reasoning":
      return reasoningPart(block, at);
    case "image":
    case "audio":
    case "video":
    case "file":
      return buildMedia(block, at.path, at.report);
    case "tool_call":
      return buildCall(block, at);
    case "tool_result":
      at.report.lose("messages.tool_call_id", block);
      return textPart(strayResult(block));
    case "other":
      at.report.lose(`messages.${textOf(block.data["type"]) ?? "content"}`, block);
      return undefined;
  }
}

/** Empty texts are refused. */
function textPart(text: string): JsonObject | undefined {
  return text === "" ? undefined : { text };
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

/** Only with proof of this vendor's is thinking worth its place: others' it cannot check. */
function reasoningPart(
  block: Extract<Block, { type: "reasoning" }>,
  { report }: Place,
): JsonObject | undefined {
  const proof = proofOf(block);
  if (Object.keys(proof).length === 0) {
    report.lose("reasoning");
    return undefined;
  }
  return { text: block.text, ...(block.text === "" ? {} : { thought: true }), ...proof };
}

function proofOf(block: Block): JsonObject {
  const signature = "signature" in block ? block.signature : undefined;
  return defined({
    thoughtSignature: signature?.issuer === GEMINI ? signature.value : undefined,
  });
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
