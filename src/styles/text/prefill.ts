import type { ChatRequest } from "#core/chat.ts";

/** Styles whose vendors go on from a last message of the assistant; others' answer it. */
const CONTINUING = ["messages", "gemini"];

/** Asks models to go on that would answer the last message of the assistant. */
export const GO_ON = "Continue.";

/** The caller has begun the answer, and expects its rest. */
export function hasPrefill({ messages, rawFields }: ChatRequest): boolean {
  const last = messages.at(-1);
  if (last?.role !== "assistant" || last.blocks.at(-1)?.type !== "text") return false;
  return CONTINUING.some((style) => rawFields?.[style] !== undefined);
}
