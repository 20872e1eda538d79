import type { ChatRequest, Message } from "#core/chat.ts";
import type { JsonObject } from "#lib/json.ts";

/** This style's id, under which it keeps what is its own. */
export const CHAT = "chat";

/** How the caller's reasoning switches and budgets may be written. */
export const REASONING_MEMBERS = [
  "reasoning_effort",
  "thinking",
  "enable_thinking",
  "thinking_budget",
  "reasoning",
  "extra_body",
  "generationConfig",
] as const;

/** How a wish to search the web may be written, beside tools that ask for it. */
export const SEARCH_MEMBERS = ["web_search_options", "enable_search", "search_options"] as const;

/** Members whose meaning the hub has, but which can be written in several ways. */
export const SPELLED_MEMBERS = [
  ...REASONING_MEMBERS,
  ...SEARCH_MEMBERS,
  "parameters",
  "temperature",
  "top_p",
  "max_tokens",
  "max_completion_tokens",
  "top_k",
  "stop",
  "logprobs",
  "top_logprobs",
  "modalities",
  "image_config",
  "response_format",
  "tool_choice",
  "stream_options",
  "usage",
  "svc_thinking_to_content",
  "thinking_to_content",
] as const;

/** Every member that the hub takes in; the others travel as they are. */
export const READ_MEMBERS: ReadonlySet<string> = new Set([
  ...SPELLED_MEMBERS,
  "model",
  "messages",
  "stream",
  "presence_penalty",
  "frequency_penalty",
  "seed",
  "random_seed",
  "n",
  "tools",
  "parallel_tool_calls",
  "functions",
  "function_call",
  "user",
  "metadata",
]);

/** What a caller of this style wrote; nothing for a caller of another. */
export function spellingIn(of: ChatRequest | Message): JsonObject | undefined {
  return of.spelling?.[CHAT];
}

/** Written by a caller of this style: it goes back as it came. */
export function isOwn(of: ChatRequest | Message): boolean {
  return spellingIn(of) !== undefined;
}
