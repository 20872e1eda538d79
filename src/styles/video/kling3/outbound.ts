import type { HeldPicture } from "#core/image.ts";
import { GatewayError } from "#core/error.ts";
import type {
  OutboundVideoFormat,
  TaskFacts,
  TaskUpdate,
  TaskRef,
  VideoContext,
  VideoRequest,
} from "#core/video.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, listOf, memberOf, objectOf, textOf } from "#lib/values.ts";
import { checkPrompt, mostOf, secondsOf } from "../allowed.ts";
import { framingOf } from "../framing.ts";
import { errorIn, parseError } from "../kling/failure.ts";
import { succeeded, videoIn } from "../kling/outbound.ts";
import { failureOf, heldAmong, idOf, takenOn } from "../task-fields.ts";
import { asGatewayError } from "#styles/upstream-error.ts";
import { carriedBy, loseAllBut } from "../unsaid.ts";
import { contentsOf, othersIn } from "./contents.ts";
import type { Kling3Dialect } from "./dialect.ts";
import { DEFAULT_RESOLUTION, DEFAULT_SECONDS, settingsOf } from "./settings.ts";

export const ID = "video-kling3";

export const outbound: OutboundVideoFormat["outbound"] = {
  build,
  expect,
  longest,
  parseSubmitted,
  parseTask,
  parseContent,
  parseError,
  parseFound,
};

const MAX_PROMPT_CHARS = 3_072;

function build(question: VideoRequest, context: VideoContext): JsonObject {
  const { report, externalId, callbackUrl } = context;
  const dialect: Kling3Dialect = { ...context.dialect };
  const { prompt, watermark } = question;
  const own = carriedBy(question, ID);
  const others = othersIn(own);
  const contents = contentsOf(question, dialect, others);
  const isWords = question.scenario === "text" && dialect.isOmni !== true;
  if (isWords && others.length > 0) report.lose("contents");
  checkPrompt(prompt, { max: MAX_PROMPT_CHARS, isRequired: isWords || contents.length === 0 });
  const canSound = dialect.sounds === undefined || dialect.sounds.includes("native");
  loseAllBut(canSound ? ["watermark", "audio"] : ["watermark"], question, ID, report);

  const lose = (field: string): void => report.lose(field);
  const { settings, options, contents: _, prompt: __, ...rest } = own;
  const set = settingsOf(question, dialect, objectOf(settings) ?? {}, lose);
  // The gateway sets the webhook URL and the task id itself.
  const { callback_url: ___, external_task_id: ____, ...opted } = objectOf(options) ?? {};
  return {
    ...rest,
    ...(isWords ? defined({ prompt }) : { contents }),
    ...(Object.keys(set).length === 0 ? {} : { settings: set }),
    options: {
      ...opted,
      ...defined({
        callback_url: callbackUrl,
        watermark_info: watermark === undefined ? undefined : { enabled: watermark },
      }),
      external_task_id: externalId,
    },
  };
}

function expect(question: VideoRequest, own?: VideoContext["dialect"]): Partial<TaskFacts> {
  const { sounds, lengths }: Kling3Dialect = { ...own };
  const canSound = sounds === undefined || sounds.includes("native");
  return {
    resolution: framingOf(question).resolution ?? DEFAULT_RESOLUTION,
    seconds: secondsOf(question, lengths) ?? DEFAULT_SECONDS,
    audio: canSound && question.audio === true,
  };
}

/** An edited video keeps its length. */
function longest({ media }: VideoRequest, own?: VideoContext["dialect"]): number | undefined {
  const { lengths }: Kling3Dialect = { ...own };
  return media.some(({ role }) => role === "base") ? mostOf(lengths) : undefined;
}

function parseSubmitted(body: JsonObject): string {
  return takenOn(memberOf(dataIn(body), "id"));
}

/** Throws for an error response. */
function dataIn(body: JsonObject): Json | undefined {
  const error = errorIn(body, 200);
  if (error !== undefined) throw asGatewayError(error);
  return body["data"];
}

/** Unknown tasks are left out of the list. */
function parseTask(body: JsonObject, { upstreamId }: TaskRef): TaskUpdate {
  const task = tasksIn(body).find((each) => idOf(memberOf(each, "id")) === upstreamId);
  if (task === undefined) return { state: "missing" };
  switch (memberOf(task, "status")) {
    case "submitted":
    case "queued":
      return { state: "queued" };
    case "succeeded":
    case "succeed":
      return succeeded(outputsOf(task).flatMap(videoIn));
    case "failed":
      return { state: "failed", failure: failureOf("task_failed", memberOf(task, "message")) };
    default:
      return { state: "running" };
  }
}

function tasksIn(body: JsonObject): readonly Json[] {
  const data = dataIn(body);
  if (isArray(data)) return data;
  if (isObject(data)) return [data];
  throw new GatewayError("upstream_failed", "The upstream's response has no tasks.");
}

function outputsOf(task: Json): readonly Json[] {
  const outputs = listOf(memberOf(task, "outputs"));
  return outputs.filter((each) => memberOf(each, "type") === "video");
}

/** The content of the polled task. */
function parseContent(body: JsonObject, index: number): HeldPicture | undefined {
  const [task = null] = tasksIn(body);
  return heldAmong(
    outputsOf(task).map((each) => memberOf(each, "url")),
    index,
  );
}

function parseFound(body: JsonObject, externalId: string): string | undefined {
  const found = tasksIn(body).find((each) => textOf(memberOf(each, "external_id")) === externalId);
  return idOf(memberOf(found, "id"));
}
