import type { ImageRequest } from "#core/image.ts";
import type { OutboundContext } from "#core/style.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { ratioFor } from "#styles/image/aspect-ratio.ts";
import { peopleFor } from "#styles/image/people.ts";
import { reportUnsaid, type ImageOption } from "#styles/image/report-unsaid.ts";
import { resolutionFor } from "#styles/image/resolution.ts";
import { buildContents } from "./contents.ts";
import { DEFAULT_DIALECT, type PictureDialect } from "./dialect.ts";

const MAX_OUTPUT_TOKENS = 32_768;
const TOP_P = 0.95;

/** Each option is either sent or refused; the gateway converts the format itself. */
const SAID: readonly ImageOption[] = [
  "size",
  "aspectRatio",
  "resolution",
  "quality",
  "people",
  "maxOutputTokens",
  "temperature",
  "topP",
  "format",
  "withText",
];

/** One image: this format has no image count. */
export function build(question: ImageRequest, context: OutboundContext): JsonObject {
  const dialect: PictureDialect = { ...DEFAULT_DIALECT, ...context.dialect };
  const { turns, withText, temperature, topP, series } = question;
  if (series?.mode === "auto") context.report.lose("sequential_image_generation");
  const imageConfig = buildImageConfig(question, dialect, context);
  return {
    contents: buildContents(turns, dialect.provesTurns === true),
    generationConfig: defined({
      responseModalities: withText === true ? ["TEXT", "IMAGE"] : ["IMAGE"],
      temperature,
      topP: topP ?? TOP_P,
      maxOutputTokens: limitFor(question, context),
      imageConfig: Object.keys(imageConfig).length === 0 ? undefined : imageConfig,
    }),
  };
}

function buildImageConfig(
  question: ImageRequest,
  { ratios, sizes, people, formats = [] }: PictureDialect,
  { report }: OutboundContext,
): JsonObject {
  const { format = "", compression } = question;
  const isTold = formats.includes(format);
  reportUnsaid(question, isTold ? [...SAID, "compression"] : SAID, report);
  return defined({
    aspectRatio: ratioFor(question, ratios, report),
    imageSize: resolutionFor(question, sizes, report),
    personGeneration: peopleFor(question, people, report),
    imageOutputOptions: isTold
      ? defined({ mimeType: `image/${format}`, compressionQuality: compression })
      : undefined,
  });
}

/** Some clients request more tokens than any model can generate. */
function limitFor(
  { maxOutputTokens = MAX_OUTPUT_TOKENS }: ImageRequest,
  { model, report }: OutboundContext,
): number {
  const most = model.maxOutputTokens ?? Infinity;
  if (maxOutputTokens <= most) return maxOutputTokens;
  if (maxOutputTokens !== MAX_OUTPUT_TOKENS) report.lose("max_output_tokens");
  return most;
}
