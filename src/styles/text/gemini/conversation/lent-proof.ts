import type { Block, ReasoningBlock } from "#core/chat.ts";
import { writeSignature, type Signature } from "#core/signature.ts";
import type { JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { signatureIn } from "./part-in.ts";
import { GEMINI } from "../raw-fields.ts";

/** Tells the proof of thinking from the proof of a call, which other styles have too. */
const OF_THINKING = "thinking:";

/** Another style's proof of its thinking, for a part that follows the thinking. */
export function writeThinkingProof({ issuer, value }: Signature): string {
  return writeSignature({ issuer, value: OF_THINKING + value }, GEMINI);
}

/** A part without the proof that it carries for the thinking before it. */
interface Parted {
  readonly part: JsonObject;
  readonly thinking: ReasoningBlock | undefined;
}

export function partLentProof(part: JsonObject): Parted {
  const signature = signatureIn(part);
  if (signature === undefined || signature.issuer === GEMINI) return { part, thinking: undefined };
  const { issuer, value } = signature;
  if (!value.startsWith(OF_THINKING)) return { part, thinking: undefined };
  const { thoughtSignature: _, ...rest } = part;
  const own = { issuer, value: value.slice(OF_THINKING.length) };
  return { part: rest, thinking: { type: "reasoning", text: "", signature: own } };
}

/** Nothing but the place of a proof. */
export function isEmptyText(part: JsonObject): boolean {
  return textOf(part["text"]) === "" && part["thought"] !== true;
}

/** The thinking came before all that was said since. */
export function putBeforeWords(blocks: Block[], thinking: Block): void {
  const said = blocks.findLastIndex(({ type }) => type !== "text");
  blocks.splice(said + 1, 0, thinking);
}
