import { invalid } from "#core/error.ts";
import type { TaskFacts, VideoContext, VideoRequest } from "#core/video.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { checkPrompt, oneOf, secondsOf } from "#styles/video/allowed.ts";
import { extrasFor } from "#styles/video/extras.ts";
import { framingOf } from "#styles/video/framing.ts";
import { loseAllBut, type VideoOption } from "#styles/video/unsaid.ts";
import { DEFAULT_DIALECT, type VeoDialect, type VeoMember } from "./dialect.ts";
import { mediaOf } from "./media.ts";
import { LOWEST, resolutionFor } from "./resolution.ts";

export const ID = "video-veo";

const RATIOS = ["16:9", "9:16"];
const MAX_SEED = 4_294_967_295;
const FRAMES_A_SECOND = 24;
/** Members without a field in the common request. */
const OWN: readonly VeoMember[] = ["compressionQuality", "resizeMode"];

/** https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/veo-video-generation */
export function build(question: VideoRequest, { report, dialect: own }: VideoContext): JsonObject {
  const dialect: VeoDialect = { ...DEFAULT_DIALECT, ...own };
  const { takes = [], sound, rewrites } = dialect;
  const { prompt, negativePrompt, count = 1, audio, rewrite } = question;
  if (count > dialect.maxCount || count < 1) {
    throw invalid("n", `'n' must be ${dialect.maxCount === 1 ? "" : "1 to "}${dialect.maxCount}.`);
  }
  const media = mediaOf(question, dialect);
  checkPrompt(prompt, { max: Infinity, isRequired: Object.keys(media).length === 0 });
  const { members, rest } = extrasFor(
    question,
    ID,
    OWN.filter((name) => takes.includes(name)),
  );
  loseAllBut(saidOf(question, dialect), { ...rest, count: 1 }, ID, report);
  if (audio === false && sound === "always") report.lose("audio");

  const shot = shotOf(question, dialect);
  const resolution = resolutionFor(shot.asked, shot, dialect);
  if ((resolution ?? LOWEST) !== (shot.asked ?? resolution ?? LOWEST)) report.lose("resolution");
  return {
    instances: [{ ...defined({ prompt }), ...media }],
    parameters: {
      ...members,
      ...defined({
        aspectRatio: shot.said,
        resolution,
        durationSeconds: shot.sentSeconds,
        negativePrompt,
        personGeneration: peopleFor(question, dialect),
        sampleCount: dialect.saysCount ? count : undefined,
        seed: seedOf(question),
        generateAudio: sound === "on request" ? (audio ?? false) : undefined,
        enhancePrompt: rewrites ? rewrite : undefined,
        fps: takes.includes("fps") ? question.framesPerSecond : undefined,
        addWatermark: takes.includes("addWatermark") ? question.watermark : undefined,
      }),
    },
  };
}

/** The model's defaults, and its limits for requests above them. */
export function expect(question: VideoRequest, own?: VideoContext["dialect"]): Partial<TaskFacts> {
  const dialect: VeoDialect = { ...DEFAULT_DIALECT, ...own };
  const shot = shotOf(question, dialect);
  const { sound } = dialect;
  return defined({
    seconds: shot.seconds,
    resolution: resolutionFor(shot.asked, shot, dialect) ?? LOWEST,
    ratio: shot.ratio,
    audio: sound === "on request" ? (question.audio ?? false) : sound === "always",
  });
}

/** The facts that the resolution depends on. */
function shotOf(question: VideoRequest, dialect: VeoDialect) {
  const { lengths, usualLength, referenceLength } = dialect;
  const { media } = question;
  const { resolution: asked, ratio } = framingOf(question);
  const said = ratio === "adaptive" ? undefined : oneOf(ratio, RATIOS, "ratio");
  const looks = media.some(({ type, role }) => type === "image" && !role.endsWith("_frame"));
  const isHeld = looks && referenceLength !== undefined;
  const allowed = isHeld ? [referenceLength] : lengths;
  const goesOn = media.some(({ type }) => type === "video");
  const isVendors = question.entry === ID || goesOn;
  const documented = isVendors ? undefined : documentedLength(allowed, asked, dialect);
  const sentSeconds = secondsOf(question, allowed) ?? documented;
  const seconds = sentSeconds ?? usualLength;
  return { asked, said, ratio: said ?? "16:9", sentSeconds, seconds, goesOn };
}

/** The gateway documents this default. It is always sent: the vendor's default is twice as long. */
const DOCUMENTED_LENGTH = 4;

/** The documented length or the next longer one, or the length that the resolution requires. */
function documentedLength(
  allowed: readonly number[],
  asked: string | undefined,
  { highOnly = {} }: VeoDialect,
): number | undefined {
  const isHigh = asked !== undefined && asked !== LOWEST;
  if (isHigh && highOnly.length !== undefined) return highOnly.length;
  return allowed.find((each) => each >= DOCUMENTED_LENGTH);
}

function saidOf(
  { framesPerSecond, rewrite }: VideoRequest,
  { takes = [], rewrites }: VeoDialect,
): readonly VideoOption[] {
  const isUsualRate = framesPerSecond === FRAMES_A_SECOND;
  return [
    "negativePrompt",
    "seed",
    "audio",
    "people",
    ...(takes.includes("fps") || isUsualRate ? (["framesPerSecond"] as const) : []),
    ...(takes.includes("addWatermark") ? (["watermark"] as const) : []),
    // Models without this option always rewrite the prompt.
    ...(rewrites || rewrite === true ? (["rewrite"] as const) : []),
  ];
}

function peopleFor({ people, media }: VideoRequest, dialect: VeoDialect): string | undefined {
  const { withoutPictures, withPictures } = dialect.people ?? {};
  return oneOf(people?.toLowerCase(), media.length === 0 ? withoutPictures : withPictures, PEOPLE);
}

const PEOPLE = "person_generation";

/** In other protocols, -1 means a random seed. */
function seedOf({ seed }: VideoRequest): number | undefined {
  if (seed === undefined || seed === -1) return undefined;
  if (Number.isInteger(seed) && seed >= 0 && seed <= MAX_SEED) return seed;
  throw invalid("seed", `'seed' must be a whole number from 0 to ${MAX_SEED}.`);
}
