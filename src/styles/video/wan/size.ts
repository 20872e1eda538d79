import { invalid } from "#core/error.ts";
import type { VideoRequest } from "#core/video.ts";
import { framingOf, turned, type Framing } from "#styles/video/framing.ts";
import { oneOf } from "#styles/video/allowed.ts";
import { reportRatio } from "#styles/video/unsaid.ts";
import type { LossReport } from "#core/lossy.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import type { WanDialect } from "./dialect.ts";

/** https://www.alibabacloud.com/help/en/model-studio/text-to-video-api-reference */
const LANDSCAPE: readonly Size[] = [
  ["480p", "16:9", "832x480"],
  ["480p", "1:1", "624x624"],
  ["720p", "16:9", "1280x720"],
  ["720p", "1:1", "960x960"],
  ["720p", "4:3", "1088x832"],
  ["1080p", "16:9", "1920x1080"],
  ["1080p", "1:1", "1440x1440"],
  ["1080p", "4:3", "1632x1248"],
];
type Size = readonly [resolution: string, ratio: string, size: string];

const SIZES = LANDSCAPE.flatMap((each): readonly Size[] => {
  const [resolution, ratio, size] = each;
  if (ratio === "1:1") return [each];
  return [each, [resolution, turned(ratio, ":"), turned(size, "x")]];
});
const RESOLUTIONS = ["480p", "720p", "1080p"];
const RATIOS = ["16:9", "9:16", "1:1", "4:3", "3:4"];
const USUAL_RATIO = "16:9";

/** The framing parameters in the vendor's notation. */
export function framed(
  question: VideoRequest,
  { framedBy, usualResolution }: Pick<WanDialect, "framedBy" | "usualResolution">,
  report: LossReport,
): JsonObject {
  if (framedBy === "size") return { size: sizeOf(question, usualResolution).replace("x", "*") };
  const { resolution = usualResolution, ratio } = shapeOf(question);
  const large = oneOf(resolution, RESOLUTIONS, "resolution")?.toUpperCase();
  if (framedBy === "resolution and ratio") {
    return defined({ resolution: large, ratio: oneOf(ratio, RATIOS, "ratio") });
  }
  // The first frame sets the aspect ratio.
  reportRatio(question.ratio, report);
  return defined({ resolution: large });
}

/** In the clients' notation. */
export function shapeOf(question: VideoRequest): Framing {
  const { size = "", resolution, ratio } = question;
  const plain = size.toLowerCase().replace("*", "x");
  const [own, shape] = SIZES.find(([, , each]) => each === plain) ?? [];
  const options = ratio === "adaptive" ? undefined : ratio;
  if (own !== undefined) return defined({ resolution: resolution ?? own, ratio: options ?? shape });
  const { ratio: _, ...rest } = question;
  return framingOf({ ...rest, ...defined({ ratio: options }) });
}

/** `1280x720` from any notation. */
function sizeOf({ size, ...rest }: VideoRequest, usualResolution: string): string {
  if (size !== undefined) {
    const plain = size.toLowerCase().replace("*", "x");
    if (SIZES.some(([, , each]) => each === plain)) return plain;
    throw invalid("size", `'size' must be one of ${SIZES.map(starred).join(", ")}.`);
  }
  const { resolution = usualResolution, ratio = USUAL_RATIO } = shapeOf(rest);
  oneOf(resolution, RESOLUTIONS, "resolution");
  const found = SIZES.find(([each, shape]) => each === resolution && shape === ratio);
  if (found !== undefined) return found[2];
  const ratios = SIZES.filter(([each]) => each === resolution).map(([, shape]) => shape);
  throw invalid("ratio", `'ratio' must be one of ${ratios.join(", ")} at ${resolution}.`);
}

function starred([, , size]: Size): string {
  return size.replace("x", "*");
}
