import type { Channel } from "#core/channel.ts";
import type { ChatRequest, Message } from "#core/chat.ts";

/** The request with the system prompt that its channel adds. */
export function withSystemPrompt(
  request: ChatRequest,
  { systemPrompt }: Pick<Channel, "systemPrompt">,
): ChatRequest {
  if (systemPrompt === undefined) return request;
  const prompt: Message = { role: "system", blocks: [{ type: "text", text: systemPrompt }] };
  return { ...request, messages: [prompt, ...request.messages] };
}
