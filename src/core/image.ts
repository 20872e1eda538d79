import type { SentForm } from "#lib/form.ts";
import type { JsonObject } from "#lib/json.ts";
import { LongBase64 } from "#lib/long-base64.ts";
import type { SseEvent } from "#lib/sse.ts";
import { defined } from "#lib/values.ts";
import { estimateTokens } from "./count.ts";
import type { GatewayError } from "./error.ts";
import {
  usageOfAll,
  type InboundFormat,
  type OutboundFormat,
  type OperationRequest,
  type OperationKind,
  type OperationResult,
} from "./operation.ts";
import type { UpstreamError } from "./style.ts";
import { clampCount, NO_USAGE, type Usage } from "./usage.ts";

/**
 * An image request in the union of all model families' fields. A family refuses
 * a field if dropping it would give a different image, and reports other fields
 * that it cannot carry.
 */
export interface ImageRequest extends OperationRequest {
  readonly task: "generate" | "edit" | "vary";
  /** Prompts and images in their original order; at least one turn. */
  readonly turns: readonly ImageTurn[];
  /** Marks the editable area of the first image. */
  readonly mask?: Picture;
  /** Marks drawn over the first image to show the requested changes. */
  readonly markup?: Picture;
  readonly stream: boolean;
  /** Number of partial images in a stream. */
  readonly partials?: number;
  readonly count?: number;
  /** How to deliver images, if the model supports a choice. */
  readonly delivery?: "url" | "base64";
  /** `1024x1024`, `16:9` or `2K`, depending on the family. */
  readonly size?: string;
  readonly aspectRatio?: string;
  /** `1K`, `2K`, `4K`. */
  readonly resolution?: string;
  readonly quality?: string;
  readonly style?: string;
  readonly background?: string;
  readonly moderation?: string;
  /** `png`, `jpeg`, `webp`. */
  readonly format?: string;
  readonly compression?: number;
  /** Similarity to the input images. */
  readonly fidelity?: string;
  /** Prompt adherence. */
  readonly guidance?: number;
  readonly negativePrompt?: string;
  readonly seed?: number;
  readonly watermark?: boolean;
  /** The vendor may rewrite the prompt. */
  readonly rewrite?: boolean;
  /** Rewrite mode: `standard`, `fast`. */
  readonly rewriteMode?: string;
  /** A series of related images. The model chooses the number, up to `max`. */
  readonly series?: { readonly mode: "auto" | "disabled"; readonly max?: number };
  readonly people?: string;
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  /** Also return text with the images. */
  readonly withText?: boolean;
  readonly user?: string;
  /** Client fields without an equivalent above. */
  readonly extra?: JsonObject;
  /** Paths of client fields that the gateway does not know. */
  readonly unread?: readonly string[];
}

export interface ImageTurn {
  readonly role: "user" | "model";
  readonly parts: readonly (string | Picture)[];
}

/** An input image. */
export type Picture =
  | HeldPicture
  | { readonly kind: "url"; readonly url: string }
  /** A file that is stored at the vendor. */
  | { readonly kind: "reference"; readonly id: string };

/** Image data, stored once in its original encoding. */
export type HeldPicture =
  | { readonly kind: "base64"; readonly base64: Base64; readonly mediaType: string }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array; readonly mediaType: string };

/** Copied out of the request body, or a reference into it if it is long. */
export type Base64 = string | LongBase64;

export interface Images extends OperationResult {
  readonly pictures: readonly MadePicture[];
  /** Errors of images that failed while others succeeded. */
  readonly failures?: readonly UpstreamError[];
  /** Unix seconds. */
  readonly createdAt?: number;
  /** The vendor's metadata on the result: size, quality, format. */
  readonly about?: JsonObject;
}

/** Either `url` or `base64` is present. */
export interface MadePicture {
  readonly url?: string;
  readonly base64?: Base64;
  readonly mediaType?: string;
  readonly revisedPrompt?: string;
  /** `1024x1024`. */
  readonly size?: string;
}

/** A streamed response. `end` is the last event. A failure of the whole request is thrown. */
export type ImageEvent =
  /** A partial image. */
  | {
      readonly type: "partial";
      readonly index: number;
      readonly step: number;
      readonly picture: MadePicture;
      readonly about?: JsonObject;
    }
  | {
      readonly type: "picture";
      readonly index: number;
      readonly picture: MadePicture;
      readonly about?: JsonObject;
      /** Usage of this image alone, if the vendor counts images separately. */
      readonly usage?: Usage;
    }
  | { readonly type: "failed"; readonly index: number; readonly error: UpstreamError }
  /** `usage`: the total, if the vendor counts all images together. */
  | { readonly type: "end"; readonly usage?: Usage };

/** Reads a streamed response event by event. */
export interface ImageDecoder {
  /** Throws if the event reports a failure. */
  read(event: SseEvent): readonly ImageEvent[];
  /** The response reached the format's end marker. */
  readonly isOver: boolean;
}

/** Writes a streamed response event by event. */
export interface ImageEncoder {
  encode(event: Exclude<ImageEvent, { type: "end" }>): string;
  /** The end of the stream, with the usage. */
  end(usage: Usage): string;
  /** Writes a failure after the first byte as the format's error event. */
  fail(error: GatewayError): string;
}

export interface InboundImageFormat extends InboundFormat<ImageRequest, Images> {
  readonly inbound: InboundFormat<ImageRequest, Images>["inbound"] & {
    /** `at`: Unix seconds of the request. */
    openEncoder(question: ImageRequest, at: number): ImageEncoder;
  };
}

type Outbound = OutboundFormat<ImageRequest, Images, JsonObject | SentForm>;

export interface OutboundImageFormat extends Outbound {
  readonly outbound: Outbound["outbound"] & {
    /** Absent if the format does not stream: a complete response is then sent at once. */
    openDecoder?(question: ImageRequest): ImageDecoder;
  };
}

/** The whole prompt as one text. */
export function promptOf({ turns }: Pick<ImageRequest, "turns">): string {
  const texts = turns.flatMap(({ parts }) => parts.filter((part) => typeof part === "string"));
  return texts.join("\n");
}

/** All input images in order. */
export function picturesOf({ turns }: Pick<ImageRequest, "turns">): readonly Picture[] {
  return turns.flatMap(({ parts }) => parts.filter((part) => typeof part !== "string"));
}

/** The image as base64. */
export function base64Of(picture: HeldPicture): Base64 {
  return picture.kind === "base64" ? picture.base64 : LongBase64.write(picture.bytes);
}

/** The image as the content of a form file. */
export function fileOf(
  picture: HeldPicture,
): { readonly bytes: Uint8Array } | { readonly base64: LongBase64 } {
  if (picture.kind === "bytes") return { bytes: picture.bytes };
  const { base64 } = picture;
  return typeof base64 === "string" ? { bytes: Buffer.from(base64, "base64") } : { base64 };
}

/**
 * Its link, or `data:image/png;base64,...`; undefined for a reference that only
 * its vendor can read.
 */
export function linkOf(picture: Picture): Base64 | undefined {
  if (picture.kind === "reference") return undefined;
  if (picture.kind === "url") return picture.url;
  const head = `data:${picture.mediaType};base64,`;
  const base64 = base64Of(picture);
  return typeof base64 === "string" ? head + base64 : base64.behind(head);
}

export const image: OperationKind<ImageRequest, Images> = {
  sizeOf: (question) =>
    estimateTokens(promptOf(question)) + picturesOf(question).length * TOKENS_OF_GIVEN,

  wordsOf: (question) => [{ words: [promptOf(question)], times: 1 }],

  unitsOf: (question) => ({ images: mostOf(question), ...gradeOf(question) }),

  expect: (question) => ({
    maxOutputTokens: TOKENS_OF_MADE.get(question.quality ?? "") ?? DEAREST,
    choices: mostOf(question),
  }),

  partsAtOnce: 4,

  split(question, maxInputs) {
    const { count = 1, seed } = question;
    if (count <= maxInputs) return [question];
    const parts: ImageRequest[] = [];
    for (let left = count; left > 0; left -= maxInputs) {
      // With the same seed, all parts would return the same images.
      const own = seed === undefined ? {} : { seed: (seed + count - left) % SEEDS };
      parts.push({ ...question, count: Math.min(left, maxInputs), ...own });
    }
    return parts;
  },

  join(parts, question) {
    const answers = parts.map(({ answer }) => answer);
    const { createdAt, about } = answers[0] ?? {};
    const pictures = answers.flatMap((answer) => answer.pictures);
    const usage = usageOfAll(answers);
    return {
      pictures,
      failures: answers.flatMap(({ failures = [] }) => failures),
      usage: withImageCount(
        usage ?? estimatedUsage(question, pictures.length),
        pictures.length,
        question,
      ),
      ...defined({ createdAt, about }),
    };
  },

  shortOf: ({ pictures, failures = [] }, { count = 1 }) =>
    failures.length > 0 || pictures.length < count ? [FEWER_PICTURES] : [],

  failed: ({ code, message }) => ({
    pictures: [],
    failures: [{ code, message }],
    usage: NO_USAGE,
  }),
};

/** The client's field that is reported if fewer images than requested were made. */
export const FEWER_PICTURES = "n";
/** Approximate number of tokens that vendors count per input image. */
const TOKENS_OF_GIVEN = 1_000;
/** The highest token count per output image in each quality, rounded up. */
const DEAREST = 6_300;
const TOKENS_OF_MADE = new Map([
  ["low", 410],
  ["medium", 1_600],
  ["standard", 2_000],
]);
/** The lowest token count, for an image of about 1000 by 1000 pixels. */
const CHEAPEST = 272;
const LEAST_OF_MADE = new Map([
  ["medium", 1_056],
  ["high", 4_160],
]);
/** Number of images to reserve for a series without a maximum. */
export const MAX_SERIES = 4;
/** Exclusive upper bound of a seed. */
const SEEDS = 2 ** 31;

/** Estimated usage of a request without reported usage, for this number of images. */
export function estimatedUsage(question: ImageRequest, made: number): Usage {
  return {
    ...NO_USAGE,
    ...tokensOf(made, question),
    inputTokens: clampCount(image.sizeOf(question)),
    isEstimated: true,
  };
}

/** Estimated usage of an image that was aborted before it was complete. */
export function abortedUsage(question: ImageRequest): Usage {
  return { ...NO_USAGE, ...tokensOf(1, question), isEstimated: true };
}

/** The lowest count that vendors use for this quality. */
function tokensOf(made: number, { quality = "" }: ImageRequest) {
  const outputTokens = clampCount(made * (LEAST_OF_MADE.get(quality) ?? CHEAPEST));
  return { outputTokens, imageOutputTokens: outputTokens };
}

/** Adds the number of images, for prices per image. */
export function withImageCount(usage: Usage, made: number, question: ImageRequest): Usage {
  return { ...usage, images: made, ...gradeOf(question) };
}

function mostOf({ count = 1, series }: ImageRequest): number {
  return series?.mode === "auto" ? count * (series.max ?? MAX_SERIES) : count;
}

/** The kind of result that prices per image distinguish: `hd 1024x1792`, `standard 4K`, `hd`. */
function gradeOf({ quality, size, resolution = size }: ImageRequest): { readonly grade?: string } {
  if (resolution === undefined) return quality === undefined ? {} : { grade: quality };
  return { grade: `${quality ?? "standard"} ${resolution}` };
}
