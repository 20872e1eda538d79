import type { Block, Message } from "#core/chat.ts";
import { readSignature } from "#core/signature.ts";
import type { BlockPlace, MessagePlace } from "#core/style.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { argumentsOf, defined, listOf, memberOf, textOf } from "#lib/values.ts";
import { isResult } from "./call-kinds.ts";
import { clientCallIn, clientResultIn } from "./client-tools.ts";
import { ADDED_TOOLS, ToolNames } from "./declared-tools.ts";
import { isBarePart } from "./normalize.ts";
import { parsePart } from "./part-in.ts";
import { ITEMS_AFTER, ITEMS_BEFORE, RESPONSES } from "../raw-fields.ts";

/**
 * A conversation out of `instructions` and `input`, of a body in the form that
 * `normalize` gives it. What a model said and did in a row is one message.
 */
export function parseConversation(body: JsonObject, names: ToolNames): readonly Message[] {
  const { instructions, input } = body;
  const messages: Message[] = [];
  if (typeof instructions === "string" && instructions !== "") {
    messages.push({
      role: "system",
      blocks: [{ type: "text", text: instructions }],
      rawFields: { [RESPONSES]: { instructions: true } },
    });
  }
  if (typeof input === "string") {
    messages.push({
      role: "user",
      blocks: [{ type: "text", text: input }],
      rawFields: { [RESPONSES]: { input: true } },
    });
  }

  let turn: Block[] | undefined;
  let waiting: JsonObject[] = [];
  const push = (message: Message): void => {
    messages.push(waiting.length === 0 ? message : withItems(message, { [ITEMS_BEFORE]: waiting }));
    waiting = [];
  };
  for (const item of listOf(input).filter(isObject)) {
    const said = isOfModel(item) ? parseModelItem(item, names) : undefined;
    if (item["type"] === ADDED_TOOLS) {
      // The hub has its tools among the others; here it only keeps its place.
      waiting.push(item);
      turn = undefined;
    } else if (said === undefined) {
      turn = undefined;
      push(parseOtherItem(item));
    } else if (turn === undefined) {
      turn = [...said];
      push({ role: "assistant", blocks: turn, rawFields: { [RESPONSES]: {} } });
    } else {
      turn.push(...said);
    }
  }
  const last = messages.pop();
  if (last === undefined) return [];
  return [...messages, waiting.length === 0 ? last : withItems(last, { [ITEMS_AFTER]: waiting })];
}

function withItems(message: Message, items: JsonObject): Message {
  return {
    ...message,
    rawFields: { [RESPONSES]: { ...message.rawFields?.[RESPONSES], ...items } },
  };
}

/** Where each message of the conversation stands in the body; a turn, where its first item does. */
export function placesOf({ instructions, input }: JsonObject): readonly MessagePlace[] {
  const places: MessagePlace[] = [];
  if (typeof instructions === "string" && instructions !== "")
    places.push({ path: "instructions" });
  if (typeof input === "string") places.push({ path: "input" });
  const names = new ToolNames();
  let turn: BlockPlace[] | undefined;
  let bare: BlockPlace[] | undefined;
  listOf(input).forEach((item, index) => {
    if (!isObject(item)) return;
    const path = `input[${index}]`;
    // Parts that stand among the items are one message, as far as they follow each other.
    if (isBarePart(item)) {
      const place = { type: parsePart(item).type, path };
      turn = undefined;
      if (bare === undefined) places.push({ path, blocks: (bare = [place]) });
      else bare.push(place);
      return;
    }
    bare = undefined;
    if (item["type"] === ADDED_TOOLS) {
      turn = undefined;
    } else if (!isOfModel(item)) {
      turn = undefined;
      places.push({ path, blocks: placesIn(parseOtherItem(item).blocks, item, path) });
    } else {
      const blocks = placesIn(parseModelItem(item, names), item, path);
      if (turn === undefined) places.push({ path, blocks: (turn = [...blocks]) });
      else turn.push(...blocks);
    }
  });
  return places;
}

/** Parts of what is said have a place of their own, other blocks their item's. */
function placesIn(
  blocks: readonly Block[],
  { content }: JsonObject,
  path: string,
): readonly BlockPlace[] {
  const isListed = isArray(content) && content.length === blocks.length;
  return blocks.map(({ type }, index) => ({
    type,
    path: isListed ? `${path}.content[${index}]` : path,
  }));
}

/** Also what is not known here: most of it is a server's own tool at work. */
function isOfModel(item: JsonObject): boolean {
  if (isResult(item) || item["type"] === AGENT_MESSAGE) return false;
  return item["role"] === undefined || item["role"] === null || item["role"] === "assistant";
}

function parseModelItem(item: JsonObject, names: ToolNames): readonly Block[] {
  const extra = { [RESPONSES]: { item } };
  const [type, client] = clientCallIn(item) ?? [];
  if (client !== undefined) {
    return [
      {
        type: "tool_call",
        id: textOf(item["call_id"]) ?? textOf(item["id"]) ?? "",
        name: names.clientNameOf(type ?? ""),
        arguments: JSON.stringify(client.readArguments(item)),
        kind: "function",
        extra,
      },
    ];
  }
  switch (item["type"]) {
    case "reasoning": {
      const proof = textOf(item["encrypted_content"]) || undefined;
      const signature = proof === undefined ? undefined : readSignature(proof, RESPONSES);
      return [{ type: "reasoning", text: reasoningTextOf(item), extra, ...defined({ signature }) }];
    }
    case "function_call":
    case "custom_tool_call": {
      const isCustom = item["type"] === "custom_tool_call";
      return [
        {
          type: "tool_call",
          id: textOf(item["call_id"]) ?? "",
          name: names.nameOf(textOf(item["namespace"]), textOf(item["name"]) ?? ""),
          arguments: argumentsOf(isCustom ? item["input"] : item["arguments"]),
          kind: isCustom ? "custom" : "function",
          extra,
        },
      ];
    }
    case "image_generation_call":
      return [drawnIn(item) ?? { type: "other", style: RESPONSES, data: item }];
    default:
      if (item["role"] !== "assistant" || !isMessage(item))
        return [{ type: "other", style: RESPONSES, data: item }];
      return contentOf(item["content"]).map((block) => ({
        ...block,
        extra: { [RESPONSES]: { ...block.extra?.[RESPONSES], item } },
      }));
  }
}

/** What a model drew, shown to it again; some callers leave the picture out and only name it. */
function drawnIn(item: JsonObject): Block | undefined {
  const base64 = textOf(item["result"]) ?? "";
  if (base64 === "") return undefined;
  const mediaType = `image/${textOf(item["output_format"]) ?? "png"}`;
  const extra = { [RESPONSES]: { item } };
  return { type: "image", source: { kind: "data", base64 }, mediaType, extra };
}

/** Its summary, or where a server shows it the reasoning itself. */
export function reasoningTextOf(item: JsonObject): string {
  return textsOf(item["summary"]) || textsOf(item["content"]);
}

function textsOf(parts: Json | undefined): string {
  return listOf(parts)
    .map((part) => textOf(memberOf(part, "text")) ?? "")
    .filter((text) => text !== "")
    .join("\n\n");
}

function parseOtherItem(item: JsonObject): Message {
  const rawFields = { [RESPONSES]: { item } };
  if (!isResult(item)) {
    const role = item["role"] === "system" || item["role"] === "developer" ? item["role"] : "user";
    if (isMessage(item)) return { role, blocks: contentOf(item["content"]), rawFields };
    if (item["type"] === AGENT_MESSAGE) return { role, blocks: agentMessageIn(item), rawFields };
    return { role, blocks: [{ type: "other", style: RESPONSES, data: item }], rawFields };
  }
  const client = clientResultIn(item);
  const callId = textOf(item["call_id"]) ?? textOf(item["id"]) ?? "";
  const blocks = contentOf(client === undefined ? item["output"] : client.readResult(item));
  return { role: "tool", blocks: [{ type: "tool_result", callId, blocks }], rawFields };
}

/** What one agent of a client says to another. */
const AGENT_MESSAGE = "agent_message";

/**
 * The task is called encrypted, and is so only if the model that wrote it
 * belongs to the style's first vendor: others write it as plain text.
 */
function agentMessageIn(item: JsonObject): readonly Block[] {
  if (typeof item["content"] === "string") return contentOf(item["content"]);
  return listOf(item["content"])
    .filter(isObject)
    .map((part): Block => {
      const text = textOf(part["encrypted_content"]);
      if (text === undefined) return parsePart(part);
      if (text.startsWith(CIPHERTEXT)) return { type: "other", style: RESPONSES, data: part };
      return { type: "text", text };
    });
}

const CIPHERTEXT = "gAAAA";

/** An item without a type is a message, if somebody says it. */
function isMessage({ type }: JsonObject): boolean {
  return (type ?? "message") === "message" || type === "";
}

function contentOf(content: Json | undefined): Block[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return listOf(content).filter(isObject).map(parsePart);
}
