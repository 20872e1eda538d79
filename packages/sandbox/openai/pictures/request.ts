import type { JsonObject } from "@sluice/sandbox/json.ts";
import type { PictureFormat } from "@sluice/sandbox/engine/encode-picture.ts";
import { shapedLike, type Measures } from "@sluice/sandbox/engine/given-image.ts";
import { invalid, noSuchModel } from "../error.ts";
import { field, readBoolean, readChoice, readFilled, readInteger, readText } from "../fields.ts";
import type { GivenPicture } from "./given.ts";
import { PICTURE_MODELS, type PictureModel } from "./models.ts";

/** Options of an image request, for any of the three endpoints. */
export interface PictureRequest {
  readonly kind: "generation" | "edit" | "variation";
  readonly model: PictureModel;
  readonly prompt: string;
  readonly count: number;
  readonly size: Measures;
  readonly quality: string;
  readonly background: "opaque" | "transparent";
  readonly format: PictureFormat | "gif" | "svg";
  /** Of a moving picture. */
  readonly frames: number;
  /** From 0 to 100. */
  readonly compression: number;
  readonly isStream: boolean;
  readonly partialCount: number;
  readonly asLink: boolean;
  readonly fidelity: "high" | "low";
  readonly given: readonly GivenPicture[];
  readonly mask?: GivenPicture;
  readonly markup?: GivenPicture;
}

export function readModel(
  body: JsonObject,
  usual: string,
  takes: (model: PictureModel) => boolean,
): PictureModel {
  const id = readText(field(body, "model")) ?? usual;
  const model = PICTURE_MODELS.find((each) => each.id === id);
  if (model === undefined) throw noSuchModel(id);
  if (takes(model)) return model;
  const list = PICTURE_MODELS.filter(takes).map((each) => each.id);
  readChoice(field(body, "model"), list);
  return model;
}

/** All that is asked for besides the prompt and the pictures that are given. */
export function readWishes(
  body: JsonObject,
  model: PictureModel,
  given: readonly GivenPicture[],
): Omit<PictureRequest, "kind" | "model" | "prompt" | "given" | "mask" | "markup"> {
  readText(field(body, "user"));
  const formats = model.isNewest ? FORMATS : OLDER_FORMATS;
  const format = readChoice(field(body, "output_format"), formats) ?? "png";
  readText(field(body, "safety_identifier"), 128);
  readChoice(field(body, "complexity"), ["low", "medium", "high"]);
  const svg = field(body, "svg").value;
  if (svg !== undefined && format !== "svg") throw onlyWith("svg", "svg");
  for (const name of ["frame_count", "frame_duration_ms"]) {
    if (format !== "gif" && field(body, name).value !== undefined) throw onlyWith(name, "gif");
  }
  if (format === "gif")
    refuseBeside(body, "gif", ["stream", "partial_images", "output_compression"]);
  if (format === "svg") {
    refuseBeside(body, "svg", ["stream", "partial_images", "output_compression"]);
    readInteger(field(body, "n"), 1, 1);
  }
  const form = readChoice(field(body, "response_format"), ["url", "b64_json"]) ?? "url";
  readChoice(field(body, "moderation"), ["low", "auto"]);
  readChoice(field(body, "style"), ["vivid", "natural"]);
  return {
    count: readInteger(field(body, "n"), 1, model.maxCount) ?? 1,
    size: readSize(body, model, given),
    quality: readQuality(body, model),
    background: readBackground(body, format),
    format,
    frames: readInteger(field(body, "frame_count"), 2, 16) ?? 9,
    compression: readCompression(body, format),
    isStream: readBoolean(field(body, "stream")) ?? false,
    partialCount: readInteger(field(body, "partial_images"), 0, 3) ?? 0,
    asLink: !model.isByTokens && form === "url",
    fidelity: readFidelity(body, model),
  };
}

const OLDER_FORMATS = ["png", "webp", "jpeg"] as const;
const FORMATS = [...OLDER_FORMATS, "gif", "svg"] as const;

function onlyWith(name: string, format: string): Error {
  return invalid(
    name,
    "invalid_value",
    `'${name}' is only supported with output_format=${format}.`,
  );
}

function refuseBeside(body: JsonObject, format: string, names: readonly string[]): void {
  const name = names.find((each) => {
    const { value } = field(body, each);
    return value !== undefined && value !== false && value !== 0;
  });
  if (name === undefined) return;
  throw invalid(name, "invalid_value", `'${name}' is not supported with output_format=${format}.`);
}

export function readPrompt(body: JsonObject, { maxPromptCharacters }: PictureModel): string {
  return readFilled(field(body, "prompt"), maxPromptCharacters);
}

function readSize(
  body: JsonObject,
  { sizes }: PictureModel,
  given: readonly GivenPicture[],
): Measures {
  const wished = readText(field(body, "size"));
  if (wished === undefined || wished === "auto") {
    if (wished === "auto") readChoice(field(body, "size"), sizes === "any" ? ["auto"] : sizes);
    return usualSize(sizes, given);
  }
  if (sizes === "any") return checkAnySize(wished);
  return measures(readChoice(field(body, "size"), sizes) ?? wished);
}

/** The later models choose for themselves: the shape that is nearest to what they were given. */
function usualSize(sizes: PictureModel["sizes"], given: readonly GivenPicture[]): Measures {
  if (!sizes.includes("auto") && sizes !== "any") return measures("1024x1024");
  const { width, height } = shapedLike(given[0]?.media, 1_024);
  const ratio = width / height;
  if (ratio > 1.25) return measures("1536x1024");
  return measures(ratio < 0.8 ? "1024x1536" : "1024x1024");
}

function measures(size: string): Measures {
  const [width = 0, height = 0] = size.split("x").map(Number);
  return { width, height };
}

const STEP = 16;
const MAX_EDGE = 3_840;
const MAX_PIXELS = 3_840 * 2_160;

function checkAnySize(size: string): Measures {
  const { width, height } = measures(/^\d{1,5}x\d{1,5}$/.test(size) ? size : "0x0");
  const [short, long] = [Math.min(width, height), Math.max(width, height)];
  const isGood =
    short > 0 &&
    width % STEP === 0 &&
    height % STEP === 0 &&
    long <= short * 3 &&
    long <= MAX_EDGE &&
    width * height <= MAX_PIXELS;
  if (isGood) return { width, height };
  throw invalid(
    "size",
    "invalid_value",
    `Invalid size '${size}'. Width and height must both be divisible by ${STEP}, the aspect ratio must be between 1:3 and 3:1, and no size is above 3840x2160.`,
  );
}

/** The model chooses absent options. */
function readQuality(body: JsonObject, { qualities }: PictureModel): string {
  const quality = readChoice(field(body, "quality"), qualities);
  return quality === undefined || quality === "auto" ? "medium" : quality;
}

function readBackground(
  body: JsonObject,
  format: PictureRequest["format"],
): "opaque" | "transparent" {
  const choices = ["transparent", "opaque", "auto"] as const;
  const background = readChoice(field(body, "background"), choices);
  if (background !== "transparent") return "opaque";
  if (format !== "jpeg") return background;
  const message = "Transparent background is not supported for JPEG output format.";
  throw invalid("background", "invalid_value", message);
}

function readCompression(body: JsonObject, format: PictureRequest["format"]): number {
  const compression = readInteger(field(body, "output_compression"), 0, 100) ?? 100;
  if (compression === 100 || format !== "png") return compression;
  const message = "Compression less than 100 is not supported for PNG output format.";
  throw invalid("output_compression", "invalid_png_output_compression", message);
}

function readFidelity(body: JsonObject, { hasFidelity }: PictureModel): "high" | "low" {
  const fidelity = readChoice(field(body, "input_fidelity"), ["high", "low"]);
  if (fidelity === undefined || hasFidelity) return fidelity ?? "low";
  throw invalid(
    "input_fidelity",
    "unsupported_parameter",
    "Unsupported parameter: 'input_fidelity' is not supported with this model.",
  );
}
