import type { Piece } from "../engine/pieces.ts";
import type { JsonObject } from "../json.ts";
import type { ChatReply, Choice } from "./chat-reply.ts";
import { joined, wireCall } from "./message.ts";

/**
 * A message as vendors write it who show the thoughts of their models, and
 * have no field for refusals: those are said as anything else is.
 */
export function plainMessage(
  { answer, callIds }: Choice,
  pieces: readonly Piece[],
  { faults }: ChatReply,
): JsonObject {
  const asObject = faults.toolquirks?.style === "object";
  const calls = answer.calls.map((call, index) => wireCall(call, callIds[index] ?? "", asObject));
  return {
    content: joined(pieces, "text") + joined(pieces, "refusal"),
    ...(answer.reasoning === "" ? {} : { reasoning_content: joined(pieces, "reasoning") }),
    role: "assistant",
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}
