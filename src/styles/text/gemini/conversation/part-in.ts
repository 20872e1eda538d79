import type { Block, ToolCallBlock, ToolResultBlock } from "#core/chat.ts";
import { readSignature, type Signature } from "#core/signature.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, listOf, memberOf, objectOf, textOf } from "#lib/values.ts";
import type { CallBook } from "./call-book.ts";
import { parseMedia } from "./media-in.ts";
import { argumentsIn } from "../answer/partial-args.ts";
import { GEMINI } from "../raw-fields.ts";

/**
 * One part of a content. What was written stays beside what was understood,
 * for the way back; a kind that is not known stays as it is.
 */
export function parsePart(part: JsonObject, calls: CallBook): Block {
  const block = understand(part, calls);
  if (block === undefined) return { type: "other", style: GEMINI, data: part };
  const isPlain = block.type === "text" && block.text !== "" && Object.keys(part).length === 1;
  return isPlain ? block : { ...block, extra: { [GEMINI]: { part } } };
}

/** `undefined` for what only this style knows. */
export function understand(part: JsonObject, calls: CallBook): Block | undefined {
  const called = objectOf(part["functionCall"]);
  if (called !== undefined) return callOf(part, called, calls);
  const returned = objectOf(part["functionResponse"]);
  if (returned !== undefined) return resultOf(returned, calls);

  const text = textOf(part["text"]);
  const signature = signatureIn(part);
  if (text !== undefined) {
    // A proof without words closes an answer: it belongs to the thinking, not to what was said.
    const isReasoning = part["thought"] === true || (text === "" && signature !== undefined);
    return isReasoning
      ? { type: "reasoning", text, ...defined({ signature }) }
      : { type: "text", text };
  }
  return part["thought"] === true ? undefined : parseMedia(part);
}

export function signatureIn(part: JsonObject): Signature | undefined {
  const text = textOf(part["thoughtSignature"]);
  const isProof = text !== undefined && text !== "" && !STAND_INS.includes(text);
  return isProof ? readSignature(text, GEMINI) : undefined;
}

/** What clients write where a proof is lost; a server takes them for none at all. */
const STAND_INS = ["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"];

function callOf(part: JsonObject, called: JsonObject, calls: CallBook): ToolCallBlock {
  return {
    type: "tool_call",
    ...calls.call(called),
    arguments: JSON.stringify(argumentsIn(called)),
    kind: "function",
    ...defined({ signature: signatureIn(part) }),
  };
}

function resultOf(returned: JsonObject, calls: CallBook): ToolResultBlock {
  const { text, isError } = readResult(returned["response"]);
  const media = listOf(returned["parts"])
    .filter(isObject)
    .map((part) => parseMedia(part) ?? { type: "other" as const, style: GEMINI, data: part });
  const said: Block[] = text === "" && media.length > 0 ? [] : [{ type: "text", text }];
  return {
    type: "tool_result",
    ...calls.result(returned),
    blocks: [...said, ...media],
    ...(isError ? { isError } : {}),
  };
}

/** `output` and `error` are the style's words for what came of it; without them all of it is the output. */
function readResult(response: Json | undefined): { text: string; isError: boolean } {
  const error = memberOf(response, "error");
  const isError = error !== undefined && error !== null && error !== false && error !== "";
  const output = memberOf(response, "output");
  const isOnly = isObject(response) && Object.keys(response).length === 1;
  if (!isOnly) return { text: textFrom(response), isError };
  // A failure of which nothing more is said.
  if (error === true) return { text: "", isError };
  return { text: textFrom(output ?? (isError ? error : response)), isError };
}

function textFrom(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
