import { invalid } from "#core/error.ts";
import type { ImageRequest } from "#core/image.ts";
import type { LossReport } from "#core/lossy.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined, textOf } from "#lib/values.ts";
import type { ImageDialect, SizeBounds } from "./dialect.ts";

/**
 * All options except the images and the prompt, as members that this dialect supports. Reports
 * unsupported ones as lost, and throws for an unsupported value that would change the image.
 */
export function wishesIn(
  question: ImageRequest,
  dialect: ImageDialect,
  report: LossReport,
): JsonObject {
  const { takes, defaults, words = {}, names = {} } = dialect;
  let wire: JsonObject = { ...defaults };
  for (const path of question.unread ?? []) report.lose(path);
  for (const [name, value] of Object.entries(namedWishes(question))) {
    if (value === undefined) continue;
    if (takes !== undefined && !takes.includes(name)) {
      if (!saysNothing(name, value)) report.lose(name);
      continue;
    }
    checkValue(name, value, dialect);
    const word = words[name]?.[textOf(value) ?? ""];
    if (word === null) continue;
    const sides = name === "size" && dialect.sizeAsSides ? sidesOf(value, report) : undefined;
    wire = { ...wire, ...(sides ?? { [names[name] ?? name]: word ?? value }) };
  }
  return wire;
}

/** By the names that clients write. */
function namedWishes(question: ImageRequest): JsonObject {
  const { series, extra } = question;
  return defined({
    n: question.count,
    size: question.size,
    quality: question.quality,
    style: question.style,
    background: question.background,
    moderation: question.moderation,
    output_format: question.format,
    output_compression: question.compression,
    response_format: question.delivery && (question.delivery === "url" ? "url" : "b64_json"),
    input_fidelity: question.fidelity,
    user: question.user,
    ...(question.stream ? { stream: true } : {}),
    partial_images: question.partials,
    aspect_ratio: question.aspectRatio,
    image_size: question.resolution,
    guidance_scale: question.guidance,
    negative_prompt: question.negativePrompt,
    seed: question.seed,
    watermark: question.watermark,
    prompt_extend: question.rewrite,
    optimize_prompt_options: question.rewriteMode && { mode: question.rewriteMode },
    sequential_image_generation: series?.mode,
    sequential_image_generation_options:
      series?.max === undefined ? undefined : { max_images: series.max },
    person_generation: question.people,
    max_output_tokens: question.maxOutputTokens,
    temperature: question.temperature,
    top_p: question.topP,
    response_modalities: question.withText && "image-text",
    ...extra,
  });
}

/**
 * Values that equal the fixed behaviour, so losing them changes nothing. The gateway itself can
 * provide base64.
 */
const ANYWAY: Readonly<Record<string, readonly Json[]>> = {
  n: [1],
  quality: ["auto", "standard"],
  background: ["auto"],
  moderation: ["auto"],
  response_format: ["b64_json"],
  input_fidelity: ["auto"],
  partial_images: [0],
  stream: [true],
  watermark: [false],
  sequential_image_generation: ["disabled"],
};

function saysNothing(name: string, value: Json): boolean {
  return ANYWAY[name]?.includes(value) ?? false;
}

function checkValue(name: string, value: Json, { allows = {}, anySize }: ImageDialect): void {
  const known = allows[name];
  if (known === undefined || known.includes(textOf(value) ?? "")) return;
  const bounds = name === "size" ? anySize : undefined;
  if (bounds !== undefined && isWithin(textOf(value) ?? "", bounds)) return;
  const more = bounds === undefined ? "" : `, or WIDTHxHEIGHT ${wordsFor(bounds)}`;
  throw invalid(name, `'${name}' must be one of ${known.join(", ")}${more}.`);
}

const SIDES = /^(\d{1,5})x(\d{1,5})$/;

function isWithin(size: string, { step, maxRatio, maxLong, maxShort }: SizeBounds): boolean {
  const [, width = 0, height = 0] = (SIDES.exec(size) ?? []).map(Number);
  const long = Math.max(width, height);
  const short = Math.min(width, height);
  const isStepped = width % step === 0 && height % step === 0;
  return short > 0 && isStepped && long <= maxLong && short <= maxShort && long <= maxRatio * short;
}

function wordsFor({ step, maxRatio, maxLong, maxShort }: SizeBounds): string {
  return `in multiples of ${step}, up to ${maxLong}x${maxShort}, 1:${maxRatio} at the most`;
}

function sidesOf(value: Json, report: LossReport): JsonObject {
  const [, width, height] = (SIDES.exec(textOf(value) ?? "") ?? []).map(Number);
  if (width !== undefined && height !== undefined) return { width, height };
  report.lose("size");
  return {};
}
