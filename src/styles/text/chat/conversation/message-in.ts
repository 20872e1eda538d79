import type { Block, Message, ToolCallBlock, ToolResultBlock } from "#core/chat.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { calledIn, kindOf } from "./call-kind.ts";
import { callSignature } from "./call-signature.ts";
import { cacheMark, parsePart } from "./part-in.ts";
import { reasoningBlocks } from "./reasoning-details.ts";
import { CHAT } from "../raw-fields.ts";
import { argumentsOf, defined, listOf, memberOf, pick, restOf, textOf } from "#lib/values.ts";

/** The older form names the function instead of the call; ids are given here, pair by pair. */
interface LegacyCalls {
  count: number;
  readonly open: Map<string, string>;
}

export function parseMessages(wire: readonly Json[]): readonly Message[] {
  const legacy: LegacyCalls = { count: 0, open: new Map() };
  return wire.filter(isObject).map((message) => parseMessage(message, legacy));
}

const MEMBERS: ReadonlySet<string> = new Set([
  "role",
  "content",
  "name",
  "refusal",
  "tool_calls",
  "tool_call_id",
  "function_call",
  "audio",
  "reasoning_content",
  "reasoning",
  "reasoning_details",
  "cache_control",
]);
const RAW_MEMBERS = [
  "reasoning_content",
  "reasoning",
  "reasoning_details",
  "cache_control",
] as const;

function parseMessage(wire: JsonObject, legacy: LegacyCalls): Message {
  const role = roleOf(wire["role"]);
  const pictures = role === "assistant" ? shownIn(wire["images"]) : [];
  const rest = restOf(wire, pictures.length > 0 ? new Set([...MEMBERS, "images"]) : MEMBERS);
  const rawFields = pick(wire, RAW_MEMBERS);
  if (isArray(wire["content"])) rawFields["parts"] = true;
  return {
    role,
    blocks: withCache([...blocksOf(wire, role, legacy), ...pictures], wire["cache_control"]),
    ...defined({
      name: role === "tool" ? undefined : textOf(wire["name"]),
      extra: rest === undefined ? undefined : { [CHAT]: rest },
    }),
    rawFields: { [CHAT]: rawFields },
  };
}

function roleOf(role: Json | undefined): Message["role"] {
  switch (role) {
    case "system":
    case "developer":
    case "assistant":
    case "tool":
      return role;
    case "function":
      return "tool";
    default:
      return "user";
  }
}

function blocksOf(wire: JsonObject, role: Message["role"], legacy: LegacyCalls): Block[] {
  const content = contentBlocks(wire["content"]);
  if (role === "tool") return [resultBlock(wire, content, legacy)];
  if (role !== "assistant") return content;

  const refusal = textOf(wire["refusal"]);
  const spoken = textOf(memberOf(wire["audio"], "id"));
  return [
    ...reasoningBlocks(wire),
    ...content,
    ...(refusal === undefined ? [] : [{ type: "refusal", text: refusal } as const]),
    ...callBlocks(wire, legacy),
    ...(spoken === undefined ? [] : [spokenBlock(spoken)]),
  ];
}

function contentBlocks(content: Json | undefined): Block[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return listOf(content).filter(isObject).map(parsePart);
}

/** What a model drew, shown to it again; nothing where that cannot be read as pictures. */
function shownIn(images: Json | undefined): readonly Block[] {
  const blocks = listOf(images).filter(isObject).map(parsePart);
  if (blocks.length < listOf(images).length) return [];
  if (blocks.some(({ type }) => type !== "image")) return [];
  return blocks.map((block) => ({
    ...block,
    extra: { [CHAT]: { ...block.extra?.[CHAT], isDrawn: true } },
  }));
}

function resultBlock(wire: JsonObject, blocks: Block[], legacy: LegacyCalls): ToolResultBlock {
  const name = textOf(wire["name"]);
  const callId = textOf(wire["tool_call_id"]) ?? legacy.open.get(name ?? "") ?? nextId(legacy);
  return { type: "tool_result", callId, blocks, ...defined({ name }) };
}

function spokenBlock(id: string): Block {
  return { type: "audio", source: { kind: "reference", id } };
}

function callBlocks(wire: JsonObject, legacy: LegacyCalls): Block[] {
  const calls: Block[] = listOf(wire["tool_calls"]).filter(isObject).map(parseCall);
  const old = wire["function_call"];
  const name = textOf(memberOf(old, "name"));
  if (name === undefined) return calls;

  const id = nextId(legacy);
  legacy.open.set(name, id);
  const args = argumentsOf(memberOf(old, "arguments"));
  return [...calls, { type: "tool_call", id, name, arguments: args, kind: "function" }];
}

function nextId(legacy: LegacyCalls): string {
  legacy.count++;
  return `call_function_${legacy.count}`;
}

const CALL_MEMBERS = new Set(["id", "type", "function", "custom"]);

function parseCall(call: JsonObject): Block {
  const called = calledIn(call);
  const name = textOf(called?.["name"]);
  // A kind of call that some vendor added: carried where it came from.
  if (name === undefined) return { type: "other", style: CHAT, data: { tool_call: call } };

  const rest = restOf(call, CALL_MEMBERS);
  const block: ToolCallBlock = {
    type: "tool_call",
    id: textOf(call["id"]) ?? "",
    name,
    arguments: argumentsOf(called?.["arguments"] ?? called?.["input"]),
    kind: kindOf(call),
    ...defined({
      signature: callSignature(call["extra_content"]),
      extra: rest === undefined ? undefined : { [CHAT]: rest },
    }),
  };
  return withCache([block], call["cache_control"])[0] ?? block;
}

/** A mark on the whole message stands at its last block. */
function withCache(blocks: Block[], control: Json | undefined): Block[] {
  const cache = cacheMark(control);
  const last = blocks.at(-1);
  if (cache === undefined || last === undefined) return blocks;
  return [...blocks.slice(0, -1), { ...last, cache }];
}
