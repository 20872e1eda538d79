import { GatewayError, invalid } from "#core/error.ts";
import type { HeldPicture } from "#core/image.ts";
import type { MadeVideo, TaskUpdate, VideoContext, VideoRequest } from "#core/video.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined, integerOf, memberOf, objectOf, textOf } from "#lib/values.ts";
import { checkPrompt, oneOf, secondsOf } from "../allowed.ts";
import { framingOf } from "../framing.ts";
import { givenIn, linkOrData, refuseMedia } from "../given.ts";
import { addressIn, failureOf, heldAmong } from "../task-fields.ts";
import { asGatewayError } from "#styles/upstream-error.ts";
import { carriedBy, loseAllBut, reportRatio } from "../unsaid.ts";
import type { MinimaxDialect } from "./dialect.ts";
import { errorIn, failureIn } from "./failure.ts";

export const ID = "video-minimax-older";

const MAX_PROMPT_CHARS = 2_000;

export function build(question: VideoRequest, { report, dialect }: VideoContext): JsonObject {
  const model: MinimaxDialect = { ...dialect };
  const { prompt, rewrite, watermark } = question;
  const shown = pictures(question);
  const isRequired = question.media.length === 0;
  checkPrompt(prompt, { max: MAX_PROMPT_CHARS, isRequired });
  loseAllBut(["rewrite", "watermark"], question, ID, report);
  // Always sent explicitly: the reserved amount must match the video that the vendor makes.
  const { resolution = model.resolution, ratio } = framingOf(question);
  reportRatio(ratio, report);
  return {
    ...carriedBy(question, ID),
    model: question.model,
    ...defined({
      prompt,
      prompt_optimizer: rewrite,
      duration: secondsOf(question, model.lengths) ?? model.seconds,
      resolution: oneOf(resolution, model.resolutions, "resolution")?.toUpperCase(),
      aigc_watermark: watermark,
    }),
    ...shown,
  };
}

/** Frames, or the one subject face of the video. */
function pictures(question: VideoRequest): JsonObject {
  const { first, last, pictures: faces, videos, sounds } = givenIn(question);
  refuseMedia([...videos, ...sounds]);
  const [face, another] = faces;
  if (another !== undefined || (face !== undefined && first !== undefined)) {
    throw invalid("image", "Send frames, or one reference.");
  }
  if (face !== undefined) {
    return { subject_reference: [{ type: "character", image: [linkOrData(face)] }] };
  }
  return defined({
    first_frame_image: first && linkOrData(first),
    last_frame_image: last && linkOrData(last),
  });
}

/** Path of a finished task's video: the task has a file id and no link. */
export function fileOf(answer: JsonObject): string | undefined {
  const { status, file_id: id } = answer;
  const file = typeof id === "number" ? String(id) : textOf(id);
  return status === "Success" && file ? file : undefined;
}

export function parseTask(body: JsonObject): TaskUpdate {
  switch (body["status"]) {
    case "Preparing":
    case "Queueing":
      return { state: "queued" };
    case "Success":
      return { state: "succeeded", videos: [videoIn(body)] };
    case "Fail":
      return { state: "failed", failure: whyFailed(body) };
    default: {
      const error = errorIn(body, 200);
      if (error !== undefined) throw asGatewayError(error);
      return { state: "running" };
    }
  }
}

function whyFailed(body: JsonObject) {
  const base = objectOf(body["base_resp"]) ?? {};
  const { status_code: code, status_msg: message } = base;
  if (code === 0 || code === undefined) return failureOf("task_failed", undefined);
  return failureIn(defined({ code, message }));
}

export function parseContent({ file }: JsonObject, index: number): HeldPicture | undefined {
  return heldAmong([memberOf(file, "download_url")], index);
}

/** The link needs a second request; if that fails, it can be repeated. */
function videoIn(body: JsonObject): MadeVideo {
  const url = addressIn(memberOf(body["file"], "download_url"));
  if (url === undefined) {
    throw new GatewayError("upstream_failed", "The upstream's response has no link to the video.");
  }
  return {
    url,
    ...defined({
      width: integerOf(body["video_width"]),
      height: integerOf(body["video_height"]),
    }),
  };
}
