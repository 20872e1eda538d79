import type { MediaBytes, Variant } from "#core/kept-media.ts";
import { spanOf, type ByteRange, type Span } from "#lib/byte-range.ts";

/** What somebody wants of the files of a task. */
export interface ContentRequest {
  /** Which of its videos, from 0. */
  readonly index: number;
  readonly variant: Variant;
  readonly range?: ByteRange;
  /** What the file must still be for the range to mean anything. */
  readonly ifRange?: string;
  readonly signal: AbortSignal;
}

/** A file on its way; whoever holds it must `close` it. */
export interface Content {
  /** 416: the file has no such range, and the body is empty. */
  readonly status: 200 | 206 | 416;
  readonly mediaType: string;
  /** Of the whole file; undefined where nobody says. */
  readonly sizeBytes: number | undefined;
  /** Of a 206. */
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

/** How a file that is all there answers a wish, and which of its bytes that takes. */
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
