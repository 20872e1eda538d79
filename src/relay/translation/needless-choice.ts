import type { ChatRequest } from "#core/chat.ts";

/**
 * A demand for a call where no tool is declared: styles leave it out, since vendors refuse it.
 * `auto` and `none` ask for what happens anyway.
 */
export function hasNeedlessChoice({
  toolChoice: choice,
  tools = [],
  webSearch,
  extra,
}: ChatRequest): boolean {
  if (choice === undefined || choice.mode === "auto" || choice.mode === "none") return false;
  const ofVendors = Object.values(extra ?? {}).flatMap((members) => Object.keys(members));
  const hasTools = tools.length > 0 || ofVendors.some((name) => /^tools\b/.test(name));
  return !hasTools && webSearch === undefined;
}
