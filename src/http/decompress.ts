import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, zstdDecompress } from "node:zlib";
import { GatewayError } from "#core/error.ts";

type Decompress = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>;

/** Content encodings that official clients use. */
const CODINGS: ReadonlyMap<string, Decompress> = new Map<string, Decompress>([
  ["gzip", promisify(gunzip)],
  ["x-gzip", promisify(gunzip)],
  ["deflate", promisify(inflate)],
  ["br", promisify(brotliDecompress)],
  ["zstd", promisify(zstdDecompress)],
]);

/**
 * Decompresses a request body. A small body may expand to a huge one, so the output is limited;
 * only one encoding is accepted.
 */
export async function decompress(
  bytes: Uint8Array,
  coding: string,
  maxBytes: number,
): Promise<Uint8Array> {
  const open = CODINGS.get(coding.trim().toLowerCase());
  if (open === undefined) {
    throw new GatewayError(
      "unsupported_media_type",
      `The Content-Encoding must be one of ${[...CODINGS.keys()].join(", ")}.`,
    );
  }
  try {
    return await open(bytes, { maxOutputLength: maxBytes });
  } catch (cause) {
    if (isTooLong(cause)) throw tooLarge(maxBytes);
    throw new GatewayError("invalid_request", `The body is not valid ${coding.slice(0, 16)}.`, {
      cause,
    });
  }
}

export function tooLarge(maxBytes: number): GatewayError {
  return new GatewayError("too_large", `The body is larger than ${maxBytes / 1024 / 1024} MiB.`);
}

function isTooLong(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "ERR_BUFFER_TOO_LARGE";
}
