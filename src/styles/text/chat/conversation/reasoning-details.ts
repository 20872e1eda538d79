import type { Block, Extra, ReasoningBlock } from "#core/chat.ts";
import { readSignature, writeSignature, type Signature } from "#core/signature.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, objectOf, restOf, textOf } from "#lib/values.ts";
import { CHAT } from "../raw-fields.ts";

/**
 * `reasoning_details`, the structured form of reasoning that several gateways
 * and their clients share: a text or a summary with its proof, or reasoning
 * that only its vendor can read.
 */
export interface Detail {
  readonly text: string;
  /** Nothing can be read, or there is nothing but the proof. */
  readonly isEncrypted: boolean;
  readonly signature: Signature | undefined;
  /** What else stood in it, for the way back to who wrote it. */
  readonly rest: JsonObject | undefined;
}

const READ = new Set(["text", "summary", "data", "signature"]);

export function parseDetails(wire: Json | undefined): readonly Detail[] {
  return isArray(wire) ? wire.filter(isObject).map(parseDetail) : NO_DETAILS;
}

const NO_DETAILS: readonly Detail[] = [];

function parseDetail(wire: JsonObject): Detail {
  const data = textOf(wire["data"]) || undefined;
  const proof = textOf(wire["signature"]) || data;
  return {
    text: textOf(wire["text"]) ?? textOf(wire["summary"]) ?? "",
    isEncrypted: data !== undefined,
    signature: proof === undefined ? undefined : readSignature(proof, CHAT),
    rest: restOf(wire, READ),
  };
}

/** Earlier reasoning in a request; some clients send it back in the pieces in which it came. */
export function reasoningBlocks(message: JsonObject): readonly Block[] {
  const details = parseDetails(message["reasoning_details"]);
  const plain = textOf(message["reasoning_content"]) ?? textOf(message["reasoning"]) ?? "";
  if (details.length === 0) return plain === "" ? [] : [{ type: "reasoning", text: plain }];

  const blocks: ReasoningBlock[] = [];
  for (const detail of details) {
    const last = blocks.at(-1);
    const continues = last !== undefined && last.signature === undefined && !detail.isEncrypted;
    if (continues) blocks[blocks.length - 1] = blockOf(detail, last.text);
    else blocks.push(blockOf(detail));
  }
  // A proof whose words the client put elsewhere.
  const [only] = blocks;
  const isBare =
    blocks.length === 1 && only?.text === "" && details.some((one) => !one.isEncrypted);
  return isBare ? [{ ...only, text: plain }] : blocks;
}

function blockOf({ text, signature, rest }: Detail, before = ""): ReasoningBlock {
  const extra = rest === undefined ? undefined : { [CHAT]: { detail: rest } };
  return { type: "reasoning", text: before + text, ...defined({ signature, extra }) };
}

/** The counterpart: with its words where there are any, since a proof without them proves nothing. */
export function buildDetail(
  text: string,
  signature: Signature,
  extra: Extra | undefined,
  index: number,
): JsonObject {
  const kept = objectOf(extra?.[CHAT]?.["detail"]) ?? {};
  const proof = writeSignature(signature, CHAT);
  const common = { format: "unknown", index, ...kept };
  return text === ""
    ? { ...common, type: "reasoning.encrypted", data: proof }
    : { ...common, type: "reasoning.text", text, signature: proof };
}

/** Without those that another style's vendor issued; `undefined` where none are left. */
export function withoutForeign(details: Json | undefined): Json | undefined {
  if (!isArray(details)) return details;
  const kept = details.filter((one) => !isObject(one) || isIssuedHere(parseDetail(one).signature));
  if (kept.length === details.length) return details;
  return kept.length === 0 ? undefined : kept;
}

export function isIssuedHere(signature: Signature | undefined): boolean {
  return signature === undefined || signature.issuer === CHAT;
}
