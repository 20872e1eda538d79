import { draw, type Drawing } from "#sandbox/engine/drawing.ts";
import { encodePicture } from "#sandbox/engine/encode-picture.ts";
import type { Media } from "#sandbox/engine/media.ts";
import { withoutMagicWords } from "#sandbox/faults/magic-words.ts";
import type { PictureRequest } from "./request.ts";

/** One of the pictures of a request; one that is not ready yet says so. */
export function drawing(request: PictureRequest, index: number, partial?: number): Drawing {
  const { size, prompt, given, mask, count, background, partialCount } = request;
  const lines = [
    count === 1 ? "" : `${index + 1} of ${count}`,
    partial === undefined ? "" : `partial ${partial + 1} of ${partialCount}`,
    withoutMagicWords(prompt),
    request.kind === "variation" ? "variation" : "",
    ...given.map(({ media }) => shortly(media)),
    mask === undefined ? "" : `mask ${shortly(mask.media)}`,
  ];
  return {
    ...size,
    prompt: lines.filter((line) => line !== "").join("\n"),
    given: given.length,
    isMarked: false,
    isClear: background === "transparent",
  };
}

/** In base64, in the format that was asked for. */
export async function drawn(
  request: PictureRequest,
  index: number,
  partial?: number,
): Promise<string> {
  const png = draw(drawing(request, index, partial));
  const file = await encodePicture(png, request.format, request.compression);
  return Buffer.from(file).toString("base64");
}

/** "64x32 PNG" */
function shortly({ widthPixels, heightPixels, mediaType, link }: Media): string {
  if (link !== undefined) return link;
  return `${widthPixels}x${heightPixels} ${mediaType?.replace("image/", "").toUpperCase()}`;
}
