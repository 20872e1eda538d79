import type { Block } from "#core/chat.ts";

/** What one side says before the other does. */
export interface Turn {
  readonly role: "user" | "assistant";
  readonly blocks: readonly Placed[];
}

export interface Placed {
  readonly block: Block;
  /** Where the caller wrote it. */
  readonly path: string;
}

/** Vendors refuse text that is empty or blank. */
export function isBlank(block: Block): boolean {
  return (block.type === "text" || block.type === "refusal") && block.text.trim() === "";
}
