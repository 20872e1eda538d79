import { shapedLike, type Measures } from "@sluice/sandbox/engine/given-image.ts";
import type { Media } from "@sluice/sandbox/engine/media.ts";
import { isJsonObject, type Json } from "@sluice/sandbox/json.ts";
import { flagReader, wholeReader } from "../image-parameters.ts";
import { invalidParameter, memberOf } from "../native.ts";
import { RATIOS, TIERS, type Tier, type WanModel } from "./models.ts";

export interface WanParameters extends Measures {
  /** 480, 720 or 1080. */
  readonly lines: number;
  readonly seconds: number;
  readonly hasSound: boolean;
  /** Whether the prompt is made longer before it is filmed. */
  readonly isExtended: boolean;
}

export function readWanParameters(
  parameters: Json | undefined,
  model: WanModel,
  picture: Media | undefined,
): WanParameters {
  if (parameters !== undefined && !isJsonObject(parameters))
    throw invalidParameter("parameters must be an object.");
  const flag = flagReader(parameters);
  wholeReader(parameters)("seed", 0, 2 ** 31 - 1);
  flag("watermark");
  choice(parameters, "shot_type", ["single", "multi"]);
  const isShotTold = memberOf(parameters, "shot_type") !== undefined;
  if (isShotTold && (model.generation === "2.7" || model.generation === "3.0"))
    throw invalidParameter(`The shot_type parameter is not supported by ${model.id}.`);
  choice(parameters, "audio_setting", ["auto", "origin"]);
  const audio = flag("audio") ?? true;
  return {
    ...readFrame(parameters, model, picture),
    seconds: readSeconds(parameters, model),
    hasSound: model.sound === "always" || (model.sound === "on request" && audio),
    isExtended: flag("prompt_extend") ?? true,
  };
}

function readSeconds(parameters: Json | undefined, { id, seconds }: WanModel): number {
  const value = memberOf(parameters, "duration") ?? USUAL_SECONDS;
  if (typeof value === "number" && seconds.includes(value)) return value;
  throw invalidParameter(`duration must be one of ${seconds.join(", ")} for ${id}.`);
}

const USUAL_SECONDS = 5;

function readFrame(
  parameters: Json | undefined,
  model: WanModel,
  picture: Media | undefined,
): Measures & { readonly lines: number } {
  const [size, resolution] = ["size", "resolution"].map((name) => memberOf(parameters, name));
  if (size !== undefined && resolution !== undefined)
    throw invalidParameter("size and resolution cannot be used together.");
  const usualLines = model.generation === "2.1" ? 720 : 1_080;
  if (model.framedBy === "size") {
    if (resolution !== undefined)
      throw invalidParameter(`The resolution parameter is not supported by ${model.id}.`);
    const tier = TIERS.find(({ sizes }) => sizes.some((each) => each === size));
    if (size !== undefined && tier === undefined) {
      const list = TIERS.flatMap(({ sizes }) => sizes).join(", ");
      throw invalidParameter(`The size is not match the allowed size ${list}.`);
    }
    const { lines, sizes } = tier ?? tierOf(usualLines);
    return { lines, ...measuresOf(typeof size === "string" ? size : sizes[0]) };
  }
  if (size !== undefined)
    throw invalidParameter(`The size parameter is not supported by ${model.id}.`);
  return readResolution(parameters, model, picture, usualLines);
}

function readResolution(
  parameters: Json | undefined,
  { framedBy, generation }: WanModel,
  picture: Media | undefined,
  usualLines: number,
) {
  const known = generation === "2.7" ? ["720P", "1080P"] : ["480P", "720P", "1080P"];
  const resolution = choice(parameters, "resolution", known) ?? `${usualLines}P`;
  const tier = tierOf(Number.parseInt(resolution, 10));
  const ratio = framedBy === "resolution" ? undefined : choice(parameters, "ratio", RATIOS);
  const usual = measuresOf(tier.sizes[RATIOS.indexOf(ratio ?? "16:9")] ?? tier.sizes[0]);
  const isShaped = ratio === undefined && picture?.widthPixels !== undefined;
  const side = Math.sqrt(usual.width * usual.height);
  return { lines: tier.lines, ...(isShaped ? shapedLike(picture, side) : usual) };
}

function tierOf(lines: number): Tier {
  const tier = TIERS.find((each) => each.lines === lines);
  if (tier === undefined) throw new RangeError(`There is no resolution of ${lines} lines.`);
  return tier;
}

function measuresOf(size: string): Measures {
  const [width = 1, height = 1] = size.split("*").map(Number);
  return { width, height };
}

function choice(
  parameters: Json | undefined,
  name: string,
  known: readonly string[],
): string | undefined {
  const value = memberOf(parameters, name);
  if (value === undefined) return undefined;
  const found = known.find((each) => each === value);
  if (found === undefined) throw invalidParameter(`${name} must be one of ${known.join(", ")}.`);
  return found;
}
