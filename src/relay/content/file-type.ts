import { GatewayError } from "#core/error.ts";
import type { Variant } from "#core/kept-media.ts";
import { HEAD_BYTES, mediaTypeOf } from "#lib/media-type.ts";

const VIDEO = /^video\/[a-z0-9.+-]{1,64}$/;
/** Image types without scripts. */
const PICTURE = /^image\/(png|jpeg|webp|gif|avif|bmp)$/;
/** Media types of servers that do not know the file's type. */
const UNTOLD = ["", "application/octet-stream", "binary/octet-stream", "application/mp4"];
/** A page or a document starts with one of these, and no video does. */
const TEXT = /^(?:\xef\xbb\xbf)?\s*[<{[]/;

/**
 * The media type of a file. Some servers send a page or a document with a success status if the
 * file is gone: those are refused. `head`: the file's first bytes; undefined for a later range.
 */
export function fileType(
  said: string | undefined,
  variant: Variant,
  head: Uint8Array | undefined,
): string {
  const isVideo = variant === "video" || variant === "watermarked";
  const kind = isVideo ? VIDEO : PICTURE;
  const type = (said ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const isSaid = kind.test(type);
  const tells = head !== undefined && head.length >= HEAD_BYTES;
  const found = tells ? mediaTypeOf(head) : undefined;
  if (found !== undefined && kind.test(found)) return isSaid ? type : found;

  const isText = tells && TEXT.test(Buffer.from(head).toString("latin1"));
  if (isSaid && found === undefined && !isText) return type;
  // A later range contains no file signature.
  if (!tells && UNTOLD.includes(type) && isVideo) return "video/mp4";
  throw new GatewayError("upstream_failed", `The upstream returned a file that is no ${variant}.`);
}
