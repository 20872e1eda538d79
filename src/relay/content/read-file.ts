import { GatewayError } from "#core/error.ts";
import type { OpenedFile } from "#egress/linked-files.ts";
import { parseContentRange } from "#lib/byte-range.ts";
import type { Fields } from "#lib/http1.ts";
import { HEAD_BYTES } from "#lib/media-type.ts";
import { EMPTY_BLOB, type Content, type ContentRequest } from "./content.ts";
import { fileType } from "./file-type.ts";

/** The `Content-Range` header of a 416. */
const UNSATISFIED = /^bytes \*\/(\d{1,15})$/i;
const FIELD = /^[\x20-\x7e]{1,256}$/;

/** The file of a response, after its type was checked. Closes the response if the check fails. */
export async function readFile(
  file: OpenedFile,
  contentRequest: ContentRequest,
  maxBytes: number,
): Promise<Content> {
  try {
    return await read(file, contentRequest, maxBytes);
  } catch (cause) {
    file.close();
    throw cause;
  }
}

async function read(
  file: OpenedFile,
  contentRequest: ContentRequest,
  maxBytes: number,
): Promise<Content> {
  const { status, headers } = file;
  const close = (): void => file.close();
  const about = {
    takesRanges: status === 206 || headers.get("accept-ranges")?.toLowerCase() === "bytes",
    etag: fieldIn(headers, "etag"),
    lastModified: fieldIn(headers, "last-modified"),
    close,
  };
  const said = headers.get("content-type");
  if (status === 416 && contentRequest.range !== undefined) {
    const [, size] = UNSATISFIED.exec(headers.get("content-range") ?? "") ?? [];
    const sizeBytes = size === undefined ? undefined : Number(size);
    return { ...about, status, mediaType: "", sizeBytes, body: EMPTY_BLOB };
  }

  const span = status === 206 ? parseContentRange(headers.get("content-range")) : undefined;
  if (status !== 200 && (span === undefined || contentRequest.range === undefined))
    throw malformed();
  const length = headers.get("content-length");
  const lengthBytes = length === undefined ? undefined : Number(length);
  if ((lengthBytes ?? 0) > maxBytes) throw tooLarge();

  const pieces = limited(file.body, maxBytes);
  const isStart = span === undefined || span.start === 0;
  const head = isStart ? await readHead(pieces) : undefined;
  if (head?.length === 0) {
    throw new GatewayError("upstream_failed", "The upstream returned an empty file.");
  }
  const mediaType = fileType(said, contentRequest.variant, head);
  const body = head === undefined ? pieces : joined(head, pieces);
  if (span === undefined) {
    return { ...about, status: 200, mediaType, sizeBytes: lengthBytes, body };
  }
  return { ...about, status: 206, mediaType, sizeBytes: span.sizeBytes, span, body };
}

function fieldIn(headers: Fields, name: string): string | undefined {
  const value = headers.get(name);
  return value !== undefined && FIELD.test(value) ? value : undefined;
}

/** The first bytes of a file, enough to detect its type. */
async function readHead(pieces: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  const head: Uint8Array[] = [];
  let sizeBytes = 0;
  while (sizeBytes < HEAD_BYTES) {
    const next = await pieces.next();
    if (next.done === true) break;
    head.push(next.value);
    sizeBytes += next.value.length;
  }
  const [only] = head;
  return head.length === 1 && only !== undefined ? only : Buffer.concat(head);
}

async function* joined(
  head: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield head;
  yield* rest;
}

async function* limited(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0;
  for await (const piece of body) {
    sizeBytes += piece.length;
    if (sizeBytes > maxBytes) throw tooLarge();
    yield piece;
  }
}

function tooLarge(): GatewayError {
  return new GatewayError("upstream_failed", "The file exceeds `limits.media_bytes`.");
}

function malformed(): GatewayError {
  return new GatewayError("upstream_failed", "The upstream sent a different range than requested.");
}
