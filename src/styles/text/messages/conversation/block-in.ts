import type { Block, ReasoningBlock, TextBlock, ToolResultBlock } from "#core/chat.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { argumentsOf, defined, flagOf, listOf, textOf } from "#lib/values.ts";
import { readMark } from "./cache.ts";
import { parseCitation } from "./citation.ts";
import { parseDocument, parseImage } from "./media-in.ts";
import { readProof, readRedacted } from "./proof.ts";
import { MESSAGES } from "../raw-fields.ts";

/** A plain string stands for one block of text. */
export function parseContent(content: Json | undefined): readonly Block[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return listOf(content).filter(isObject).map(parseBlock);
}

/**
 * A block of a type that is not known here stays as it is, and what was
 * written stays beside what was understood, for the way back.
 */
function parseBlock(wire: JsonObject): Block {
  const block = understand(wire);
  if (block === undefined) return { type: "other", style: MESSAGES, data: wire };
  const isPlain = wire["type"] === "text" && Object.keys(wire).length === 2;
  if (isPlain) return block;
  return {
    ...block,
    ...defined({ cache: readMark(wire["cache_control"]) }),
    extra: { [MESSAGES]: { block: wire } },
  };
}

export function understand(wire: JsonObject): Block | undefined {
  switch (wire["type"]) {
    case "text":
      return parseText(wire);
    case "image":
      return parseImage(wire);
    case "document":
      return parseDocument(wire);
    case "search_result":
      return parseSearchResult(wire);
    case "tool_use":
      return {
        type: "tool_call",
        id: textOf(wire["id"]) ?? "",
        name: textOf(wire["name"]) ?? "",
        arguments: argumentsOf(wire["input"] ?? {}),
        kind: "function",
      };
    case "tool_result":
      return parseResult(wire);
    case "thinking":
      return parseThinking(wire);
    case "redacted_thinking":
      return { type: "reasoning", text: "", signature: readRedacted(wire["data"]) };
    default:
      return undefined;
  }
}

function parseText(wire: JsonObject): TextBlock {
  const citations = listOf(wire["citations"])
    .map(parseCitation)
    .filter((one) => one !== undefined);
  return {
    type: "text",
    text: textOf(wire["text"]) ?? "",
    ...(citations.length === 0 ? {} : { citations }),
  };
}

/** What the caller's own search found: other styles know it as text only. */
function parseSearchResult(wire: JsonObject): TextBlock {
  const parts = listOf(wire["content"]).filter(isObject);
  const lines = [wire["title"], wire["source"], ...parts.map((part) => part["text"])];
  const text = lines.map(textOf).filter((line) => line !== undefined);
  return { type: "text", text: text.join("\n") };
}

function parseResult(wire: JsonObject): ToolResultBlock {
  const { content } = wire;
  const blocks = isArray(content) || typeof content === "string" ? parseContent(content) : [];
  return {
    type: "tool_result",
    callId: textOf(wire["tool_use_id"]) ?? "",
    blocks,
    ...defined({ isError: flagOf(wire["is_error"]) }),
  };
}

function parseThinking(wire: JsonObject): ReasoningBlock {
  return {
    type: "reasoning",
    text: textOf(wire["thinking"]) ?? "",
    ...defined({ signature: readProof(wire["signature"]) }),
  };
}
