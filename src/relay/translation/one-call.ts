import type { ChatEvent, ChatRequest } from "#core/chat.ts";

/**
 * Whether an event is part of the requested answer. A client that disables parallel tool calls gets
 * only the first, also from vendors without that option.
 */
export function onlyFirstCall(request: ChatRequest): (event: ChatEvent) => boolean {
  if (request.parallelToolCalls !== false) return always;
  const called = new Set<number>();
  const leavingOut = new Set<number>();
  return (event) => {
    if (!("choice" in event)) return true;
    const { choice } = event;
    if (event.type === "open") {
      const isCall = event.block.type === "tool_call";
      if (isCall && called.has(choice)) leavingOut.add(choice);
      else leavingOut.delete(choice);
      if (isCall) called.add(choice);
    }
    if (event.type === "finish") leavingOut.delete(choice);
    return !leavingOut.has(choice);
  };
}

function always(): boolean {
  return true;
}
