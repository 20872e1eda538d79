import { invalidValue } from "../error.ts";
import { ASPECTS, type Aspect } from "../order.ts";
import type { JsonObject } from "@sluice/sandbox/json.ts";
import { field, readBoolean, readChoice } from "@sluice/sandbox/openai/fields.ts";
import type { Contents } from "./contents.ts";
import type { V3Model } from "./models.ts";
import type { Product } from "./request.ts";

export interface Settings {
  readonly resolution: "720p" | "1080p" | "4k";
  readonly aspect: Aspect | undefined;
  /** `undefined` where it was not said. */
  readonly seconds: number | undefined;
  readonly audio: "native" | "off" | "original";
  /** `undefined` for a model that has no such setting. */
  readonly shoots: boolean | undefined;
  readonly asksForShots: boolean;
}

export function readSettings(body: JsonObject, model: V3Model, product: Product): Settings {
  const read = <const Choice extends string>(name: string, choices: readonly Choice[]) => {
    const setting = field(body, name, `settings.${name}`);
    if (setting.value !== undefined && choices.length === 0) throw unsupported(setting.path);
    return readChoice(setting, choices);
  };
  const aspects = product === "image-to-video" ? [] : ASPECTS;
  const shots = field(body, "multi_shot", "settings.multi_shot");
  if (shots.value !== undefined && !model.shoots) throw unsupported(shots.path);
  const asked = readBoolean(shots);
  return {
    resolution: read("resolution", model.resolutions) ?? "720p",
    aspect: read("aspect_ratio", aspects) ?? (product === "text-to-video" ? "16:9" : undefined),
    seconds: readSeconds(body, model),
    audio: read("audio", model.audio) ?? "off",
    shoots: model.shoots ? (asked ?? true) : undefined,
    asksForShots: asked === true,
  };
}

function readSeconds(body: JsonObject, model: V3Model): number | undefined {
  const { path, value } = field(body, "duration", "settings.duration");
  if (value === undefined) return undefined;
  if (typeof value === "number" && model.seconds.includes(value)) return value;
  throw invalidValue(path, `${JSON.stringify(value)} is none of ${model.seconds.join(", ")}`);
}

function unsupported(path: string): Error {
  return invalidValue(path, "is not supported by the current model");
}

/** Rules that depend on the contents, and the resolutions of older models. */
export function checkSettings(
  { firstFrame, hasLastFrame, references, video }: Contents,
  settings: Settings,
  product: Product,
  id: string,
  model: V3Model,
): void {
  const needsAspect = product === "omni-video" && firstFrame === undefined && video === undefined;
  const isFrameOnly = firstFrame !== undefined && !hasLastFrame && references.length === 0;
  const odd5or10 = settings.seconds !== undefined && ![5, 10].includes(settings.seconds);
  const needsHigh = model.isOlder && (settings.audio === "native" || hasLastFrame);
  const rules: readonly (readonly [string, boolean, string])[] = [
    [
      "aspect_ratio",
      needsAspect && settings.aspect === undefined,
      "is required without a first frame and a reference video",
    ],
    [
      "duration",
      video === "base_video" && settings.seconds !== undefined,
      "cannot be set with a base video",
    ],
    [
      "duration",
      id === "kling-o1" && isFrameOnly && odd5or10,
      "must be 5 or 10 with a first frame alone",
    ],
    [
      "resolution",
      needsHigh && settings.resolution !== "1080p",
      "must be 1080p with native audio or a last frame",
    ],
  ];
  const broken = rules.find(([, isBroken]) => isBroken);
  if (broken !== undefined) throw invalidValue(`settings.${broken[0]}`, broken[2]);
}
