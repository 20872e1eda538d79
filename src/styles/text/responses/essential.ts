import type { EssentialMembers } from "#core/style.ts";

/** What a request is about; all else tunes the answer, or tells of the caller. */
export const ESSENTIAL: EssentialMembers = {
  members: new Set([
    "model",
    "input",
    "instructions",
    "stream",
    "max_output_tokens",
    "tools",
    "tool_choice",
    "text",
    "text.format",
    "previous_response_id",
    "conversation",
    "prompt",
    "background",
  ]),
  containers: new Set(["text"]),
};
