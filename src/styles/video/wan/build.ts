import { invalid } from "#core/error.ts";
import type { TaskFacts, VideoContext, VideoRequest } from "#core/video.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined, pick } from "#lib/values.ts";
import { mostOf, secondsOf } from "#styles/video/allowed.ts";
import { extrasFor } from "#styles/video/extras.ts";
import { loseAllBut, type VideoOption } from "#styles/video/unsaid.ts";
import { DEFAULT_DIALECT, type WanDialect } from "./dialect.ts";
import { inputOf } from "./input.ts";
import { framed, shapeOf } from "./size.ts";

export const ID = "video-wan";

const MAX_SEED = 2_147_483_647;
const MAX_NEGATIVE_CHARS = 500;
const SAID: readonly VideoOption[] = ["negativePrompt", "seed", "watermark", "rewrite", "audio"];

/** https://www.alibabacloud.com/help/en/model-studio/text-to-video-api-reference */
export function build(question: VideoRequest, { report, dialect: own }: VideoContext): JsonObject {
  const dialect: WanDialect = { ...DEFAULT_DIALECT, ...own };
  const { model, prompt = "", negativePrompt, audio, watermark, rewrite = false } = question;
  const { input = [], parameters = [] } = dialect.takes ?? {};
  const { members, rest } = extrasFor(question, ID, [...input, ...parameters]);
  loseAllBut(SAID, rest, ID, report);
  const canSwitch = dialect.sound === "on request";
  if (audio !== undefined && !canSwitch && audio !== (dialect.sound === "always")) {
    report.lose("audio");
  }
  holdToLength(prompt, "prompt", dialect.promptChars);
  holdToLength(negativePrompt ?? "", "negative_prompt", MAX_NEGATIVE_CHARS);
  const isTold = prompt.trim() !== "";
  const isWordy =
    dialect.from === "words" || (dialect.from === "any" && question.media.length === 0);
  if (!isTold && isWordy) throw invalid("prompt", "'prompt' is required.");
  return {
    model,
    input: {
      ...pick(members, input),
      ...(isTold ? { prompt } : {}),
      ...defined({ negative_prompt: negativePrompt }),
      ...inputOf(question, dialect),
    },
    parameters: {
      ...pick(members, parameters),
      ...framed(question, dialect, report),
      ...defined({
        duration: secondsOf(question, dialect.lengths) ?? unsaidLength(question, dialect),
        watermark,
        seed: seedOf(question),
      }),
      // The vendor does both by default.
      prompt_extend: rewrite,
      ...(canSwitch ? { audio: audio ?? false } : {}),
    },
  };
}

/** The defaults of its models. */
export function expect(question: VideoRequest, own?: VideoContext["dialect"]): Partial<TaskFacts> {
  const { sound, lengths, usualLength, usualResolution }: WanDialect = {
    ...DEFAULT_DIALECT,
    ...own,
  };
  const hears = question.media.some(({ type }) => type === "audio");
  const { resolution = usualResolution } = shapeOf(question);
  return defined({
    seconds: secondsOf(question, lengths) ?? usualLength,
    resolution,
    audio: hears || (sound === "on request" ? (question.audio ?? false) : sound === "always"),
  });
}

/** An edited video may have the model's maximum length. */
export function longest(question: VideoRequest, own?: VideoContext["dialect"]): number | undefined {
  const { lengths }: WanDialect = { ...DEFAULT_DIALECT, ...own };
  const isSaid = secondsOf(question, lengths) !== undefined;
  return !isSaid && question.media.some(({ role }) => role === "base")
    ? mostOf(lengths)
    : undefined;
}

/** An edited video keeps its length. */
function unsaidLength({ media }: VideoRequest, { usualLength }: WanDialect): number | undefined {
  return media.some(({ role }) => role === "base") ? undefined : usualLength;
}

/** Counts a character of any script as one, as the vendor does. */
function holdToLength(text: string, param: string, most: number): void {
  if (text.length <= most) return;
  const { length } = [...text];
  if (length <= most) return;
  throw invalid(param, `'${param}' must have ${most} characters at most, not ${length}.`);
}

/** In other protocols, -1 means a random seed. */
function seedOf({ seed }: VideoRequest): number | undefined {
  if (seed === undefined || seed === -1) return undefined;
  if (Number.isInteger(seed) && seed >= 0 && seed <= MAX_SEED) return seed;
  throw invalid("seed", `'seed' must be a whole number from 0 to ${MAX_SEED}.`);
}
