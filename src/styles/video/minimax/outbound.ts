import type { HeldPicture } from "#core/image.ts";
import { invalid } from "#core/error.ts";
import type { TaskFacts, TaskUpdate, VideoContext, VideoMedia, VideoRequest } from "#core/video.ts";
import { gradeOf } from "#core/video.ts";
import { usageOf, type Usage } from "#core/usage.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined, integerOf, memberOf, objectOf, textOf } from "#lib/values.ts";
import { checkPrompt, oneOf, secondsOf } from "../allowed.ts";
import { framingOf } from "../framing.ts";
import { givenIn, linkOrData, type Given } from "../given.ts";
import { addressIn, heldAmong, secondsIn, takenOn } from "../task-fields.ts";
import { asGatewayError } from "#styles/upstream-error.ts";
import { carriedBy, loseAllBut } from "../unsaid.ts";
import { statusWords, updateBy } from "../task-status.ts";
import type { MinimaxDialect } from "./dialect.ts";
import { errorIn, failureIn } from "./failure.ts";

export const ID = "video-minimax";

const MAX_PROMPT_CHARS = 7_000;
const MAX_REFERENCES = { image: 9, video: 3, audio: 3 } as const;

export function build(question: VideoRequest, { report, dialect }: VideoContext): JsonObject {
  const model: MinimaxDialect = { ...dialect };
  const { prompt = "", watermark } = question;
  const given = givenIn(question);
  checkTogether(given);
  if (model.references === false) refuseReferences(given);
  checkPrompt(prompt, { max: MAX_PROMPT_CHARS, isRequired: true });
  loseAllBut(["watermark"], question, ID, report);
  const { resolution = model.resolution, ratio } = framingOf(question);
  // No webhook URL: the vendor would first require the answer to a challenge.
  return {
    ...carriedBy(question, ID),
    model: question.model,
    content: [{ type: "text", text: prompt }, ...contentOf(given)],
    ...defined({
      resolution: oneOf(resolution, model.resolutions, "resolution")?.toUpperCase(),
      duration: secondsOf(question, model.lengths) ?? model.seconds,
      ratio: ratioFor(ratio, question.media.length > 0, model),
      aigc_watermark: watermark,
    }),
  };
}

/** For both request formats. */
export function expect(question: VideoRequest, own?: VideoContext["dialect"]): Partial<TaskFacts> {
  const dialect: MinimaxDialect = { ...own };
  const { resolution = dialect.resolution } = framingOf(question);
  const seconds = secondsOf(question, dialect.lengths) ?? dialect.seconds;
  return defined({ resolution, seconds });
}

/** Without input media, an adaptive ratio has no source. */
function ratioFor(
  ratio: string | undefined,
  isShown: boolean,
  { ratio: unsaid, ratios }: MinimaxDialect,
): string | undefined {
  const allowed = ratios === undefined || !isShown ? ratios : [...ratios, "adaptive"];
  return oneOf(ratio ?? (isShown ? undefined : unsaid), allowed, "ratio");
}

function checkTogether({ first, last, pictures, videos, sounds }: Given): void {
  const references = [...pictures, ...videos, ...sounds];
  if (first !== undefined && references.length > 0) {
    throw invalid("image", "Frames and references cannot be combined.");
  }
  for (const [type, most] of Object.entries(MAX_REFERENCES)) {
    const count = references.filter((each) => each.type === type).length;
    if (count > most) throw invalid(type, `At most ${most} references of this kind are supported.`);
  }
  const isHeardOnly = sounds.length > 0 && sounds.length === references.length;
  if (isHeardOnly && first === undefined && last === undefined) {
    throw invalid("audio", "Audio requires an image or a video.");
  }
}

function refuseReferences({ pictures, videos, sounds }: Given): void {
  const [reference] = [...pictures, ...videos, ...sounds];
  if (reference === undefined) return;
  throw invalid(reference.type, "This model accepts frames, but no references.");
}

function contentOf({ first, last, pictures, videos, sounds }: Given): readonly JsonObject[] {
  return [
    ...(first === undefined ? [] : [element(first, "first_frame")]),
    ...(last === undefined ? [] : [element(last, "last_frame")]),
    ...[...pictures, ...videos, ...sounds].map((each) => element(each, `reference_${each.type}`)),
  ];
}

function element(medium: VideoMedia, role: string): JsonObject {
  const type = `${medium.type}_url`;
  return { type, [type]: { url: linkOrData(medium) }, role };
}

export function parseSubmitted(body: JsonObject): string {
  const error = errorIn(body, 200);
  if (error !== undefined) throw asGatewayError(error);
  return takenOn(body["task_id"]);
}

const STATUS = statusWords({
  queued: "queued",
  succeeded: "succeeded",
  failed: "failed",
  cancelled: "cancelled",
  expired: "expired",
});

export function parseTask(body: JsonObject): TaskUpdate {
  const task = objectOf(body["task"]);
  const error = task === undefined ? errorIn(body, 200) : undefined;
  if (error !== undefined) throw asGatewayError(error);
  return updateBy(STATUS.get(textOf(task?.["status"]) ?? ""), {
    made: () => made(task ?? {}),
    failure: () => failureIn(task?.["error"]),
  });
}

export function parseContent({ task }: JsonObject, index: number): HeldPicture | undefined {
  return heldAmong([memberOf(memberOf(task, "content"), "url")], index);
}

function made(task: JsonObject): TaskUpdate {
  const url = addressIn(memberOf(task["content"], "url"));
  const facts = factsIn(task);
  return {
    state: "succeeded",
    videos: url === undefined ? [] : [{ url, ...defined({ seconds: facts.seconds }) }],
    facts,
    ...defined({ usage: usageIn(task, facts) }),
  };
}

function factsIn(task: JsonObject): Partial<TaskFacts> {
  return defined({
    seconds: secondsIn(task["duration"]),
    resolution: textOf(task["resolution"])?.toLowerCase(),
    ratio: textOf(task["ratio"]),
  });
}

/** Input videos are charged by their length, like generated ones, and input images by their number. */
function usageIn({ usage }: JsonObject, facts: Partial<TaskFacts>): Usage | undefined {
  const used = objectOf(usage) ?? {};
  const made = secondsIn(used["output_seconds"]) ?? facts.seconds;
  if (made === undefined) return undefined;
  const shown = secondsIn(used["input_seconds"]) ?? 0;
  return usageOf({
    inputTokens: integerOf(used["prompt_tokens"]) ?? 0,
    outputTokens: integerOf(used["completion_tokens"]) ?? 0,
    referenceImages: integerOf(used["input_image_count"]) ?? 0,
    durationMs: Math.round((made + shown) * 1_000),
    grade: gradeOf(facts),
  });
}
