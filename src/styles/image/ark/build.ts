import { invalid } from "#core/error.ts";
import { MAX_SERIES, picturesOf, promptOf, type ImageRequest } from "#core/image.ts";
import type { OutboundContext } from "#core/style.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { checkPictures, linkTo } from "#styles/image/given-pictures.ts";
import { reportUnsaid, type ImageOption } from "#styles/image/report-unsaid.ts";
import { sizeFor } from "#styles/image/size-rule.ts";
import { DEFAULT_DIALECT, type ArkDialect } from "./dialect.ts";

/** https://www.volcengine.com/docs/82379/1541523 */
export function build(
  question: ImageRequest,
  { report, dialect: own }: OutboundContext,
): JsonObject {
  const dialect: ArkDialect = { ...DEFAULT_DIALECT, ...own };
  const { model, delivery, watermark = false, stream } = question;
  const prompt = promptOf(question);
  if (prompt.trim() === "") throw invalid("prompt", "'prompt' is required for this model.");
  checkPictures(question, dialect.pictures);
  reportUnsaid(question, saidIn(question, dialect), report);
  return {
    model,
    prompt,
    ...pictures(question),
    ...defined({
      size: size(question, dialect),
      response_format: delivery === "base64" ? "b64_json" : delivery,
    }),
    ...steering(question, dialect),
    ...series(question, dialect),
    ...rewriting(question, dialect),
    ...format(question, dialect),
    // The vendor adds a watermark by default.
    watermark,
    ...(stream && dialect.drawsSets === true ? { stream } : {}),
  };
}

function saidIn(question: ImageRequest, dialect: ArkDialect): readonly ImageOption[] {
  return [
    "size",
    "watermark",
    "series",
    ...(isSizeWord(question, dialect) ? (["resolution"] as const) : []),
    ...(dialect.isSteered === true ? (["seed", "guidance"] as const) : []),
    ...(dialect.rewriteModes === undefined ? [] : (["rewriteMode"] as const)),
    ...(dialect.formats === undefined ? [] : (["format"] as const)),
  ];
}

function pictures(question: ImageRequest): JsonObject {
  const links = picturesOf(question).map((picture) => linkTo(picture));
  const [first, ...more] = links;
  if (first === undefined) return {};
  return { image: more.length === 0 ? first : links };
}

function size(question: ImageRequest, dialect: ArkDialect): string | undefined {
  if (isSizeWord(question, dialect)) return question.resolution;
  return sizeFor(question.size, dialect.sizes, "x");
}

/** Words such as `2K` are sizes here; elsewhere they are a separate field. */
function isSizeWord({ size: asked, resolution = "" }: ImageRequest, { sizes }: ArkDialect) {
  return asked === undefined && sizes.oneOf?.includes(resolution) === true;
}

const GUIDANCE = { min: 1, max: 10 };

function steering({ seed, guidance }: ImageRequest, { isSteered }: ArkDialect): JsonObject {
  if (isSteered !== true) return {};
  if (guidance !== undefined && (guidance < GUIDANCE.min || guidance > GUIDANCE.max)) {
    const { min, max } = GUIDANCE;
    throw invalid("guidance_scale", `'guidance_scale' must be from ${min} to ${max}.`);
  }
  return defined({ seed, guidance_scale: guidance });
}

function series({ series: asked }: ImageRequest, { drawsSets }: ArkDialect): JsonObject {
  if (asked === undefined) return {};
  const name = "sequential_image_generation";
  if (asked.mode === "disabled") return drawsSets === true ? { [name]: asked.mode } : {};
  if (drawsSets !== true) {
    throw invalid(name, `'${name}' must be 'disabled': this model does not support image sets.`);
  }
  return {
    [name]: asked.mode,
    sequential_image_generation_options: { max_images: asked.max ?? MAX_SERIES },
  };
}

function rewriting({ rewriteMode: mode }: ImageRequest, dialect: ArkDialect): JsonObject {
  const { rewriteModes: modes } = dialect;
  if (mode === undefined || modes === undefined) return {};
  if (modes.includes(mode)) return { optimize_prompt_options: { mode } };
  const name = "optimize_prompt_options";
  throw invalid(name, `'${name}.mode' must be ${modes.join(" or ")} for this model.`);
}

function format({ format: asked }: ImageRequest, { formats }: ArkDialect): JsonObject {
  if (asked === undefined || formats === undefined) return {};
  if (formats.includes(asked)) return { output_format: asked };
  throw invalid("output_format", `'output_format' must be ${formats.join(" or ")} for this model.`);
}
