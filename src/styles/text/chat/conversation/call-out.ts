import type { Block, ToolCallBlock } from "#core/chat.ts";
import { isObject, type JsonObject } from "#lib/json.ts";
import { fitId } from "./call-ids.ts";
import { buildCallSignature } from "./call-signature.ts";
import type { Place } from "./part-out.ts";
import { isIssuedHere } from "./reasoning-details.ts";
import { CHAT, isOwn } from "../raw-fields.ts";
import { wrapInput } from "../answer/stand-in.ts";
import { ownName } from "#styles/text/tool-names.ts";
import { writtenName } from "./tool-out.ts";

/** A call that the model made, as a member of `tool_calls`; none for any other block. */
export function buildCall(block: Block, at: Place): readonly JsonObject[] {
  if (block.type === "other") {
    const call = block.style === CHAT ? block.data["tool_call"] : undefined;
    return isObject(call) ? [call] : [];
  }
  if (block.type !== "tool_call") return [];
  const { extra_content: _, ...rest } = block.extra?.[CHAT] ?? {};
  const {
    id,
    name,
    kind,
    arguments: args,
  } = isOwn(at.message) ? { ...block, name: ownName(block.name) } : fitted(block, at);
  const called = kind === "custom" ? { name, input: args } : { name, arguments: args };
  return [{ ...rest, ...proofOf(block), id, type: kind, [kind]: called }];
}

/** As its caller wrote it where they did; and never what another style's vendor issued. */
function proofOf({ signature, extra }: ToolCallBlock): JsonObject {
  if (!isIssuedHere(signature)) return {};
  const content = extra?.[CHAT]?.["extra_content"];
  if (content !== undefined) return { extra_content: content };
  return signature === undefined ? {} : buildCallSignature(signature);
}

/** Another style's ids, names and arguments may be more than this one takes. */
function fitted(call: ToolCallBlock, { dialect }: Place): ToolCallBlock {
  const standsIn = call.kind === "custom" && dialect.customTools !== true;
  const args = standsIn ? wrapInput(call.arguments) : call.arguments;
  return {
    ...call,
    id: fitId(call.id),
    name: writtenName(call.name, call.kind, dialect),
    kind: standsIn ? "function" : call.kind,
    // Some servers parse them, and nothing is no JSON.
    arguments: args.trim() === "" && call.kind === "function" ? "{}" : args,
  };
}
