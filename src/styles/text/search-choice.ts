import type { ChatRequest } from "#core/chat.ts";

/** Of the vendor's own search, which is a tool with a name in the messages style only. */
const SEARCH = "web_search";

/** What is to be used is the search, and no function of that name. */
export function choosesSearch({
  toolChoice,
  tools = [],
  webSearch,
}: Pick<ChatRequest, "toolChoice" | "tools" | "webSearch">): boolean {
  if (webSearch === undefined || toolChoice?.mode !== "named") return false;
  return toolChoice.name === SEARCH && !tools.some(({ name }) => name === SEARCH);
}
