import { estimateInputTokens } from "#core/count.ts";
import { isObject, type Json } from "#lib/json.ts";

/** Share of a model's window for input; the rest stays free for output. */
const SHARE_FOR_INPUT = 0.9;

/**
 * Drops the oldest items, except instructions, until the rest fits the model's window. A call and
 * its result are dropped together, even if one of them is newer.
 */
export function truncateInput(
  items: readonly Json[],
  otherTokens: number,
  contextTokens: number,
): readonly Json[] {
  const room = Math.floor(contextTokens * SHARE_FOR_INPUT) - otherTokens;
  const sizes = items.map((item) => estimateInputTokens(item));
  let total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= room) return items;

  const dropped = new Set<number>();
  const drop = (index: number): void => {
    if (dropped.has(index)) return;
    dropped.add(index);
    total -= sizes[index] ?? 0;
  };
  // Keep the newest item: it is the user's question.
  for (let index = 0; index < items.length - 1 && total > room; index++) {
    const item = items[index];
    if (item === undefined || isInstruction(item) || dropped.has(index)) continue;
    drop(index);
    const callId = callIdOf(item);
    if (callId === undefined) continue;
    items.forEach((other, at) => {
      if (callIdOf(other) === callId) drop(at);
    });
  }
  return items.filter((_, index) => !dropped.has(index));
}

function isInstruction(item: Json): boolean {
  return isObject(item) && (item["role"] === "system" || item["role"] === "developer");
}

function callIdOf(item: Json): string | undefined {
  const id = isObject(item) ? item["call_id"] : undefined;
  return typeof id === "string" ? id : undefined;
}
