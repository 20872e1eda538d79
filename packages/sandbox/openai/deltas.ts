import type { ChatReply, Choice } from "./chat-reply.ts";
import type { DeltaWriter } from "./dialect.ts";
import { callDelta } from "./tool-deltas.ts";

/** The parts of a streamed choice: the role first, and each piece in a field of its own. */
export function deltaWriter(choice: Choice, { request, faults }: ChatReply): DeltaWriter {
  const { answer, speech } = choice;
  const isVisible = request.model.thinks === "visibly";
  const reasoning = isVisible && answer.reasoning !== "" ? { reasoning_content: "" } : {};
  const hasNoText =
    answer.calls.length > 0 || speech !== undefined || "reasoning_content" in reasoning;

  return {
    opening: {
      role: "assistant",
      content: hasNoText ? null : "",
      ...reasoning,
      refusal: null,
    },
    delta(piece) {
      switch (piece.kind) {
        case "reasoning":
          return isVisible ? { content: null, reasoning_content: piece.text } : undefined;
        case "text":
          return speech === undefined
            ? { content: piece.text }
            : { audio: { id: speech.id, transcript: piece.text } };
        case "refusal":
          return { refusal: piece.text };
        case "call":
        case "input":
          return callDelta(piece, choice, request.isLegacyFunctions, faults);
      }
    },
    closing: () => ({}),
  };
}
