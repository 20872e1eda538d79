import type { Piece } from "@sluice/sandbox/engine/pieces.ts";
import type { JsonObject } from "@sluice/sandbox/json.ts";

/** An event before it has its number. */
export interface BareEvent {
  readonly type: string;
  readonly fields: JsonObject;
  readonly tokens: number;
}

/** Writes one item of the output, event by event. */
export interface ItemWriter {
  readonly id: string;
  takes(piece: Piece): boolean;
  open(): readonly BareEvent[];
  take(piece: Piece): readonly BareEvent[];
  /** The events before the item is done, and the item itself. */
  close(status: ItemStatus): { readonly events: readonly BareEvent[]; readonly item: JsonObject };
}

export type ItemStatus = "completed" | "incomplete";

export function event(type: string, fields: JsonObject, tokens = 0): BareEvent {
  return { type: `response.${type}`, fields, tokens };
}
