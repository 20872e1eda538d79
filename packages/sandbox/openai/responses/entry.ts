import type { JsonObject } from "@sluice/sandbox/json.ts";
import type { Message, MessageCall } from "../messages.ts";

/** One item of a conversation: as it is stored, and as the model reads it. */
export interface Entry {
  readonly item: JsonObject;
  readonly type: string;
  readonly id: string;
  /** Whether the model made it, or a program on its behalf. */
  readonly isOutput: boolean;
  /** The input that the model reads, without its earlier reasoning. */
  readonly messages: readonly Message[];
  /** The call that it makes, and the call that it answers. */
  readonly callId?: string;
  readonly answersId?: string;
  /** The thoughts without which the vendor does not take it back. */
  readonly reasoningId?: string;
}

/** Calls in a row are one message, as the model made them. */
export function messagesOf(entries: readonly Entry[]): readonly Message[] {
  const messages: Message[] = [];
  for (const { messages: own, callId } of entries) {
    const last = messages.at(-1);
    if (callId !== undefined && last !== undefined && last.calls.length > 0) {
      const calls = own.flatMap((message) => message.calls);
      messages[messages.length - 1] = { ...last, calls: [...last.calls, ...calls] };
    } else {
      messages.push(...own);
    }
  }
  return messages;
}

export function calling(call: MessageCall): Message {
  return { ...plainMessage("assistant", ""), calls: [call] };
}

export function plainMessage(role: Message["role"], text: string): Message {
  return {
    role,
    name: undefined,
    text,
    media: [],
    lowDetailImages: 0,
    calls: [],
    toolCallId: undefined,
  };
}
