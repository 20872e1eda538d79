import { GatewayError } from "#core/error.ts";
import type { Variant } from "#core/kept-media.ts";
import { HEAD_BYTES, mediaTypeOf } from "#lib/media-type.ts";

const VIDEO = /^video\/[a-z0-9.+-]{1,64}$/;
/** Nothing that could hold a script. */
const PICTURE = /^image\/(png|jpeg|webp|gif|avif|bmp)$/;
/** Of servers that do not know what they have. */
const UNTOLD = ["", "application/octet-stream", "binary/octet-stream", "application/mp4"];
/** A page or a document begins with one of these, and no video does. */
const TEXT = /^(?:\xef\xbb\xbf)?\s*[<{[]/;

/**
 * As what a file is handed over. Servers that no longer have one are known to
 * answer with a page or a document instead, with a status of success: those
 * are refused. `head`: the file's first bytes; undefined where others are asked for.
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
  // Of its middle nothing can be told.
  if (!tells && UNTOLD.includes(type) && isVideo) return "video/mp4";
  throw new GatewayError("upstream_failed", `What the upstream handed over is no ${variant}.`);
}
