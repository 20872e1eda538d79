import type { Block, ChatEvent, ChatRequest, MediaBlock, Message, OpenBlock } from "#core/chat.ts";
import { parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";

/** A conversation in the form of OpenTelemetry's conventions for generative AI. */
interface DescribedMessages {
  readonly instructions: readonly JsonObject[];
  readonly input: readonly JsonObject[];
  readonly tools: readonly JsonObject[];
}

/** `hasInstructions`: the first message is no part of the conversation in the client's format. */
export function describeMessages(
  { messages, tools = [] }: ChatRequest,
  hasInstructions: boolean,
): DescribedMessages {
  const [first, ...others] = messages;
  const isApart = hasInstructions && first?.role === "system";
  return {
    instructions: isApart ? first.blocks.map(describeBlock) : [],
    input: (isApart ? others : messages).map(describeMessage),
    tools: tools.map(({ kind: type, name, description, parameters }) =>
      defined({ type, name, description, parameters }),
    ),
  };
}

function describeMessage({ role, name, blocks }: Message): JsonObject {
  return { role, ...defined({ name }), parts: blocks.map(describeBlock) };
}

function describeBlock(block: Block): JsonObject {
  switch (block.type) {
    case "text":
    case "refusal":
      return { type: "text", content: block.text };
    case "reasoning":
      return { type: "reasoning", content: block.text };
    case "tool_call":
      return {
        type: "tool_call",
        id: block.id,
        name: block.name,
        arguments: parseJson(block.arguments) ?? block.arguments,
      };
    case "tool_result":
      return {
        type: "tool_call_response",
        id: block.callId,
        response: describeResult(block.blocks),
      };
    case "other":
      return { type: "other", content: block.data };
    default:
      return describeMedia(block);
  }
}

function describeResult(blocks: readonly Block[]): Json {
  const [only, ...others] = blocks;
  return only?.type === "text" && others.length === 0 ? only.text : blocks.map(describeBlock);
}

function describeMedia({ type, source, mediaType }: MediaBlock): JsonObject {
  const medium = {
    modality: type === "file" ? "document" : type,
    ...defined({ mime_type: mediaType }),
  };
  switch (source.kind) {
    case "url":
      return { type: "uri", ...medium, uri: source.url };
    case "data":
      return { type: "blob", ...medium, content: String(source.base64) };
    case "reference":
      return { type: "file", ...medium, file_id: source.id };
  }
}

/** One message for each choice of an answer. */
export function describeChoices(events: readonly ChatEvent[]): readonly JsonObject[] {
  const choices = new Map<number, Choice>();
  for (const event of events) {
    if (!("choice" in event)) continue;
    const choice = choices.get(event.choice) ?? { parts: [], reason: undefined };
    choices.set(event.choice, choice);
    if (event.type === "open") open(choice, event.block);
    else if (event.type === "finish") choice.reason = event.reason;
    else if (event.type === "delta") {
      (choice.parts.at(-1) ?? open(choice, { type: "text" })).text += event.text;
    }
  }
  return [...choices.values()].map(({ parts, reason }) => ({
    role: "assistant",
    parts: parts.map(describePart),
    ...defined({ finish_reason: reason }),
  }));
}

interface Part {
  readonly block: OpenBlock;
  text: string;
}

interface Choice {
  readonly parts: Part[];
  reason: string | undefined;
}

function open({ parts }: Choice, block: OpenBlock): Part {
  const part = { block, text: "" };
  parts.push(part);
  return part;
}

function describePart({ block, text }: Part): JsonObject {
  switch (block.type) {
    case "tool_call": {
      const { id, name } = block;
      return { type: "tool_call", id, name, arguments: parseJson(text) ?? text };
    }
    case "audio":
    case "image": {
      const { type: modality, mediaType } = block;
      return { type: "blob", modality, ...defined({ mime_type: mediaType }), content: text };
    }
    case "other":
      return { type: "other", content: block.data };
    default:
      return { type: block.type === "reasoning" ? "reasoning" : "text", content: text };
  }
}
