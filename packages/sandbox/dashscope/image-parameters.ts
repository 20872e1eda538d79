import { shapedLike, type Measures } from "../engine/given-image.ts";
import type { Media } from "../engine/media.ts";
import { isJsonObject, type Json } from "../json.ts";
import type { ImageModel } from "./image-models.ts";
import { invalidParameter, memberOf } from "./native.ts";

export interface ImageParameters {
  readonly count: number;
  readonly size: Measures;
  readonly isMarked: boolean;
  /** Whether the prompt is made longer before it is drawn. */
  readonly isExtended: boolean;
}

/** Fields beside the input, the same at both addresses. */
export function readParameters(
  parameters: Json | undefined,
  model: ImageModel,
  given: readonly Media[],
): ImageParameters {
  if (parameters !== undefined && !isJsonObject(parameters))
    throw invalidParameter("parameters must be an object.");
  const whole = wholeReader(parameters);
  const flag = flagReader(parameters);
  checkNegativePrompt(memberOf(parameters, "negative_prompt"));
  whole("seed", 0, 2 ** 31 - 1);
  return {
    count: whole("n", 1, model.maxCount) ?? 1,
    size: readSize(memberOf(parameters, "size"), model, given),
    isMarked: flag("watermark") ?? false,
    isExtended: flag("prompt_extend") ?? true,
  };
}

export function checkNegativePrompt(text: Json | undefined): void {
  if (text === undefined) return;
  if (typeof text !== "string") throw invalidParameter("negative_prompt must be a string.");
  if (text.length > MAX_NEGATIVE)
    throw invalidParameter(`negative_prompt must have at most ${MAX_NEGATIVE} characters.`);
}

const MAX_NEGATIVE = 500;

export function wholeReader(parameters: Json | undefined) {
  return (name: string, low: number, high: number): number | undefined => {
    const value = memberOf(parameters, name);
    if (value === undefined) return undefined;
    if (typeof value === "number" && Number.isInteger(value) && value >= low && value <= high)
      return value;
    throw invalidParameter(`Range of ${name} should be [${low}, ${high}]`);
  };
}

export function flagReader(parameters: Json | undefined) {
  return (name: string): boolean | undefined => {
    const value = memberOf(parameters, name);
    if (value === undefined || typeof value === "boolean") return value;
    throw invalidParameter(`${name} must be a boolean.`);
  };
}

/** Where nothing is said, the shape of the last picture that was given. */
function readSize(
  size: Json | undefined,
  { id, sizes }: ImageModel,
  given: readonly Media[],
): Measures {
  if (size === undefined)
    return sizes?.kind === "listed" ? sizes.list[0] : shapedLike(given.at(-1), USUAL_SIDE);
  if (sizes === undefined) throw invalidParameter(`The size parameter is not supported by ${id}.`);
  const written = typeof size === "string" ? size.match(/^(\d{1,5})\*(\d{1,5})$/) : null;
  const [, width = 0, height = 0] = written?.map(Number) ?? [];
  if (sizes.kind === "listed") {
    const found = sizes.list.find((each) => each.width === width && each.height === height);
    if (found !== undefined) return found;
    const list = sizes.list.map((each) => `${each.width}*${each.height}`).join(", ");
    throw invalidParameter(`The size is not match the allowed size ${list}.`);
  }
  const isInside = (side: number) => side >= sizes.min && side <= sizes.max;
  if (isInside(width) && isInside(height)) return { width, height };
  throw invalidParameter(
    `Width and height of size should be between ${sizes.min} and ${sizes.max}, as in 1024*1024.`,
  );
}

const USUAL_SIDE = 1_024;
