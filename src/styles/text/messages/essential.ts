import type { EssentialMembers } from "#core/style.ts";

/** What a request is about; all else tunes the answer, or tells of the caller. */
export const ESSENTIAL: EssentialMembers = {
  members: new Set([
    "model",
    "system",
    "messages",
    "stream",
    "max_tokens",
    "tools",
    "tool_choice",
    "stop_sequences",
    "output_config",
    "output_config.format",
    "output_format",
    "mcp_servers",
    "container",
    "thread",
    "compaction",
  ]),
  containers: new Set(["output_config"]),
};
