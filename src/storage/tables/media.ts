import type { Selectable } from "kysely";
import type { MediaCopy, MediaPlace, Variant } from "#core/kept-media.ts";

export interface MediaTable {
  task_id: string;
  video_index: number;
  variant: Variant;
  state: MediaCopy["state"];
  store: MediaPlace;
  size_bytes: number | null;
  media_type: string | null;
  digest: string | null;
  kept_at: number | null;
  attempts: number;
  /** 0 once no client can request it: it then counts as expired. */
  created_at: number;
  due_at: number;
  lease_until: number;
}

export function toCopy(row: Selectable<MediaTable>): MediaCopy {
  const { size_bytes: sizeBytes, media_type: mediaType, digest, kept_at: at } = row;
  const isKept = sizeBytes !== null && mediaType !== null && digest !== null && at !== null;
  return {
    taskId: row.task_id,
    index: row.video_index,
    variant: row.variant,
    state: row.state,
    place: row.store,
    ...(isKept ? { kept: { sizeBytes, mediaType, digest, at } } : {}),
    attempts: row.attempts,
    createdAt: row.created_at,
    dueAt: row.due_at,
  };
}
