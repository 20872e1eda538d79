import { invalid } from "#core/error.ts";
import { validate } from "#core/validate.ts";
import type { Address } from "#core/style.ts";
import type { InboundVideoFormat, VideoRequest } from "#core/video.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import {
  defined,
  flagOf,
  integerOf,
  listOf,
  memberOf,
  numberOf,
  objectOf,
  restOf,
  textOf,
} from "#lib/values.ts";
import { readCallbackUrl } from "../callback-url.ts";
import { readSeconds } from "../read-seconds.ts";
import { buildError } from "./build-error.ts";
import { KNOWN, REQUEST } from "./fields.ts";
import { ID } from "./outbound.ts";
import { readShown, withNames } from "./read-media.ts";
import { writeNotice, writeSubmitted, writeTask } from "./write-task.ts";

export const inbound: InboundVideoFormat["inbound"] = {
  read,
  writeSubmitted,
  writeTask,
  writeNotice,
  buildError,
  withRequestId: (answer, requestId) => ({ ...answer, request_id: requestId }),
};

function read(body: JsonObject, { scenario: path }: Address): VideoRequest {
  validate(body, REQUEST);
  const fields = { ...restOf(objectOf(body["metadata"]) ?? {}, MODEL), ...restOf(body, METADATA) };
  const { scenario, media } = readShown(path, fields);
  const prompt = textOf(fields["prompt"]);
  const sound = textOf(fields["sound"]);
  const extra = defined({ ...restOf(fields, KNOWN), video_list: soundsOf(fields["video_list"]) });
  return {
    model: modelIn(body),
    scenario,
    media,
    ...defined({
      prompt: prompt === undefined || prompt === "" ? undefined : withNames(prompt, media),
      negativePrompt: textOf(fields["negative_prompt"]) || undefined,
      guidance: numberOf(fields["cfg_scale"]),
      mode: textOf(fields["mode"]),
      camera: objectOf(fields["camera_control"]),
      ratio: textOf(fields["aspect_ratio"]) || undefined,
      seconds: readSeconds(fields["duration"] || undefined, "duration"),
      audio: sound === undefined ? undefined : sound === "on",
      watermark: flagOf(memberOf(fields["watermark_info"], "enabled")),
      count: integerOf(fields["n"]),
      callbackUrl: readCallbackUrl(fields["callback_url"], "callback_url"),
      externalId: textOf(fields["external_task_id"]) || undefined,
      extra: Object.keys(extra).length === 0 ? undefined : { [ID]: extra },
    }),
  };
}

const MODEL = new Set(["model", "model_name"]);
const METADATA = new Set(["metadata"]);

/** The model may be in four members, and must be equal in all: it decides the price. */
function modelIn(body: JsonObject): string {
  const { metadata } = body;
  const said = [body["model_name"], body["model"]];
  const beside = [memberOf(metadata, "model_name"), memberOf(metadata, "model")];
  const models = new Set([...said, ...beside].map((each) => textOf(each) ?? ""));
  models.delete("");
  const [model = "", another] = models;
  if (another === undefined) return model;
  throw invalid("model", "'model', 'model_name' and 'metadata' name different models.");
}

/** Whether a video keeps its audio; only this protocol has such an option. */
function soundsOf(videos: Json | undefined): Json | undefined {
  const sounds = listOf(videos).map((each) => {
    const kept = textOf(memberOf(each, "keep_original_sound"));
    return defined({ keep_original_sound: kept });
  });
  return sounds.some(({ keep_original_sound: kept }) => kept !== undefined) ? sounds : undefined;
}
