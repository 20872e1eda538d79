import type { HeldPicture } from "#core/image.ts";
import { invalid } from "#core/error.ts";
import { refuse } from "#core/lossy.ts";
import type {
  TaskFacts,
  TaskUpdate,
  TaskRef,
  VideoContext,
  VideoMedia,
  VideoRequest,
  VideoScenario,
} from "#core/video.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined, listOf, objectOf, textOf } from "#lib/values.ts";
import { checkPrompt, oneOf, within } from "../allowed.ts";
import { framingOf } from "../framing.ts";
import { givenIn, linkOrBase64, refuseMedia } from "../given.ts";
import { addressIn, EXPIRED, failureOf, heldAmong, takenOn } from "../task-fields.ts";
import { asGatewayError } from "#styles/upstream-error.ts";
import { carriedBy, loseAllBut, reportRatio } from "../unsaid.ts";
import type { JimengDialect } from "./dialect.ts";
import { codeIn, errorIn, parseError, verdictIn } from "./failure.ts";

export const ID = "video-jimeng";

const RATIOS = ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9"];
const FRAMES_A_SECOND = 24;
const MAX_SECONDS = 3_600;
const STRENGTHS = ["weak", "medium", "strong"];
const FRAMES_OF: ReadonlyMap<VideoScenario, 0 | 1 | 2> = new Map([
  ["text", 0],
  ["first_frame", 1],
  ["first_last", 2],
]);

export function build(question: VideoRequest, { report, dialect }: VideoContext): JsonObject {
  const model = { ...dialect } as JimengDialect;
  const { prompt, seed } = question;
  const pictures = picturesIn(question);
  const { maxPrompt = Infinity, needsPrompt = false } = model;
  checkPrompt(prompt, { max: maxPrompt, isRequired: needsPrompt });
  loseAllBut(["seed"], question, ID, report);
  const { resolution, ratio } = framingOf(question);
  if (resolution !== undefined) {
    if (model.resolution === undefined) report.lose("resolution");
    else oneOf(resolution, [model.resolution], "resolution");
  }
  const isFree = pictures.length === 0;
  if (!isFree) reportRatio(ratio, report);
  return {
    ...more(carriedBy(question, ID), model, (name) => report.lose(name)),
    req_key: keyFor(question.model, pictures.length, model),
    ...defined({
      prompt,
      seed,
      frames: framesOf(question, model),
      aspect_ratio: isFree ? oneOf(ratio, RATIOS, "ratio") : undefined,
    }),
    ...(isFree ? {} : written(pictures)),
  };
}

/** Each model has one resolution, and no audio. */
export function expect(
  question: VideoRequest,
  dialect?: VideoContext["dialect"],
): Partial<TaskFacts> {
  const { resolution, frames = [] }: JimengDialect = { ...dialect };
  const [unasked] = frames;
  const made = question.frames ?? unasked;
  const seconds =
    question.seconds ?? (made === undefined ? undefined : (made - 1) / FRAMES_A_SECOND);
  return { audio: false, ...defined({ resolution, seconds }) };
}

/** The `req_key`, which polls of the task need, too. */
export function keyOf({ upstreamModel, scenario }: TaskRef, { keys }: JimengDialect): string {
  const frames = FRAMES_OF.get(scenario);
  return (frames === undefined ? undefined : keys?.[frames]) ?? upstreamModel;
}

function keyFor(model: string, pictures: number, { keys }: JimengDialect): string {
  if (keys === undefined) return model;
  const key = keys[pictures as 0 | 1 | 2];
  if (key !== undefined) return key;
  const most = Object.keys(keys).map((count) => (count === "0" ? "no picture" : count));
  throw invalid("image", `This model takes ${most.join(" or ")} as frames, not ${pictures}.`);
}

function picturesIn(question: VideoRequest): readonly VideoMedia[] {
  const { first, last, pictures, videos, sounds } = givenIn(question);
  refuseMedia([...videos, ...sounds, ...pictures]);
  const frames = [first, last].filter((each) => each !== undefined);
  // The key is derived from the scenario when the task is polled: it must match the frames.
  if (FRAMES_OF.get(question.scenario) === frames.length) return frames;
  throw refuse("image", "this model accepts only a first and a last frame.");
}

/** All images as links, or all inline: the vendor takes one list. */
function written(pictures: readonly VideoMedia[]): JsonObject {
  const links = pictures.filter(({ source }) => source.kind === "url");
  if (links.length > 0 && links.length < pictures.length) {
    throw invalid("image", "Send both images as links, or both as data.");
  }
  const name = links.length > 0 ? "image_urls" : "binary_data_base64";
  return { [name]: pictures.map(linkOrBase64) };
}

/** One frame more than the seconds have. */
function framesOf({ frames, seconds }: VideoRequest, model: JimengDialect): number | undefined {
  if (frames !== undefined && seconds === undefined) return oneOf(frames, model.frames, "frames");
  if (seconds === undefined) return undefined;
  const lengths = model.frames?.map((each) => (each - 1) / FRAMES_A_SECOND);
  return within(seconds, lengths ?? { min: 1, max: MAX_SECONDS }) * FRAMES_A_SECOND + 1;
}

const CAMERA = ["template_id", "camera_strength"];

/** Further members of the client's own protocol. */
function more(
  extra: JsonObject,
  { camera = false }: JimengDialect,
  lose: (name: string) => void,
): JsonObject {
  const strength = textOf(extra["camera_strength"]);
  if (camera) {
    if (textOf(extra["template_id"]) === undefined) {
      throw invalid("template_id", "'template_id' is required by this model.");
    }
    oneOf(strength, STRENGTHS, "camera_strength");
    return extra;
  }
  const kept: Record<string, Json | undefined> = {};
  for (const [name, value] of Object.entries(extra)) {
    if (CAMERA.includes(name)) lose(name);
    else kept[name] = value;
  }
  return kept;
}

export function parseSubmitted(body: JsonObject): string {
  const error = errorIn(body, 200);
  if (error !== undefined) throw asGatewayError(error);
  return takenOn(objectOf(body["data"])?.["task_id"]);
}

/** The code is checked first: a failed task has no state. */
export function parseTask(body: JsonObject, _task: TaskRef, status: number): TaskUpdate {
  const verdict = verdictIn(body, status);
  if (verdict !== undefined) {
    const code = verdict === "content" ? "content_filtered" : String(codeIn(body));
    return { state: "failed", failure: failureOf(code, body["message"]) };
  }
  const error = errorIn(body, status);
  if (error !== undefined) throw asGatewayError(error);
  if (status !== 200 || codeIn(body) === undefined) {
    throw asGatewayError(parseError(status, JSON.stringify(body)));
  }
  const data = objectOf(body["data"]) ?? {};
  switch (data["status"]) {
    case "in_queue":
      return { state: "queued" };
    case "done":
      return { state: "succeeded", videos: videosIn(data) };
    case "not_found":
      return { state: "missing" };
    case "expired":
      return { state: "failed", failure: EXPIRED };
    default:
      return { state: "running" };
  }
}

function videosIn(data: JsonObject): readonly { readonly url: string }[] {
  const url = addressesIn(data)
    .map(addressIn)
    .find((address) => address !== undefined);
  return url === undefined ? [] : [{ url }];
}

function addressesIn(data: JsonObject): readonly (Json | undefined)[] {
  return [data["video_url"], ...listOf(data["video_urls"])];
}

export function parseContent({ data }: JsonObject, index: number): HeldPicture | undefined {
  return heldAmong(addressesIn(objectOf(data) ?? {}), index);
}
