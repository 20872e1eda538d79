import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import {
  field,
  readBoolean,
  readChoice,
  readInteger,
  readText,
  required,
} from "../openai/fields.ts";
import { invalidField, lackingField, refused } from "./error.ts";
import { readImages } from "./images.ts";
import {
  ASPECTS,
  findViduModel,
  RESOLUTIONS,
  type Action,
  type Aspect,
  type Resolution,
  type ViduModel,
} from "./models.ts";

/** A video as it was ordered. */
export interface ViduOrder {
  readonly model: string;
  readonly prompt: string;
  readonly images: readonly string[];
  readonly seconds: number;
  readonly seed: number;
  readonly aspect: Aspect;
  /** Width by height of the picture that it begins with. */
  readonly pictureRatio: number | undefined;
  readonly resolution: Resolution;
  readonly style: string | undefined;
  readonly movement: string;
  readonly bgm: boolean;
  /** `undefined` for a model that has no sound of its own. */
  readonly audio: boolean | undefined;
  readonly payload: string;
  readonly offPeak: boolean;
  readonly hasWatermark: boolean;
  readonly callbackUrl: string | undefined;
}

export function readViduRequest(body: Json | undefined, action: Action): ViduOrder {
  if (!isJsonObject(body)) throw refused("BadRequest", "the body must be a JSON object");
  const id = required(field(body, "model"), readText(field(body, "model")));
  const model = findViduModel(id, action);
  if (model === undefined) throw invalidField("model");

  const prompt = readText(field(body, "prompt"), MAX_PROMPT) ?? "";
  const isWordy = action === "text2video" || action === "reference2video";
  if (prompt.trim() === "" && isWordy) throw lackingField("prompt");
  const { given, media } = readImages(body, action, model);
  const seconds = readSeconds(body, model);
  const aspect = readChoice(field(body, "aspect_ratio"), ASPECTS) ?? "16:9";
  if (isWordy && !model.aspects.includes(aspect)) throw invalidField("aspect_ratio");
  const { widthPixels, heightPixels } = media;
  const isShaped = !isWordy && widthPixels !== undefined && heightPixels !== undefined;
  checkRest(body);
  return {
    model: id,
    prompt,
    images: given,
    seconds,
    seed: readInteger(field(body, "seed"), -MAX_SEED, MAX_SEED) || randomSeed(),
    aspect,
    pictureRatio: isShaped ? widthPixels / heightPixels : undefined,
    resolution: readResolution(body, model, seconds),
    style: readStyle(body, model, action),
    movement:
      readChoice(field(body, "movement_amplitude"), ["auto", "small", "medium", "large"]) ?? "auto",
    bgm: readBoolean(field(body, "bgm")) ?? false,
    audio: readAudio(body, model),
    payload: readText(field(body, "payload"), MAX_PAYLOAD) ?? "",
    offPeak: readBoolean(field(body, "off_peak")) ?? false,
    hasWatermark: readBoolean(field(body, "watermark")) ?? false,
    callbackUrl: readCallback(body),
  };
}

const MAX_PROMPT = 5_000;
const MAX_PAYLOAD = 1_048_576;
const MAX_SEED = 2_147_483_647;

function readSeconds(body: JsonObject, model: ViduModel): number {
  const seconds = readInteger(field(body, "duration"), 1, 60) ?? model.usualSeconds;
  if (model.seconds.includes(seconds)) return seconds;
  throw invalidField("duration");
}

function readResolution(body: JsonObject, model: ViduModel, seconds: number): Resolution {
  const [usual, ...others] = model.resolutions(seconds);
  const resolution = readChoice(field(body, "resolution"), RESOLUTIONS) ?? usual;
  if (resolution === usual || others.includes(resolution)) return resolution;
  throw invalidField("resolution");
}

function readStyle(body: JsonObject, model: ViduModel, action: Action): string | undefined {
  const style = readChoice(field(body, "style"), ["general", "anime"]);
  const isTaken = model.hasStyles && action === "text2video";
  if (style !== undefined && !isTaken) throw refused("FieldUnwanted", "unwanted field: style");
  return isTaken ? (style ?? "general") : undefined;
}

function readAudio(body: JsonObject, model: ViduModel): boolean | undefined {
  const audio = readBoolean(field(body, "audio"));
  return model.speaks ? (audio ?? true) : undefined;
}

/** What is looked at and changes nothing that could be seen here. */
function checkRest(body: JsonObject): void {
  readText(field(body, "voice_id"));
  readBoolean(field(body, "is_rec"));
  readInteger(field(body, "wm_position"), 1, 4);
  readText(field(body, "wm_url"));
  readText(field(body, "meta_data"));
}

function readCallback(body: JsonObject): string | undefined {
  const address = readText(field(body, "callback_url")) || undefined;
  if (address === undefined || URL.canParse(address)) return address;
  throw invalidField("callback_url");
}

function randomSeed(): number {
  return 1 + ((crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) % MAX_SEED);
}
