import { draw, type Drawing } from "@sluice/sandbox/engine/drawing.ts";
import { encodePicture } from "@sluice/sandbox/engine/encode-picture.ts";
import type { Media } from "@sluice/sandbox/engine/media.ts";
import { withoutMagicWords } from "@sluice/sandbox/faults/magic-words.ts";
import type { PictureRequest } from "./request.ts";

/** One of the pictures of a request; one that is not ready yet says so. */
export function drawing(request: PictureRequest, index: number, partial?: number): Drawing {
  const { size, prompt, given, mask, markup, count, background, partialCount } = request;
  const lines = [
    count === 1 ? "" : `${index + 1} of ${count}`,
    partial === undefined ? "" : `partial ${partial + 1} of ${partialCount}`,
    withoutMagicWords(prompt),
    request.kind === "variation" ? "variation" : "",
    ...given.map(({ media }) => shortly(media)),
    mask === undefined ? "" : `mask ${shortly(mask.media)}`,
    markup === undefined ? "" : `markup ${shortly(markup.media)}`,
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
  if (request.format === "svg") return base64Of(svgOf(drawing(request, index, partial)));
  if (request.format === "gif") return base64Of(gifOf(request));
  const png = draw(drawing(request, index, partial));
  const file = await encodePicture(png, request.format, request.compression);
  return Buffer.from(file).toString("base64");
}

function base64Of(file: string | Uint8Array): string {
  return Buffer.from(file).toString("base64");
}

function svgOf({ width, height, prompt }: Drawing): string {
  const text = prompt.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}><text x="8" y="24">${text}</text></svg>`;
}

/** Frames of one pixel on a canvas of the size: enough for whoever looks at the head and counts. */
function gifOf({ size, frames }: PictureRequest): Uint8Array {
  const side = (length: number) => [length & 255, length >> 8];
  const head = [...Buffer.from("GIF89a"), ...side(size.width), ...side(size.height), 0x80, 0, 0];
  const colours = [255, 255, 255, 0, 0, 0];
  const frame = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0];
  const delay = [0x21, 0xf9, 4, 0, 20, 0, 0, 0];
  const all = Array.from({ length: frames }, () => [...delay, ...frame]).flat();
  return Uint8Array.from([...head, ...colours, ...all, 0x3b]);
}

/** "64x32 PNG" */
function shortly({ widthPixels, heightPixels, mediaType, link }: Media): string {
  if (link !== undefined) return link;
  return `${widthPixels}x${heightPixels} ${mediaType?.replace("image/", "").toUpperCase()}`;
}
