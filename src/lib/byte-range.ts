/** One requested byte range; both ends are inclusive. */
export type ByteRange =
  | { readonly first: number; readonly last?: number }
  | { readonly suffix: number };

/** A byte range in a file; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const RANGE = /^bytes=\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/i;
const CONTENT_RANGE = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/i;

/**
 * Parses a Range header. Undefined if it is not understood: the response is
 * then the whole file (RFC 9110, 14.2).
 */
export function parseByteRange(header: string | null): ByteRange | "several" | undefined {
  if (header === null) return undefined;
  if (/^\s*bytes=.*,/i.test(header)) return "several";
  const [, first = "", last = ""] = RANGE.exec(header.trim()) ?? [];
  if (first === "") return last === "" ? undefined : { suffix: Number(last) };
  if (last === "") return { first: Number(first) };
  if (Number(last) < Number(first)) return undefined;
  return { first: Number(first), last: Number(last) };
}

export function formatByteRange(range: ByteRange): string {
  if ("suffix" in range) return `bytes=-${range.suffix}`;
  return `bytes=${range.first}-${range.last ?? ""}`;
}

/** The span of a range in a file of this size; undefined if it contains no byte of the file. */
export function spanOf(range: ByteRange, sizeBytes: number): Span | undefined {
  if ("suffix" in range) {
    if (range.suffix === 0 || sizeBytes === 0) return undefined;
    return { start: Math.max(0, sizeBytes - range.suffix), end: sizeBytes };
  }
  const { first, last = Infinity } = range;
  return first < sizeBytes ? { start: first, end: Math.min(sizeBytes, last + 1) } : undefined;
}

/** Parses a Content-Range header; the size is undefined if its sender does not know it. */
export function parseContentRange(
  header: string | undefined,
): (Span & { readonly sizeBytes: number | undefined }) | undefined {
  const [, first, last, size] = CONTENT_RANGE.exec(header ?? "") ?? [];
  const start = Number(first);
  const end = Number(last) + 1;
  const sizeBytes = size === "*" ? undefined : Number(size);
  const isPlausible = start < end && (sizeBytes === undefined || end <= sizeBytes);
  return isPlausible ? { start, end, sizeBytes } : undefined;
}

export function formatContentRange({ start, end }: Span, sizeBytes: number | "*"): string {
  return `bytes ${start}-${end - 1}/${sizeBytes}`;
}
