import type { EssentialMembers } from "#core/style.ts";

/** What a request is about; all else tunes the answer, or tells of the caller. */
export const ESSENTIAL: EssentialMembers = {
  members: new Set([
    "model",
    "messages",
    "stream",
    "n",
    "max_tokens",
    "max_completion_tokens",
    "tools",
    "tool_choice",
    "functions",
    "function_call",
    "response_format",
    "modalities",
    "audio",
    "prediction",
    "stop",
    "web_search_options",
  ]),
  containers: new Set([]),
};
