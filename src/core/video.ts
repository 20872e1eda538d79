import type { Form, SentForm } from "#lib/form.ts";
import type { JsonObject } from "#lib/json.ts";
import type { Extra } from "./chat.ts";
import { estimateTokens } from "./count.ts";
import type { GatewayError } from "./error.ts";
import type { HeldPicture } from "./image.ts";
import type { OperationRequest } from "./operation.ts";
import type { Address, OutboundContext, UpstreamError } from "./style.ts";
import type { Task } from "./task.ts";
import { fitsIn, NO_USAGE, type Usage } from "./usage.ts";

/**
 * A video that is asked for, in words of all protocols together: a vendor's
 * format refuses what would give another video, and reports what it cannot say.
 */
export interface VideoRequest extends OperationRequest {
  readonly scenario: VideoScenario;
  /** Id of the format that its caller spoke: what the vendor's own callers leave out is the vendor's to choose. */
  readonly entry?: string;
  /** What the caller's words ask for otherwise than it is done; told with what is not carried. */
  readonly changed?: readonly string[];
  /** Where a caller who has the choice put the words: in a field of their own, or in the list of contents. */
  readonly wordsIn?: "prompt" | "content";
  readonly prompt?: string;
  readonly negativePrompt?: string;
  /** What is shown and played to the model, in its order. */
  readonly media: readonly VideoMedia[];
  /** The task whose video is to be made anew. */
  readonly source?: VideoSource;
  readonly seconds?: number;
  readonly frames?: number;
  /** `1280x720`. */
  readonly size?: string;
  /** In small letters: `480p`, `720p`, `1080p`, `768p`, `2k`, `4k`. */
  readonly resolution?: string;
  /** `16:9`, or `adaptive`. */
  readonly ratio?: string;
  readonly framesPerSecond?: number;
  readonly count?: number;
  readonly seed?: number;
  /** Sound of its own; an explicit false is not the same as nothing said. */
  readonly audio?: boolean;
  /** Music under it. */
  readonly music?: boolean;
  readonly watermark?: boolean;
  readonly cameraFixed?: boolean;
  /** How much moves: `auto`, `small`, `medium`, `large`. */
  readonly movement?: string;
  /** The vendor may write the prompt anew. */
  readonly rewrite?: boolean;
  /** How close to the words, from 0 to 1. */
  readonly guidance?: number;
  /** `std` or `pro`, where a vendor has such. */
  readonly mode?: string;
  /** How the camera moves, in the words of the one vendor who has it. */
  readonly camera?: JsonObject;
  readonly people?: string;
  /** The last frame is wanted as a picture, too. */
  readonly lastFrame?: boolean;
  /** Where the caller wants to be told. */
  readonly callbackUrl?: string;
  /** The caller's own id of the task. */
  readonly externalId?: string;
  /** Given back as it came. */
  readonly payload?: string;
  readonly user?: string;
  /** Fields of the caller's protocol that have no place above, under that protocol's id. */
  readonly extra?: Extra;
}

/**
 * What the media are for. `reference`: the model looks at them; `omni`: the
 * same, where pictures, videos and sounds may all be given and named in the prompt.
 */
export type VideoScenario = "text" | "first_frame" | "first_last" | "reference" | "omni" | "remix";

export interface VideoMedia {
  readonly type: "image" | "video" | "audio";
  readonly role: "first_frame" | "last_frame" | "reference" | "base" | "voice";
  readonly source: MediaOrigin;
  /** By which the prompt speaks of it. */
  readonly tag?: string;
}

/** A medium on its way to a vendor. Base64 whose media type nobody said has an empty one. */
export type MediaOrigin =
  | { readonly kind: "url"; readonly url: string }
  | HeldPicture
  /** Of the asset library. */
  | { readonly kind: "asset"; readonly id: string }
  /** Something that only the vendor knows. */
  | { readonly kind: "reference"; readonly id: string };

/** `id` is ours, `upstreamId` the vendor's. */
interface VideoSource {
  readonly id: string;
  readonly upstreamId: string;
  /** How it is, and so what is made from it will be where nothing else is said. */
  readonly was?: Pick<TaskFacts, "seconds" | "size" | "resolution" | "ratio" | "audio">;
}

/** A video that was made, and what was made beside it. */
export interface MadeVideo {
  /** The vendor's: it may expire, and may need the credential. Empty where the vendor hands out none. */
  readonly url: string;
  readonly mediaType?: string;
  readonly coverUrl?: string;
  readonly lastFrameUrl?: string;
  readonly watermarkedUrl?: string;
  /** The vendor's id of it. */
  readonly id?: string;
  readonly seconds?: number;
  readonly width?: number;
  readonly height?: number;
}

/** What a vendor says of a task. */
export type TaskUpdate =
  | { readonly state: "queued" | "running"; readonly progress?: number }
  | {
      readonly state: "succeeded";
      readonly videos: readonly MadeVideo[];
      readonly usage?: Usage;
      /** Unix ms until which its links lead anywhere. */
      readonly linksEndAt?: number;
      /** What it turned out to be: seconds, resolution, ratio, seed. */
      readonly facts?: Partial<TaskFacts>;
    }
  | { readonly state: "failed"; readonly failure: TaskFailure; readonly usage?: Usage }
  /** The vendor does not know it, which may be because it is very new. */
  | { readonly state: "missing" };

export interface TaskFailure {
  /** A word of ours where there is one (`content_filtered`, `task_cancelled`, `task_expired`), else the vendor's. */
  readonly code: string;
  /** Safe to show. */
  readonly message: string;
}

/** What a task is about, as answers to its caller repeat it. */
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
  /** Our id of the task that this one was made from. */
  readonly remixedFrom?: string;
}

/** The protocol that a caller speaks. Pure. */
export interface InboundVideoFormat {
  readonly id: string;
  readonly inbound: {
    /** What it calls fields that vendors' formats refuse under another name. */
    readonly names?: Readonly<Record<string, string>>;
    /** The same for a format whose callers have several names for a field: those of this request. */
    namesIn?(body: JsonObject): Readonly<Record<string, string>>;
    namesInForm?(form: Form): Readonly<Record<string, string>>;
    /** Throws `invalid_request`. */
    read(body: JsonObject, address: Address): VideoRequest;
    readForm?(form: Form, address: Address): VideoRequest;
    /** What a submit is answered. */
    writeSubmitted(task: Task): JsonObject;
    /** What a query is answered. */
    writeTask(task: Task, links: TaskLinks): JsonObject;
    /** What its caller is told of it unasked; as a query is answered where absent. */
    writeNotice?(task: Task, links: TaskLinks): JsonObject;
    buildError(error: GatewayError): JsonObject;
    /** An answer or a failure with the request's id in it, where the format has a place for that. */
    withRequestId?(answer: JsonObject, requestId: string): JsonObject;
  };
  /** Its callers have two places for the words, and some models read one of them only. */
  readonly hasContents?: true;
  /** Its clients read results without a key: the gateway's own links to them are signed. */
  readonly hasOpenLinks?: true;
}

/** Where the results of a finished task are for its caller. */
export interface TaskLinks {
  /** The vendor's own links where they are open to anybody, else ours. */
  readonly videos: readonly MadeVideo[];
  /** Under which the gateway serves each of them as a file of the native style. */
  readonly filesUrl: string;
}

/** The protocol that a vendor speaks. Pure. */
export interface OutboundVideoFormat {
  readonly id: string;
  readonly outbound: {
    /** Reports what the format cannot say; throws `invalid_request` for what the model would refuse. */
    build(question: VideoRequest, context: VideoContext): JsonObject | SentForm;
    /**
     * What the vendor will make where that is not what the question says: what
     * a model does by itself, and what a wish is lowered to. Throws as `build` does.
     */
    expect?(question: VideoRequest, dialect?: VideoContext["dialect"]): Partial<TaskFacts>;
    /** Most seconds that the video may have if the vendor decides on its length; undefined if it does not. */
    longest?(question: VideoRequest, dialect?: VideoContext["dialect"]): number | undefined;
    /** The vendor's id of the task. Throws where the body holds none, or tells of a failure. */
    parseSubmitted(body: JsonObject): string;
    /** Throws where the body tells of a failure of the query, and not of the task. */
    parseTask(body: JsonObject, task: TaskRef, status: number): TaskUpdate;
    parseError(status: number, body: string): UpstreamError;
    /** A video that has no link, since the answer to a look holds it; undefined where there is none of that number. */
    parseContent?(body: JsonObject, index: number): HeldPicture | undefined;
    /** The id that a query by our own id found; undefined where the vendor never got the task. */
    parseFound?(body: JsonObject, externalId: string): string | undefined;
  };
}

export interface VideoContext extends OutboundContext {
  /** By which the vendor may be asked for the task later, whatever became of the answer. */
  readonly externalId: string;
  /** Where the vendor may tell us that something happened; absent where we cannot be reached. */
  readonly callbackUrl?: string;
}

/** What a query needs to know of a task. */
export interface TaskRef {
  readonly upstreamId: string;
  readonly upstreamModel: string;
  readonly scenario: VideoScenario;
  /** By which the vendor may know it, too. */
  readonly externalId: string;
  /** It has sound, as far as is known: some vendors do not say, and charge by it. */
  readonly audio?: boolean;
}

/** What a vendor counts for a second of video, roughly, where it counts tokens: by its pixels. */
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

/** What a video is expected to be charged by, for reserving, and where its vendor says nothing. */
export function expectedUsage(facts: TaskFacts, given: Pick<VideoRequest, "prompt">): Usage {
  const { seconds = lengthOf(facts), count = 1 } = facts;
  const long = seconds > 0 ? seconds : DEFAULT_SECONDS;
  const pixels = pixelsOf(facts);
  return {
    ...NO_USAGE,
    inputTokens: fitsIn(estimateTokens(given.prompt ?? "")),
    outputTokens: fitsIn((count * long * pixels * FRAMES_A_SECOND) / PIXELS_A_TOKEN),
    durationMs: Math.round(count * long * 1_000),
    grade: gradeOf(facts),
    isEstimated: true,
  };
}

/** By its frames, of which the first begins no time. */
function lengthOf({ frames, framesPerSecond = FRAMES_A_SECOND }: TaskFacts): number {
  return frames === undefined ? DEFAULT_SECONDS : (frames - 1) / framesPerSecond;
}

/** What prices tell apart: `720p`, `1080p audio`. */
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
