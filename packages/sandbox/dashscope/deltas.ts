import type { ChatReply, Choice } from "../openai/chat-reply.ts";
import type { DeltaWriter } from "../openai/dialect.ts";
import { callDelta } from "../openai/tool-deltas.ts";
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../json.ts";
import { annotations } from "./message.ts";

/** As recorded: the role comes with whatever comes first, and a call says its type with every part. */
export function deltaWriter(choice: Choice, reply: ChatReply): DeltaWriter {
  const { answer } = choice;
  const hasThought = answer.reasoning !== "";
  const isCalling = answer.calls.length > 0;
  const opening = hasThought
    ? { content: null, role: "assistant", reasoning_content: "" }
    : { ...annotations(reply.request), content: "", role: "assistant" };
  const isSilent = isCalling && !hasThought;
  const thoughts = hasThought ? { reasoning_content: null } : {};
  let isOpened = !isSilent;

  return {
    opening: isSilent ? undefined : opening,
    delta(piece) {
      switch (piece.kind) {
        case "reasoning":
          return { content: null, reasoning_content: piece.text };
        case "text":
        case "refusal":
          return { content: piece.text, ...thoughts };
        case "call":
        case "input": {
          const delta = callDelta(piece, choice, false, reply.faults);
          if (delta === undefined) return undefined;
          const role = isOpened ? {} : { role: "assistant" };
          isOpened = true;
          const isUsual = reply.faults.toolquirks === undefined;
          return { content: null, ...thoughts, ...(isUsual ? typed(delta) : delta), ...role };
        }
      }
    },
    closing: () => (isCalling ? {} : { content: "", ...thoughts }),
  };
}

/** The id only opens a call, but its place is never missing. */
function typed(delta: JsonObject): JsonObject {
  const calls = isJsonArray(delta["tool_calls"]) ? delta["tool_calls"] : [];
  return {
    tool_calls: calls.map((call): Json =>
      isJsonObject(call) && call["id"] === undefined ? { ...call, id: "", type: "function" } : call,
    ),
  };
}
