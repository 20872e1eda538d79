import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { readProof } from "./proof.ts";
import { MESSAGES } from "../raw-fields.ts";

/**
 * A conversation without the thinking that no vendor of this style signed:
 * vendors refuse it. `undefined` where there is nothing to leave out.
 */
export function withGenuineThinking(messages: Json | undefined): readonly JsonObject[] | undefined {
  const turns = isArray(messages) ? messages.filter(isObject) : [];
  const isChanged = turns.some(({ content }) => isArray(content) && content.some(isForeign));
  if (!isChanged) return undefined;
  return turns
    .map((turn) => {
      const { content } = turn;
      if (!isArray(content) || !content.some(isForeign)) return turn;
      return { ...turn, content: content.filter((block) => !isForeign(block)) };
    })
    .filter(({ content }) => !isArray(content) || content.length > 0);
}

function isForeign(block: Json): boolean {
  if (!isObject(block) || block["type"] !== "thinking") return false;
  return readProof(block["signature"])?.issuer !== MESSAGES;
}
