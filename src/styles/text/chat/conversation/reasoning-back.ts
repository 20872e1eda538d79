import type { Block, Message, ReasoningBlock } from "#core/chat.ts";
import type { Json } from "#lib/json.ts";
import { defined, pick } from "#lib/values.ts";
import type { Built } from "#styles/text/request-fields.ts";
import type { ChatDialect } from "../request/dialect.ts";
import { buildDetail, isIssuedHere, withoutForeign } from "./reasoning-details.ts";
import { CHAT, rawFieldsOf } from "../raw-fields.ts";

/**
 * Earlier reasoning, for those who want it back. A caller of this style knows
 * whom they talk to, so theirs goes as it came; but nobody is sent a proof
 * that another style's vendor issued.
 */
export function reasoningBack(
  message: Message,
  blocks: readonly Block[],
  { reasoningBack: way }: ChatDialect,
): Built {
  const reasoning = blocks.filter((block) => block.type === "reasoning");
  const rawFields = rawFieldsOf(message);
  if (rawFields !== undefined) {
    const written = pick(rawFields, ["reasoning_content", "reasoning", "reasoning_details"]);
    const details = withoutForeign(written["reasoning_details"]);
    return {
      members: { ...written, reasoning_details: details ?? detailsOf(reasoning) },
      lost: details === written["reasoning_details"] ? [] : ["reasoning_details"],
    };
  }
  if (reasoning.length === 0) return { members: {} };
  if (way === "details") {
    const isIssued = reasoning.every((block) => block.signature?.issuer === CHAT);
    const members = defined({ reasoning_details: detailsOf(reasoning) });
    return { members, lost: isIssued ? [] : ["reasoning"] };
  }
  const readable = reasoning.filter(({ signature }) => isIssuedHere(signature));
  const text = readable.map((block) => block.text).join("\n\n");
  const isCarried = way === "text" && readable.length === reasoning.length;
  return {
    members: way === "text" && text !== "" ? { reasoning_content: text } : {},
    lost: isCarried ? [] : ["reasoning"],
  };
}

/** Of the reasoning that a vendor of this style proved. */
function detailsOf(reasoning: readonly ReasoningBlock[]): Json | undefined {
  const details = reasoning.flatMap(({ text, signature, extra }, index) =>
    signature?.issuer === CHAT ? [buildDetail(text, signature, extra, index)] : [],
  );
  return details.length === 0 ? undefined : details;
}
