import type { ChatEvent, ChatRequest } from "#core/chat.ts";

/**
 * Whether an event belongs to what the caller asked for. A caller who wants one
 * tool call at a time gets the first, also from vendors that cannot be told so.
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
