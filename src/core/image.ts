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
import { fitsIn, NO_USAGE, type Usage } from "./usage.ts";

/**
 * Pictures that are asked for, in words of all families of models together: a
 * family refuses what would give another picture, and reports what it cannot say.
 */
export interface ImageRequest extends OperationRequest {
  readonly task: "generate" | "edit" | "vary";
  /** What is wanted, in the order in which it was said; at least one. */
  readonly turns: readonly ImageTurn[];
  /** Where the first picture may be changed. */
  readonly mask?: Picture;
  /** What is drawn over the first picture, to say what is to be changed. */
  readonly markup?: Picture;
  readonly stream: boolean;
  /** How often a streamed picture is to be shown before it is done. */
  readonly partials?: number;
  readonly count?: number;
  /** How a picture is to be handed over, where its model leaves a choice. */
  readonly delivery?: "url" | "base64";
  /** `1024x1024`, `16:9` or `2K`, as the family has it. */
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
  /** How close to the given pictures. */
  readonly fidelity?: string;
  /** How close to the words. */
  readonly guidance?: number;
  readonly negativePrompt?: string;
  readonly seed?: number;
  readonly watermark?: boolean;
  /** The vendor may write the prompt anew. */
  readonly rewrite?: boolean;
  /** How thoroughly it does: `standard`, `fast`. */
  readonly rewriteMode?: string;
  /** Pictures that belong together, as many as the model finds fit, up to a number. */
  readonly series?: { readonly mode: "auto" | "disabled"; readonly max?: number };
  readonly people?: string;
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  /** Words beside the pictures. */
  readonly withText?: boolean;
  readonly user?: string;
  /** Fields of the caller's that have no place above. */
  readonly extra?: JsonObject;
  /** Members of the caller's fields that nobody knows, by their paths. */
  readonly unread?: readonly string[];
}

export interface ImageTurn {
  readonly role: "user" | "model";
  readonly parts: readonly (string | Picture)[];
}

/** A given picture. */
export type Picture =
  | HeldPicture
  | { readonly kind: "url"; readonly url: string }
  /** A file that the vendor keeps. */
  | { readonly kind: "reference"; readonly id: string };

/** The picture itself, held once: in whichever way it came. */
export type HeldPicture =
  | { readonly kind: "base64"; readonly base64: Base64; readonly mediaType: string }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array; readonly mediaType: string };

/** Copied out of the body it came in, or, where it is long, left there. */
export type Base64 = string | LongBase64;

export interface Images extends OperationResult {
  readonly pictures: readonly MadePicture[];
  /** Of those that could not be made while others were. */
  readonly failures?: readonly UpstreamError[];
  /** Unix seconds. */
  readonly createdAt?: number;
  /** What the vendor says of how they were made: their size, quality, format. */
  readonly about?: JsonObject;
}

/** One of the two says where it is. */
export interface MadePicture {
  readonly url?: string;
  readonly base64?: Base64;
  readonly mediaType?: string;
  readonly revisedPrompt?: string;
  /** `1024x1024`. */
  readonly size?: string;
}

/** A streamed answer. `end` is the last event; a failure of all is thrown. */
export type ImageEvent =
  /** How far a picture has come. */
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
      /** Of this one alone, where the vendor counts each for itself. */
      readonly usage?: Usage;
    }
  | { readonly type: "failed"; readonly index: number; readonly error: UpstreamError }
  /** `usage`: of all, where the vendor counts them together. */
  | { readonly type: "end"; readonly usage?: Usage };

/** Reads a streamed answer event by event. */
export interface ImageDecoder {
  /** Throws the failure that an event tells of. */
  read(event: SseEvent): readonly ImageEvent[];
  /** The answer reached its end as the format marks it. */
  readonly isOver: boolean;
}

/** Writes a streamed answer event by event. */
export interface ImageEncoder {
  encode(event: Exclude<ImageEvent, { type: "end" }>): string;
  /** What ends the stream, with what was used. */
  end(usage: Usage): string;
  /** A failure after the first byte, as the format's own last event. */
  fail(error: GatewayError): string;
}

export interface InboundImageFormat extends InboundFormat<ImageRequest, Images> {
  readonly inbound: InboundFormat<ImageRequest, Images>["inbound"] & {
    /** `at`: when it was asked, in Unix seconds. */
    openEncoder(question: ImageRequest, at: number): ImageEncoder;
  };
}

type Outbound = OutboundFormat<ImageRequest, Images, JsonObject | SentForm>;

export interface OutboundImageFormat extends Outbound {
  readonly outbound: Outbound["outbound"] & {
    /** Absent where nothing is streamed: then a whole answer is handed on in one go. */
    openDecoder?(question: ImageRequest): ImageDecoder;
  };
}

/** All that was said, in one text. */
export function promptOf({ turns }: Pick<ImageRequest, "turns">): string {
  const texts = turns.flatMap(({ parts }) => parts.filter((part) => typeof part === "string"));
  return texts.join("\n");
}

/** All that was shown, in its order. */
export function picturesOf({ turns }: Pick<ImageRequest, "turns">): readonly Picture[] {
  return turns.flatMap(({ parts }) => parts.filter((part) => typeof part !== "string"));
}

/** In base64, whichever way it came. */
export function base64Of(picture: HeldPicture): Base64 {
  return picture.kind === "base64" ? picture.base64 : LongBase64.write(picture.bytes);
}

/** The same as what a form has of a file. */
export function fileOf(
  picture: HeldPicture,
): { readonly bytes: Uint8Array } | { readonly base64: LongBase64 } {
  if (picture.kind === "bytes") return { bytes: picture.bytes };
  const { base64 } = picture;
  return typeof base64 === "string" ? { bytes: Buffer.from(base64, "base64") } : { base64 };
}

/** Its link, or `data:image/png;base64,...`; undefined for what only its vendor can reach. */
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
      // With one seed all parts would be the same pictures.
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
      usage: withPictures(
        usage ?? guessedUsage(question, pictures.length),
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

/** What callers call the wish that fewer pictures than were asked for fall short of. */
export const FEWER_PICTURES = "n";
/** About what vendors count for a picture that they are given. */
const TOKENS_OF_GIVEN = 1_000;
/** The most that a vendor counts for a picture made in one of its qualities, rounded up. */
const DEAREST = 6_300;
const TOKENS_OF_MADE = new Map([
  ["low", 410],
  ["medium", 1_600],
  ["standard", 2_000],
]);
/** The least, for a picture of a thousand pixels across and down. */
const CHEAPEST = 272;
const LEAST_OF_MADE = new Map([
  ["medium", 1_056],
  ["high", 4_160],
]);
/** Pictures of a series where nobody says how many. */
export const MAX_SERIES = 4;
/** A seed is below it. */
const SEEDS = 2 ** 31;

/** Of what nobody counted, with so many pictures made. */
export function guessedUsage(question: ImageRequest, made: number): Usage {
  return {
    ...NO_USAGE,
    ...tokensOf(made, question),
    inputTokens: fitsIn(image.sizeOf(question)),
    isEstimated: true,
  };
}

/** Of a picture that was left before it was done. */
export function leftUsage(question: ImageRequest): Usage {
  return { ...NO_USAGE, ...tokensOf(1, question), isEstimated: true };
}

/** As little as vendors count for any of its quality. */
function tokensOf(made: number, { quality = "" }: ImageRequest) {
  const outputTokens = fitsIn(made * (LEAST_OF_MADE.get(quality) ?? CHEAPEST));
  return { outputTokens, imageOutputTokens: outputTokens };
}

/** Whoever pays by the picture pays for those that were made. */
export function withPictures(usage: Usage, made: number, question: ImageRequest): Usage {
  return { ...usage, images: made, ...gradeOf(question) };
}

function mostOf({ count = 1, series }: ImageRequest): number {
  return series?.mode === "auto" ? count * (series.max ?? MAX_SERIES) : count;
}

/** `hd 1024x1792`, `standard 4K`, `hd`: what prices by the picture tell apart. */
function gradeOf({ quality, size, resolution = size }: ImageRequest): { readonly grade?: string } {
  if (resolution === undefined) return quality === undefined ? {} : { grade: quality };
  return { grade: `${quality ?? "standard"} ${resolution}` };
}
