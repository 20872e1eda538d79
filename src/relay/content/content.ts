import type { MediaBytes, Variant } from "#core/kept-media.ts";
import { spanOf, type ByteRange, type Span } from "#lib/byte-range.ts";

/** The requested file of a task. */
export interface ContentRequest {
  /** Index of the video, from 0. */
  readonly index: number;
  readonly variant: Variant;
  readonly range?: ByteRange;
  /** The file's required ETag, so that the range still applies. */
  readonly ifRange?: string;
  readonly signal: AbortSignal;
}

/** An open file; the caller must `close` it. */
export interface Content {
  /** 416: the range is outside the file, and the body is empty. */
  readonly status: 200 | 206 | 416;
  readonly mediaType: string;
  /** Size of the whole file; undefined if unknown. */
  readonly sizeBytes: number | undefined;
  /** The range of a 206. */
  readonly span?: Span;
  readonly takesRanges: boolean;
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
  readonly body: MediaBytes;
  close(): void;
}

interface Known extends Pick<Content, "mediaType" | "etag"> {
  readonly sizeBytes: number;
}

/** The status and byte range for a request, if the whole file is available. */
export function answerWith(
  { sizeBytes, mediaType, etag }: Known,
  { range, ifRange }: Pick<ContentRequest, "range" | "ifRange">,
): { readonly head: Omit<Content, "body" | "close">; readonly bytes: Span } {
  const about = { mediaType, sizeBytes, takesRanges: true, etag };
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) {
    return { head: { ...about, status: 200 }, bytes: { start: 0, end: sizeBytes } };
  }
  const span = spanOf(range, sizeBytes);
  if (span === undefined) return { head: { ...about, status: 416 }, bytes: { start: 0, end: 0 } };
  return { head: { ...about, status: 206, span }, bytes: span };
}

export const EMPTY_BLOB = new Blob([]);
