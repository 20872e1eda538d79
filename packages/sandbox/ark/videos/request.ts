import type { Media } from "@sluice/sandbox/engine/media.ts";
import { hash } from "@sluice/sandbox/engine/random.ts";
import { readMarks } from "@sluice/sandbox/engine/tasks.ts";
import { nearestRatio, RATIOS, type Ratio } from "@sluice/sandbox/engine/ratios.ts";
import { isJsonObject, type Json, type JsonObject } from "@sluice/sandbox/json.ts";
import {
  field,
  readBoolean,
  readChoice,
  readInteger,
  readText,
  required,
} from "@sluice/sandbox/openai/fields.ts";
import { unknownModel } from "../error.ts";
import type { FindAsset } from "./asset-reference.ts";
import { readContent, type VideoContent } from "./content.ts";
import { invalidField, refusedAs } from "./error.ts";
import { checkExtras, readExtras, type Extras } from "./extras.ts";
import { readInlineFlags } from "./inline-flags.ts";
import { findRefusal, REAL_PERSON } from "./marks.ts";
import { findVideoModel, type VideoModel } from "./models.ts";
import { RESOLUTIONS, sizeOf, type Resolution } from "./sizes.ts";

/** A task as it was ordered, with everything that was left to the vendor decided. */
export interface VideoOrder extends Extras {
  readonly model: string;
  readonly prompt: string;
  readonly resolution: Resolution;
  readonly ratio: Ratio;
  readonly width: number;
  readonly height: number;
  readonly seconds: number;
  /** Said instead of the seconds, where it was ordered so. */
  readonly frames: number | undefined;
  readonly seed: number;
  /** `undefined` for a model that is always silent. */
  readonly hasSound: boolean | undefined;
  /** How long the videos are that it refers to. */
  readonly inputSeconds: number;
  readonly draftTaskId: string | undefined;
}

/** Beside it, the id of the request that ordered it: what goes wrong later is told under it. */
export interface PlacedOrder extends VideoOrder {
  readonly requestId: string;
}

export function readVideoRequest(
  given: Json | undefined,
  { findDraft, findAsset }: Known,
): VideoOrder {
  if (!isJsonObject(given)) throw invalidField("body", "expected a JSON object");
  const id = required(field(given, "model"), readText(field(given, "model")));
  const model = findVideoModel(id);
  if (model === undefined) throw unknownModel(id);
  const content = readContent(given, model, findAsset);
  checkMarks(content);
  const { text, body } = withFlags(given, content.text, model);
  const extras = readExtras(body);
  checkExtras(extras, body, model);
  const isReference = [...content.images, ...content.videos, ...content.audios].some(
    ({ role }) => role?.startsWith("reference") === true,
  );
  checkCamera(body, model, isReference);

  const draft = content.draftTaskId === undefined ? undefined : findDraft(content.draftTaskId);
  if (content.draftTaskId !== undefined && draft === undefined)
    throw invalidField("content", `the draft task ${content.draftTaskId} is not found or not done`);
  const resolution = readResolution(body, model, extras.isDraft);
  const ratio = draft?.ratio ?? readRatio(body, model, content, isReference);
  const [width, height] = sizeOf(resolution, ratio);
  const length = draft ?? readLength(body, model, text);
  const seed = readInteger(field(body, "seed"), -1, MAX_SEED) ?? -1;
  const sound = readBoolean(field(body, "generate_audio")) ?? true;
  return {
    ...extras,
    model: id,
    prompt: draft?.prompt ?? text,
    resolution,
    ratio,
    width,
    height,
    seconds: length.seconds,
    frames: length.frames,
    seed: draft?.seed ?? (seed === -1 ? randomSeed() : seed),
    hasSound: model.speaks ? (draft?.hasSound ?? sound) : undefined,
    inputSeconds: content.videos.reduce((sum, { media }) => sum + secondsOf(media), 0),
    draftTaskId: content.draftTaskId,
  };
}

/** Existing tasks of the account. */
interface Known {
  findDraft(id: string): VideoOrder | undefined;
  readonly findAsset: FindAsset;
}

const MAX_SEED = 4_294_967_295;
const FRAMES_PER_SECOND = 24;

/** No link is followed, so how long the videos behind them are is not known; of assets it is. */
function secondsOf({ seconds = 5 }: Partial<Media>): number {
  return seconds;
}

function checkMarks({ text, images }: VideoContent): void {
  const marks = readMarks(text);
  const stranger = images.find(({ isVerified }) => !isVerified);
  if (marks.has("person") && stranger !== undefined) {
    const message = "The request failed because the input image may contain a real person.";
    throw refusedAs(REAL_PERSON, message, stranger.path);
  }
  const code = findRefusal(marks);
  if (code === undefined) return;
  const param = code.startsWith("InputImage") ? images[0]?.path : undefined;
  throw refusedAs(code, "The request failed, as it was asked to by the words in brackets.", param);
}

/** A flag in the text is a wish where the field is absent, and none at all where it makes no sense. */
function withFlags(body: JsonObject, written: string, model: VideoModel) {
  if (model.series === "2.0" || model.series === "2.5") return { text: written, body };
  const { text, flags } = readInlineFlags(written);
  const known = Object.entries(flags).flatMap(([name, value]) => {
    const json: Json = /^-?\d+$/.test(value) ? Number(value) : (BOOLEANS[value] ?? value);
    const isAbsent = field(body, name).value === undefined;
    return isAbsent && isSensible(name, json, model) ? [[name, json] as const] : [];
  });
  return { text, body: { ...body, ...Object.fromEntries(known) } };
}

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, false: false };

function isSensible(name: string, value: Json, model: VideoModel): boolean {
  const body = { [name]: value };
  try {
    readResolution(body, model, false);
    readChoice(field(body, "ratio"), [...RATIOS, "adaptive"]);
    readLength(body, model, "");
    readInteger(field(body, "seed"), -1, MAX_SEED);
    readBoolean(field(body, "camera_fixed"));
    readBoolean(field(body, "watermark"));
    return true;
  } catch {
    // An invalid field silently gets its default.
    return false;
  }
}

function readResolution(body: JsonObject, model: VideoModel, isDraft: boolean): Resolution {
  const usual = isDraft ? "480p" : model.usualResolution;
  const resolution = readChoice(field(body, "resolution"), RESOLUTIONS) ?? usual;
  if (!model.resolutions.includes(resolution))
    throw invalidField("resolution", `${resolution} is not supported by the current model`);
  if (isDraft && resolution !== "480p")
    throw invalidField("resolution", "only 480p is supported for drafts");
  return resolution;
}

function readRatio(
  body: JsonObject,
  model: VideoModel,
  { images }: VideoContent,
  isReference: boolean,
): Ratio {
  const asked = readChoice(field(body, "ratio"), [...RATIOS, "adaptive"]);
  if (model.series === "2.5" && images.length > 0 && !isReference && asked !== undefined)
    if (asked !== "adaptive")
      throw invalidField("ratio", "only adaptive is supported for first and last frames");
  const [image] = images;
  const usual = image === undefined ? model.usualRatio : "adaptive";
  const ratio = asked ?? usual;
  return ratio === "adaptive" ? nearestRatio(image?.media ?? {}) : ratio;
}

function readLength(body: JsonObject, model: VideoModel, text: string) {
  const { minSeconds, maxSeconds, series } = model;
  const frames = readInteger(field(body, "frames"), 29, 289);
  if (frames !== undefined) {
    if (series !== "1.0") throw invalidField("frames", "not supported by the current model");
    if (frames % 4 !== 1) throw invalidField("frames", "expected a value of 25 + 4n");
    return { frames, seconds: frames / FRAMES_PER_SECOND };
  }
  const duration = field(body, "duration");
  const isOpen = duration.value === -1 && series !== "1.0";
  const seconds = isOpen
    ? minSeconds + (hash(text) % 5)
    : (readInteger(duration, minSeconds, maxSeconds) ?? USUAL_SECONDS);
  return { frames: undefined, seconds };
}

const USUAL_SECONDS = 5;

function checkCamera(body: JsonObject, model: VideoModel, isReference: boolean): void {
  const isFixed = readBoolean(field(body, "camera_fixed")) ?? false;
  if (isFixed && (isReference || model.series === "2.0"))
    throw invalidField("camera_fixed", "not supported by the current model or kind of task");
}

function randomSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}
