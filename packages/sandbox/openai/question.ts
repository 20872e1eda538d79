import type { Conversation, RequestSpec, Turn } from "../engine/conversation.ts";
import { withoutMagicWords } from "../faults/magic-words.ts";
import type { Thinking } from "./dialect.ts";
import type { Message } from "./messages.ts";
import type { ChatRequest } from "./request.ts";

/** The engine's prompt for one choice. */
export function questionOf(request: SentRequest, choice: number): RequestSpec {
  return {
    conversation: conversationOf(request.messages),
    tools: request.tools,
    choice: request.toolChoice,
    mayCallInParallel: request.mayCallInParallel,
    format: request.format,
    reasoning: request.thinking.effort,
    ...limitsOf(request.thinking),
    ...(request.maxTokens === undefined ? {} : { maxTokens: request.maxTokens }),
    stop: request.thinking.ignoresStop === true ? [] : request.stop,
    variant: choice,
  };
}

/** The parts of a request that decide the answer, in one form for all endpoints. */
export type SentRequest = Pick<
  ChatRequest,
  | "messages"
  | "tools"
  | "toolChoice"
  | "mayCallInParallel"
  | "format"
  | "thinking"
  | "maxTokens"
  | "stop"
>;

function limitsOf({ maxReasoningTokens, limitCovers }: Thinking) {
  return {
    ...(maxReasoningTokens === undefined ? {} : { maxReasoningTokens }),
    ...(limitCovers === undefined ? {} : { limitCovers }),
  };
}

function conversationOf(messages: readonly Message[]): Conversation {
  const names = new Map(
    messages.flatMap((message) => message.calls.map((call) => [call.id, call.name])),
  );

  return messages.map((message): Turn => {
    const text = withoutMagicWords(message.text);
    switch (message.role) {
      case "system":
      case "developer":
        return { role: "system", text };
      case "user":
        return { role: "user", text, media: message.media };
      case "assistant":
        return {
          role: "assistant",
          text,
          calls: message.calls.map(({ kind, name, input }) => ({ kind, name, input })),
        };
      case "tool":
        return { role: "result", tool: names.get(message.toolCallId) ?? "", text };
      case "function":
        return { role: "result", tool: message.name ?? "", text };
    }
  });
}
