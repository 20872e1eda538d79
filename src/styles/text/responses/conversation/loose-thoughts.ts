import { isObject, type Json } from "#lib/json.ts";
import { isResult } from "./call-kinds.ts";

/**
 * Items without reasoning that led to nothing: a response may have been cut off
 * while its model was thinking, and upstreams refuse reasoning that nothing of
 * the model's follows. The list itself where there is none.
 */
export function withoutLooseThoughts<Item extends Json>(items: readonly Item[]): readonly Item[] {
  let isFollowed = false;
  const kept = items.toReversed().filter((item) => {
    if (isThought(item)) return isFollowed;
    isFollowed = isOfModel(item);
    return true;
  });
  return kept.length === items.length ? items : kept.toReversed();
}

export function isThought(item: Json): boolean {
  return isObject(item) && item["type"] === "reasoning";
}

/** Said or done by the model itself. */
function isOfModel(item: Json): boolean {
  if (!isObject(item) || isResult(item)) return false;
  return item["role"] === undefined || item["role"] === "assistant";
}
