import type { MediaPlace } from "#core/kept-media.ts";

/** Where the prompt and the answer of a call are stored. */
export interface CallContentsTable {
  call_id: string;
  place: MediaPlace;
  size_bytes: number;
  /** Unix ms. */
  at: number;
}
