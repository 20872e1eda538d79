import { GatewayError, invalid } from "#core/error.ts";
import {
  fileOf,
  type Base64,
  type HeldPicture,
  type ImageRequest,
  type Images,
  type ImageTurn,
  type MadePicture,
  type Picture,
} from "#core/image.ts";
import type { FetchedMedia } from "#core/media.ts";
import { LongBase64 } from "#lib/long-base64.ts";
import { mapAtMost } from "#lib/map-at-most.ts";
import {
  convertPicture,
  readPictureHead,
  type PictureFormat,
  type PictureHead,
} from "#lib/picture.ts";
import { concatPieces } from "#lib/pieces.ts";
import { defined } from "#lib/values.ts";
import type { ImageEndpoint, PictureTerms } from "#providers/provider.ts";
import type { Tools } from "./operate.ts";

/** Each image is in memory while it is downloaded or converted. */
const AT_ONCE = 4;
/** Headers with profiles and previews are longer; then the whole image is read. */
const HEAD_BYTES = 96 * 1024;
const BASE64_OF_HEAD = (HEAD_BYTES / 3) * 4;
const PNG = "image/png";

/**
 * Prepares a request's images for an endpoint. Images are downloaded if it does not follow links,
 * and converted to PNG if it does not support their format, which is detected from the content.
 * Throws `invalid_request` for anything else than an image.
 */
export async function preparePictures(
  question: ImageRequest,
  { pictures: terms, format: usual }: ImageEndpoint,
  tools: Tools,
): Promise<ImageRequest> {
  const prepare = (picture: Picture, param: string) => preparePicture(picture, param, terms, tools);
  const turns: ImageTurn[] = [];
  for (const turn of question.turns) {
    const parts = await mapAtMost(turn.parts, AT_ONCE, async (part) =>
      typeof part === "string" ? part : await prepare(part, "image"),
    );
    turns.push({ ...turn, parts });
  }
  const { mask, markup, format = usual } = question;
  return {
    ...question,
    turns,
    ...defined({ format }),
    ...(mask && { mask: await prepare(mask, "mask") }),
    ...(markup && { markup: await prepare(markup, "markup") }),
  };
}

export async function preparePicture(
  picture: Picture,
  param: string,
  terms: PictureTerms,
  tools: Pick<Tools, "media" | "maxPixels" | "signal">,
): Promise<Picture> {
  if (picture.kind === "reference") return picture;
  if (picture.kind !== "url") return await fitted(picture, param, terms, tools.maxPixels);
  if (!terms.inlines) return picture;
  const fetched = await fetchedFrom(picture.url, param, tools);
  return await fitted({ kind: "bytes", ...fetched }, param, terms, tools.maxPixels);
}

/** A failed download names the client's field that contains the URL. */
async function fetchedFrom(
  url: string,
  param: string,
  { media, signal }: Pick<Tools, "media" | "signal">,
): Promise<FetchedMedia> {
  try {
    return await media.follow(url, signal);
  } catch (cause) {
    const error = GatewayError.from(cause);
    throw error.code === "invalid_request" ? invalid(param, error.message) : error;
  }
}

async function fitted(
  picture: HeldPicture,
  param: string,
  { types }: PictureTerms,
  maxPixels: number,
): Promise<Picture> {
  const head = await headOf(picture);
  if (head === undefined) throw invalid(param, `'${param}' has data that is not an image.`);
  const { mediaType, width, height } = head;
  if (width * height > maxPixels) {
    throw invalid(
      param,
      `'${param}' has ${width}x${height} pixels; the maximum is ${maxPixels} pixels.`,
    );
  }
  if (types.includes(mediaType)) return { ...picture, mediaType };
  const bytes = await convertPicture(await bytesOf(picture), "png", maxPixels);
  if (bytes !== undefined) return { kind: "bytes", bytes, mediaType: PNG };
  throw invalid(param, `'${param}' is ${mediaType}; this model accepts ${types.join(", ")}.`);
}

async function headOf(picture: HeldPicture): Promise<PictureHead | undefined> {
  const start =
    picture.kind === "bytes" ? picture.bytes.subarray(0, HEAD_BYTES) : startOf(picture.base64);
  return (await readPictureHead(start)) ?? (await readPictureHead(await bytesOf(picture)));
}

function startOf(base64: Base64): Uint8Array {
  if (typeof base64 !== "string") return base64.start(HEAD_BYTES);
  return Buffer.from(base64.slice(0, BASE64_OF_HEAD), "base64");
}

async function bytesOf(picture: HeldPicture): Promise<Uint8Array> {
  const file = fileOf(picture);
  return "bytes" in file ? file.bytes : await concatPieces(file.base64.content);
}

/**
 * Completes the response: sets its time, downloads linked images if the client requested base64,
 * and converts them if the vendor used another format.
 */
export async function finishPictures(
  made: Images,
  { delivery, format }: ImageRequest,
  tools: Tools,
): Promise<Images> {
  const pictures = await mapAtMost(made.pictures, AT_ONCE, async (picture) => {
    const held = delivery === "base64" ? await fetched(picture, tools) : picture;
    return await formatted(held, format, tools.maxPixels);
  });
  return { createdAt: unixSeconds(tools.at), ...made, pictures };
}

/** The image is already charged: if it cannot be downloaded, the client gets the URL. */
async function fetched(
  picture: MadePicture,
  { media, signal, upstream, report }: Tools,
): Promise<MadePicture> {
  const { url, ...rest } = picture;
  if (url === undefined || picture.base64 !== undefined) return picture;
  try {
    const { bytes, mediaType } = await media.follow(url, signal, upstream);
    return { ...rest, base64: LongBase64.write(bytes), mediaType };
  } catch (cause) {
    if (signal.aborted) throw cause;
    report.lose("response_format");
    return picture;
  }
}

/** An image in an unsupported format, perhaps a newer one, is returned unchanged. */
async function formatted(
  picture: MadePicture,
  format: string | undefined,
  maxPixels: number,
): Promise<MadePicture> {
  const { base64, mediaType } = picture;
  if (base64 === undefined || mediaType === undefined || !isFormat(format)) return picture;
  if (mediaType === `image/${format}`) return picture;
  const held = await bytesOf({ kind: "base64", base64, mediaType });
  const bytes = await convertPicture(held, format, maxPixels);
  if (bytes === undefined) return picture;
  return { ...picture, base64: LongBase64.write(bytes), mediaType: `image/${format}` };
}

function isFormat(format: string | undefined): format is PictureFormat {
  return format === "png" || format === "jpeg" || format === "webp";
}

export function unixSeconds(ms: number): number {
  return Math.floor(ms / 1_000);
}
