import { isArray, isObject, type Json } from "#lib/json.ts";
import { isThinking } from "./reasoning-out.ts";

/**
 * What an assistant said without its empty texts: answers of other styles'
 * vendors have some, for the sake of what they cite, and vendors of this style
 * refuse them. Beside thinking everything must come back as it was.
 */
export function withoutEmptyTexts<Block extends Json>(content: readonly Block[]): readonly Block[] {
  const isKept = content.some(isThinking) || !content.some(isEmptyText);
  return isKept ? content : content.filter((block) => !isEmptyText(block));
}

/** A turn in which nothing is said. */
export function isSilent(turn: Json): boolean {
  if (!isObject(turn) || turn["role"] !== "assistant") return false;
  return isArray(turn["content"]) && turn["content"].length === 0;
}

function isEmptyText(block: Json): boolean {
  return isObject(block) && block["type"] === "text" && block["text"] === "";
}
