import { invalid } from "#core/error.ts";
import { picturesOf, promptOf, type ImageRequest } from "#core/image.ts";
import type { OutboundContext } from "#core/style.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { ratioFor } from "#styles/image/aspect-ratio.ts";
import { peopleFor } from "#styles/image/people.ts";
import { reportUnsaid, type ImageOption } from "#styles/image/report-unsaid.ts";
import { resolutionFor } from "#styles/image/resolution.ts";
import { DEFAULT_DIALECT, type ImagenDialect } from "./dialect.ts";

const RATIOS = ["1:1", "3:4", "4:3", "9:16", "16:9"];
const PEOPLE = { dont_allow: "dont_allow", allow_adult: "allow_adult", allow_all: "allow_all" };
const SAID: readonly ImageOption[] = [
  "size",
  "aspectRatio",
  "resolution",
  "quality",
  "people",
  "format",
];
const MORE: readonly ImageOption[] = [
  "compression",
  "negativePrompt",
  "seed",
  "watermark",
  "rewrite",
  "guidance",
];

/** Text to image only; several images at once. */
export function build(question: ImageRequest, { report, dialect: own }: OutboundContext) {
  const dialect: ImagenDialect = { ...DEFAULT_DIALECT, ...own };
  if (picturesOf(question).length > 0) {
    throw invalid("image", "'image' must be omitted: this model accepts only text.");
  }
  if (question.series?.mode === "auto") report.lose("sequential_image_generation");
  const takesMore = dialect.takesMore === true;
  reportUnsaid(question, takesMore ? [...SAID, ...MORE] : SAID, report);
  return {
    instances: [{ prompt: promptOf(question) }],
    parameters: defined({
      sampleCount: question.count ?? 1,
      aspectRatio: ratioFor(question, RATIOS, report),
      [dialect.sizeMember]: resolutionFor(question, dialect.sizes, report),
      personGeneration: peopleFor(question, PEOPLE, report),
      ...(takesMore ? buildMore(question) : {}),
    }),
  };
}

function buildMore(question: ImageRequest): JsonObject {
  const { format, compression, negativePrompt, seed, watermark, rewrite, guidance } = question;
  const takesFormat = format === "png" || format === "jpeg";
  return defined({
    negativePrompt,
    seed,
    // The vendor supports no seed for an image with a watermark.
    addWatermark: watermark ?? (seed === undefined ? undefined : false),
    enhancePrompt: rewrite,
    guidanceScale: guidance,
    includeRaiReason: true,
    outputOptions: takesFormat
      ? defined({ mimeType: `image/${format}`, compressionQuality: compression })
      : undefined,
  });
}
