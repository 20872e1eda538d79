import type { ChatReply, Choice } from "../openai/chat-reply.ts";
import type { DeltaWriter } from "../openai/dialect.ts";
import { callDelta } from "../openai/tool-deltas.ts";

/** Every part says the role, and none comes before there is something to say. */
export function deltaWriter(choice: Choice, { faults }: ChatReply): DeltaWriter {
  const role = { role: "assistant" };
  return {
    opening: undefined,
    delta(piece) {
      switch (piece.kind) {
        case "reasoning":
          return { content: "", reasoning_content: piece.text, ...role };
        case "text":
        case "refusal":
          return { content: piece.text, ...role };
        case "call":
        case "input": {
          const delta = callDelta(piece, choice, false, faults);
          return delta === undefined ? undefined : { content: "", ...role, ...delta };
        }
      }
    },
    closing: () => ({ content: "", ...role }),
  };
}
