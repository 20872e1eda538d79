import type { Block } from "#core/chat.ts";
import { isSameMedia } from "#styles/text/media.ts";

/**
 * Whether a block still says what was read. It may have been changed since, a
 * link exchanged for its content for example.
 */
export function saysSame(block: Block, read: Block | undefined): boolean {
  if (read === undefined) return false;
  switch (block.type) {
    case "text":
    case "refusal":
      return read.type === block.type && read.text === block.text;
    case "reasoning":
      return (
        read.type === "reasoning" &&
        read.text === block.text &&
        read.signature?.issuer === block.signature?.issuer &&
        read.signature?.value === block.signature?.value
      );
    case "tool_call":
      return (
        read.type === "tool_call" &&
        read.id === block.id &&
        read.name === block.name &&
        read.kind === block.kind &&
        read.arguments === block.arguments
      );
    case "tool_result":
      return (
        read.type === "tool_result" &&
        read.callId === block.callId &&
        read.isError === block.isError &&
        read.blocks.length === block.blocks.length &&
        block.blocks.every((inner, at) => saysSame(inner, read.blocks[at]))
      );
    case "image":
    case "audio":
    case "video":
    case "file":
      return (
        read.type === block.type && read.filename === block.filename && isSameMedia(block, read)
      );
    case "other":
      return read.type === "other" && read.data === block.data;
  }
}
