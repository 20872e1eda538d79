import { invalid } from "./error.ts";
import type { Message } from "./messages.ts";

/** Every tool call is answered before anyone else speaks, and nothing is answered that was not called. */
export function checkPairing(messages: readonly Message[]): void {
  let open = new Set<string>();

  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      if (!open.delete(message.toolCallId ?? "")) throw orphan(index);
      continue;
    }
    if (open.size > 0) throw unanswered(index, open);
    open = new Set(message.calls.flatMap((call) => (call.id === undefined ? [] : [call.id])));
  }
  if (open.size > 0) throw unanswered(messages.length - 1, open);
}

function orphan(index: number): Error {
  return invalid(
    `messages.[${index}].role`,
    null,
    "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
  );
}

function unanswered(index: number, ids: ReadonlySet<string>): Error {
  return invalid(
    `messages.[${index}].role`,
    null,
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...ids].join(", ")}`,
  );
}
