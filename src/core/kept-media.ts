import type { Span } from "#lib/byte-range.ts";

/** The files of a video task: the video and its additional files. */
export const VARIANTS = ["video", "thumbnail", "spritesheet", "last_frame", "watermarked"] as const;
export type Variant = (typeof VARIANTS)[number];

/** One file of a task. */
export interface TaskFile {
  readonly taskId: string;
  /** Index of the video in the task, from 0. */
  readonly index: number;
  readonly variant: Variant;
}

/** Places for copies. */
export const MEDIA_PLACES = ["folder", "s3"] as const;
export type MediaPlace = (typeof MEDIA_PLACES)[number];

/**
 * A copy of a file, which stays available after the vendor's link expires, or
 * an order for a copy.
 */
export interface MediaCopy extends TaskFile {
  readonly state: "wanted" | "kept" | "given_up";
  readonly place: MediaPlace;
  /** Set once the copy is stored. */
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

/**
 * The store of copies and orders for copies. The database clock measures
 * leases, because all gateways share it.
 */
export interface MediaCopyStore {
  /** Orders copies; existing entries stay unchanged. */
  want(files: readonly TaskFile[], place: MediaPlace, now: number): Promise<void>;
  /** Finds a stored copy. */
  find(file: TaskFile): Promise<MediaCopy | undefined>;
  /** Leases orders that are due and not leased, for `leaseMs`. */
  lease(leaseMs: number, limit: number): Promise<readonly MediaCopy[]>;
  /** Extends the lease while the file is copied. */
  prolong(file: TaskFile, leaseMs: number): Promise<void>;
  /** False if the copy is no longer wanted. */
  keep(file: TaskFile, kept: KeptFile): Promise<boolean>;
  /** Retry at `dueAt`, or never if undefined. */
  missed(file: TaskFile, attempts: number, dueAt: number | undefined): Promise<void>;
  /** Copies made before `before`, and copies of removed or deleted tasks. */
  listUnwanted(before: number, limit: number): Promise<readonly MediaCopy[]>;
  forget(file: TaskFile): Promise<void>;
}

/** A byte store; paths are relative to the store's root. */
export interface MediaStore {
  /** Stores all bytes or none. Throws the errors of `bytes`. */
  put(path: string, bytes: AsyncIterable<Uint8Array>, mediaType: string): Promise<StoredBytes>;
  /** Undefined if no file of this size exists. */
  open(path: string, sizeBytes: number, span: Span): Promise<MediaBytes | undefined>;
  /** Succeeds even if the file does not exist. */
  remove(path: string): Promise<void>;
}

type StoredBytes = Pick<KeptFile, "sizeBytes" | "digest">;

/** A blob is sent directly, without a copy in memory. */
export type MediaBytes = Blob | AsyncIterable<Uint8Array>;

/** Path of a file, relative to the store's root. */
export function pathOf({ taskId, index, variant }: TaskFile): string {
  return `${taskId}/${index}-${variant}`;
}
