import type { Span } from "#lib/byte-range.ts";

/** What there may be of a video that a task made: itself, and what was made beside it. */
export const VARIANTS = ["video", "thumbnail", "spritesheet", "last_frame", "watermarked"] as const;
export type Variant = (typeof VARIANTS)[number];

/** One file of a task. */
export interface TaskFile {
  readonly taskId: string;
  /** Which of its videos, from 0. */
  readonly index: number;
  readonly variant: Variant;
}

/** Where copies may be. */
export const MEDIA_PLACES = ["folder", "s3"] as const;
export type MediaPlace = (typeof MEDIA_PLACES)[number];

/** A copy of a file, which is there after its vendor's link has ended; or the wish for one. */
export interface MediaCopy extends TaskFile {
  readonly state: "wanted" | "kept" | "given_up";
  readonly place: MediaPlace;
  /** Known once it is kept. */
  readonly kept?: KeptFile;
  readonly attempts: number;
  /** Unix ms. */
  readonly createdAt: number;
  readonly dueAt: number;
}

interface KeptFile {
  readonly sizeBytes: number;
  readonly mediaType: string;
  /** SHA-256 in hex. */
  readonly digest: string;
  /** Unix ms. */
  readonly at: number;
}

/** Which copies there are, and which there are to be. Leases are measured by the clock that all gateways share. */
export interface MediaCopyStore {
  /** Wishes for copies; one that is there already stays as it is. */
  want(files: readonly TaskFile[], place: MediaPlace, now: number): Promise<void>;
  /** A copy that is kept. */
  find(file: TaskFile): Promise<MediaCopy | undefined>;
  /** Wishes that are due and in nobody's hands, for so long. */
  lease(leaseMs: number, limit: number): Promise<readonly MediaCopy[]>;
  /** Goes on holding it while it is copied. */
  prolong(file: TaskFile, leaseMs: number): Promise<void>;
  /** False where the copy is not wanted any more. */
  keep(file: TaskFile, kept: KeptFile): Promise<boolean>;
  /** To be tried again at `dueAt`, or never. */
  missed(file: TaskFile, attempts: number, dueAt: number | undefined): Promise<void>;
  /** Those made before, and those whose task was removed or forgotten. */
  listUnwanted(before: number, limit: number): Promise<readonly MediaCopy[]>;
  forget(file: TaskFile): Promise<void>;
}

/** Where bytes are kept, by paths below whatever a store has for itself. */
export interface MediaStore {
  /** Keeps the bytes, all or none of them. Throws what they throw. */
  put(path: string, bytes: AsyncIterable<Uint8Array>, mediaType: string): Promise<StoredBytes>;
  /** Undefined where there is no file of this size. */
  open(path: string, sizeBytes: number, span: Span): Promise<MediaBytes | undefined>;
  /** Whether or not it is there. */
  remove(path: string): Promise<void>;
}

type StoredBytes = Pick<KeptFile, "sizeBytes" | "digest">;

/** A blob is sent as it is, without passing through memory. */
export type MediaBytes = Blob | AsyncIterable<Uint8Array>;

/** Of a file, below whatever a store has for itself. */
export function pathOf({ taskId, index, variant }: TaskFile): string {
  return `${taskId}/${index}-${variant}`;
}
