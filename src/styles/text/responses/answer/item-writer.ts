import type { ChatEvent, Citation, OpenBlock } from "#core/chat.ts";
import type { JsonObject } from "#lib/json.ts";

/** Writes an event of the stream; an answer in one piece has no use for it. */
export type Emit = (type: string, members: JsonObject) => void;

export type Delta = Extract<ChatEvent, { type: "delta" }>;
export type Close = Extract<ChatEvent, { type: "close" }>;

/** How an item ended: cut off, where the answer was. */
export type ItemStatus = "completed" | "incomplete";

/** Writes one item of an answer: its events, and in the end the whole of it. */
export interface ItemWriter {
  /** Takes another block into the same item; false where it begins an item of its own. */
  join(block: OpenBlock): boolean;
  delta(event: Delta): void;
  cite(citation: Citation): void;
  close(event: Close): void;
  /** Writes what is still owed of the item's parts. */
  end(status: ItemStatus): JsonObject;
}
