import { invalid } from "../error.ts";
import type { Entry } from "./entry.ts";

/**
 * Which items need each other: every call its output and every output its
 * call, thoughts the item that followed them, and an item that came of
 * thoughts these. Nothing stands there twice.
 */
export function checkItemOrder(entries: readonly Entry[]): void {
  const ids = new Set<string>();
  const open = new Map<string, string>();

  for (const [index, entry] of entries.entries()) {
    const { id, type, callId, answersId, reasoningId } = entry;
    if (ids.has(id))
      throw wrong(
        `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`,
      );
    ids.add(id);
    if (callId !== undefined) open.set(callId, WORDS[type] ?? type.replaceAll("_", " "));
    if (answersId !== undefined && !open.delete(answersId)) {
      const what = type.replaceAll("_", " ");
      throw wrong(`No tool call found for ${what} with call_id ${answersId}.`);
    }
    if (type === "reasoning" && !isFollowed(entries, index))
      throw wrong(
        `Item '${id}' of type 'reasoning' was provided without its required following item.`,
      );
    if (reasoningId !== undefined && !ids.has(reasoningId))
      throw wrong(
        `Item '${id}' of type '${type}' was provided without its required 'reasoning' item: '${reasoningId}'.`,
      );
  }

  const [unanswered] = open;
  if (unanswered !== undefined)
    throw wrong(`No tool output found for ${unanswered[1]} ${unanswered[0]}.`);
}

const WORDS: Readonly<Record<string, string>> = {
  function_call: "function call",
  custom_tool_call: "custom tool call",
};

function isFollowed(entries: readonly Entry[], index: number): boolean {
  const next = entries.slice(index + 1).find((entry) => entry.type !== "reasoning");
  return next?.isOutput === true;
}

function wrong(message: string): Error {
  return invalid("input", null, message);
}
