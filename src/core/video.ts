import type { Form, SentForm } from "#lib/form.ts";
import type { JsonObject } from "#lib/json.ts";
import type { Extra } from "./chat.ts";
import { estimateTokens } from "./count.ts";
import type { GatewayError } from "./error.ts";
import type { HeldPicture } from "./image.ts";
import type { OperationRequest } from "./operation.ts";
import type { Address, OutboundContext, UpstreamError } from "./style.ts";
import type { Task } from "./task.ts";
import { clampCount, NO_USAGE, type Usage } from "./usage.ts";

/**
 * A video request in the union of all protocols' fields. A vendor's format
 * refuses a field if dropping it would give a different video, and reports
 * other fields that it cannot carry.
 */
export interface VideoRequest extends OperationRequest {
  readonly scenario: VideoScenario;
  /**
   * Id of the client's format. If that vendor's own clients may omit a field,
   * the vendor chooses its value.
   */
  readonly entry?: string;
  /**
   * Requested values that were replaced. They are reported with the fields that
   * are not carried.
   */
  readonly changed?: readonly string[];
  /**
   * Which of two fields the client used for the prompt: a separate field or the
   * list of contents.
   */
  readonly wordsIn?: "prompt" | "content";
  readonly prompt?: string;
  readonly negativePrompt?: string;
  /** Input media for the model, in order. */
  readonly media: readonly VideoMedia[];
  /** The task with the video to remix. */
  readonly source?: VideoSource;
  readonly seconds?: number;
  readonly frames?: number;
  /** `1280x720`. */
  readonly size?: string;
  /** In lower case: `480p`, `720p`, `1080p`, `768p`, `2k`, `4k`. */
  readonly resolution?: string;
  /** `16:9`, or `adaptive`. */
  readonly ratio?: string;
  readonly framesPerSecond?: number;
  readonly count?: number;
  readonly seed?: number;
  /** Generate a sound track. An explicit false differs from an absent value. */
  readonly audio?: boolean;
  /** Add background music. */
  readonly music?: boolean;
  readonly watermark?: boolean;
  readonly cameraFixed?: boolean;
  /** Amount of motion: `auto`, `small`, `medium`, `large`. */
  readonly movement?: string;
  /** The vendor may rewrite the prompt. */
  readonly rewrite?: boolean;
  /** Prompt adherence, from 0 to 1. */
  readonly guidance?: number;
  /** `std` or `pro`, for vendors with such modes. */
  readonly mode?: string;
  /** Camera motion, in the format of the one vendor that supports it. */
  readonly camera?: JsonObject;
  readonly people?: string;
  /** Also return the last frame as an image. */
  readonly lastFrame?: boolean;
  /** URL for callbacks to the client. */
  readonly callbackUrl?: string;
  /** The client's own id of the task. */
  readonly externalId?: string;
  /** Opaque client data, returned unchanged. */
  readonly payload?: string;
  readonly user?: string;
  /** Fields of the client's protocol without an equivalent above, keyed by the protocol's id. */
  readonly extra?: Extra;
}

/**
 * The purpose of the media. `reference`: the model uses them as references.
 * `omni`: the same, but with images, videos and audio that the prompt can name.
 */
export type VideoScenario = "text" | "first_frame" | "first_last" | "reference" | "omni" | "remix";

export interface VideoMedia {
  readonly type: "image" | "video" | "audio";
  readonly role: "first_frame" | "last_frame" | "reference" | "base" | "voice";
  readonly source: MediaOrigin;
  /** The name by which the prompt refers to this medium. */
  readonly tag?: string;
}

/** Input media for a vendor. Base64 data with an unknown media type has an empty media type. */
export type MediaOrigin =
  | { readonly kind: "url"; readonly url: string }
  | HeldPicture
  /** A file of the asset library. */
  | { readonly kind: "asset"; readonly id: string }
  /** A file that is stored at the vendor. */
  | { readonly kind: "reference"; readonly id: string };

/** `id` is our id, `upstreamId` the vendor's. */
interface VideoSource {
  readonly id: string;
  readonly upstreamId: string;
  /** Properties of the source video. The remix keeps them unless the request sets others. */
  readonly was?: Pick<TaskFacts, "seconds" | "size" | "resolution" | "ratio" | "audio">;
}

/** A finished video and the files that belong to it. */
export interface MadeVideo {
  /**
   * The vendor's link. It may expire and may need the credential. Empty if the
   * vendor gives no link.
   */
  readonly url: string;
  readonly mediaType?: string;
  readonly coverUrl?: string;
  readonly lastFrameUrl?: string;
  readonly watermarkedUrl?: string;
  /** The vendor's id of the video. */
  readonly id?: string;
  readonly seconds?: number;
  readonly width?: number;
  readonly height?: number;
}

/** A task's state as the vendor reports it. */
export type TaskUpdate =
  | { readonly state: "queued" | "running"; readonly progress?: number }
  | {
      readonly state: "succeeded";
      readonly videos: readonly MadeVideo[];
      readonly usage?: Usage;
      /** Unix ms at which its links expire. */
      readonly linksEndAt?: number;
      /** The actual seconds, resolution, ratio and seed. */
      readonly facts?: Partial<TaskFacts>;
    }
  | { readonly state: "failed"; readonly failure: TaskFailure; readonly usage?: Usage }
  /** The vendor does not know the task, possibly because the task is very new. */
  | { readonly state: "missing" };

export interface TaskFailure {
  /**
   * One of our codes if one fits (`content_filtered`, `task_cancelled`,
   * `task_expired`), else the vendor's.
   */
  readonly code: string;
  /** Safe to show to clients. */
  readonly message: string;
}

/** Task parameters that responses to the client repeat. */
export interface TaskFacts {
  readonly prompt?: string;
  readonly seconds?: number;
  readonly frames?: number;
  readonly size?: string;
  readonly resolution?: string;
  readonly ratio?: string;
  readonly framesPerSecond?: number;
  readonly seed?: number;
  readonly audio?: boolean;
  readonly music?: boolean;
  readonly watermark?: boolean;
  readonly lastFrame?: boolean;
  readonly count?: number;
  readonly scenario: VideoScenario;
  readonly externalId?: string;
  readonly payload?: string;
  readonly callbackUrl?: string;
  /** Our id of the task that this task remixes. */
  readonly remixedFrom?: string;
  /** The client's `traceparent`, for traces of later work. */
  readonly traceparent?: string;
}

/** The protocol that a client uses. Pure. */
export interface InboundVideoFormat {
  readonly id: string;
  readonly inbound: {
    /** Field names of this protocol, for fields that vendors' formats report under another name. */
    readonly names?: Readonly<Record<string, string>>;
    /** The same for a protocol with several names per field: the names that this request uses. */
    namesIn?(body: JsonObject): Readonly<Record<string, string>>;
    namesInForm?(form: Form): Readonly<Record<string, string>>;
    /** Throws `invalid_request`. */
    read(body: JsonObject, address: Address): VideoRequest;
    readForm?(form: Form, address: Address): VideoRequest;
    /** The response to a submit request. */
    writeSubmitted(task: Task): JsonObject;
    /** The response to a status query. */
    writeTask(task: Task, links: TaskLinks): JsonObject;
    /** The callback body for the client. Defaults to the response to a status query. */
    writeNotice?(task: Task, links: TaskLinks): JsonObject;
    buildError(error: GatewayError): JsonObject;
    /** Adds the request id to a response or an error, if the format has a field for it. */
    withRequestId?(answer: JsonObject, requestId: string): JsonObject;
  };
  /** Clients may put the prompt in two places, and some models read only one of them. */
  readonly hasContents?: true;
  /** Clients download results without a key, so the gateway's own links must be signed. */
  readonly hasOpenLinks?: true;
}

/** Links to the results of a finished task. */
export interface TaskLinks {
  /** The vendor's links if they are public, else ours. */
  readonly videos: readonly MadeVideo[];
  /** URL below which the gateway serves each result as a file of the native API. */
  readonly filesUrl: string;
}

/** The protocol that a vendor uses. Pure. */
export interface OutboundVideoFormat {
  readonly id: string;
  readonly outbound: {
    /**
     * Reports fields that the format cannot carry. Throws `invalid_request` if
     * the model would refuse the request.
     */
    build(question: VideoRequest, context: VideoContext): JsonObject | SentForm;
    /**
     * The values that the vendor will use instead of the requested ones: model
     * defaults and lowered limits. Throws as `build` does.
     */
    expect?(question: VideoRequest, dialect?: VideoContext["dialect"]): Partial<TaskFacts>;
    /**
     * Maximum length in seconds if the vendor chooses the length; undefined if
     * the vendor does not.
     */
    longest?(question: VideoRequest, dialect?: VideoContext["dialect"]): number | undefined;
    /** The vendor's id of the task. Throws if the body has no id or reports a failure. */
    parseSubmitted(body: JsonObject): string;
    /** Throws if the body reports that the query failed, not the task. */
    parseTask(body: JsonObject, task: TaskRef, status: number): TaskUpdate;
    parseError(status: number, body: string): UpstreamError;
    /**
     * The video data from a status response, for videos without a link;
     * undefined if the index does not exist.
     */
    parseContent?(body: JsonObject, index: number): HeldPicture | undefined;
    /**
     * The vendor's id from a query by our own id; undefined if the vendor never
     * received the task.
     */
    parseFound?(body: JsonObject, externalId: string): string | undefined;
  };
}

export interface VideoContext extends OutboundContext {
  /** Our id, by which the vendor can look up the task even if the submit response was lost. */
  readonly externalId: string;
  /** URL for the vendor's webhooks; absent if vendors cannot reach the gateway. */
  readonly callbackUrl?: string;
}

/** The task data that a status query needs. */
export interface TaskRef {
  readonly upstreamId: string;
  readonly upstreamModel: string;
  readonly scenario: VideoScenario;
  /** Our id of the task, which some vendors know as well. */
  readonly externalId: string;
  /**
   * True if the video has sound, as far as is known. Some vendors charge by it
   * but do not report it.
   */
  readonly audio?: boolean;
}

/**
 * The approximate number of tokens per second of video, for vendors that count
 * tokens by pixels.
 */
const FRAMES_A_SECOND = 24;
const PIXELS_A_TOKEN = 1_024;
const DEFAULT_SECONDS = 5;
const PIXELS: ReadonlyMap<string, number> = new Map([
  ["360p", 640 * 360],
  ["480p", 864 * 496],
  ["540p", 960 * 540],
  ["720p", 1_280 * 720],
  ["768p", 1_366 * 768],
  ["1024p", 1_792 * 1_024],
  ["1080p", 1_920 * 1_080],
  ["2k", 2_560 * 1_440],
  ["4k", 3_840 * 2_160],
]);

/** The expected usage of a video, for the reservation and if the vendor reports no usage. */
export function expectedUsage(facts: TaskFacts, given: Pick<VideoRequest, "prompt">): Usage {
  const { seconds = lengthOf(facts), count = 1 } = facts;
  const long = seconds > 0 ? seconds : DEFAULT_SECONDS;
  const pixels = pixelsOf(facts);
  return {
    ...NO_USAGE,
    inputTokens: clampCount(estimateTokens(given.prompt ?? "")),
    outputTokens: clampCount((count * long * pixels * FRAMES_A_SECOND) / PIXELS_A_TOKEN),
    durationMs: Math.round(count * long * 1_000),
    grade: gradeOf(facts),
    isEstimated: true,
  };
}

/** Length from the number of frames; the first frame adds no time. */
function lengthOf({ frames, framesPerSecond = FRAMES_A_SECOND }: TaskFacts): number {
  return frames === undefined ? DEFAULT_SECONDS : (frames - 1) / framesPerSecond;
}

/** The kind of result that prices distinguish: `720p`, `1080p audio`. */
export function gradeOf(facts: Pick<TaskFacts, "size" | "resolution" | "audio">): string {
  const resolution = facts.resolution ?? nearestResolution(pixelsOf(facts));
  return facts.audio === true ? `${resolution} audio` : resolution;
}

function pixelsOf({ size, resolution = "720p" }: Pick<TaskFacts, "size" | "resolution">): number {
  const [width = 0, height = 0] = (size ?? "").split(/[x*]/).map(Number);
  const pixels = width * height;
  return pixels > 0 ? pixels : (PIXELS.get(resolution) ?? 1_280 * 720);
}

function nearestResolution(pixels: number): string {
  let best = "720p";
  let least = Infinity;
  for (const [name, each] of PIXELS) {
    const distance = Math.abs(Math.log(pixels / each));
    if (distance < least) [best, least] = [name, distance];
  }
  return best;
}
