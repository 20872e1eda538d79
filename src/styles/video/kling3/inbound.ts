import { invalid } from "#core/error.ts";
import { validate } from "#core/validate.ts";
import type { Address } from "#core/style.ts";
import type { InboundVideoFormat, VideoRequest } from "#core/video.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined, flagOf, integerOf, memberOf, objectOf, restOf, textOf } from "#lib/values.ts";
import { readCallbackUrl } from "../callback-url.ts";
import { buildError } from "../kling/build-error.ts";
import { KNOWN, KNOWN_OPTIONS, KNOWN_SETTINGS, REQUEST } from "./fields.ts";
import { ID } from "./outbound.ts";
import { readContents, type Contents } from "./read-contents.ts";
import { writeNotice, writeSubmitted, writeTask } from "./write-task.ts";

export const inbound: InboundVideoFormat["inbound"] = {
  read,
  writeSubmitted,
  writeTask,
  writeNotice,
  buildError,
  withRequestId: (answer, requestId) => ({ ...answer, request_id: requestId }),
};

function read(body: JsonObject, { model = "", scenario: path }: Address): VideoRequest {
  validate(body, REQUEST);
  const said = textOf(body["model"]) ?? "";
  if (said !== "" && said !== model) {
    throw invalid("model", "'model' must be omitted, or be the model in the path.");
  }
  refuseMisplaced(body);
  const contents = readContents(path, body);
  const { scenario, prompt, media } = contents;
  const settings = objectOf(body["settings"]) ?? {};
  const options = objectOf(body["options"]) ?? {};
  const sound = settings["audio"];
  return {
    model,
    scenario,
    media,
    ...defined({
      prompt,
      resolution: textOf(settings["resolution"])?.toLowerCase(),
      ratio: textOf(settings["aspect_ratio"]) || undefined,
      seconds: integerOf(settings["duration"]),
      audio: sound === "native" ? true : sound === "off" ? false : undefined,
      count: integerOf(settings["n"]) ?? integerOf(body["n"]),
      watermark: flagOf(memberOf(options["watermark_info"], "enabled")),
      callbackUrl:
        readCallbackUrl(options["callback_url"], "options.callback_url") ??
        readCallbackUrl(body["callback_url"], "callback_url"),
      externalId:
        textOf(options["external_task_id"]) || textOf(body["external_task_id"]) || undefined,
      extra: extraOf(body, contents, settings, options),
    }),
  };
}

/** Refuses options that affect the price at positions where they are not read. */
function refuseMisplaced(body: JsonObject): void {
  for (const name of ["resolution", "duration", "audio"]) {
    if (body[name] === undefined || body[name] === null) continue;
    throw invalid(name, `'${name}' belongs into 'settings'.`);
  }
}

/** All other members are forwarded to the vendor unchanged. */
function extraOf(
  body: JsonObject,
  { others }: Contents,
  settings: JsonObject,
  options: JsonObject,
): VideoRequest["extra"] {
  const original = settings["audio"] === "original" ? { audio: "original" } : undefined;
  const set = restOf(settings, KNOWN_SETTINGS);
  const extra: Record<string, Json | undefined> = {
    ...restOf(body, KNOWN),
    ...defined({
      settings: (set ?? original) && { ...set, ...original },
      options: restOf(options, KNOWN_OPTIONS),
      contents: others.length === 0 ? undefined : others,
    }),
  };
  return Object.keys(extra).length === 0 ? undefined : { [ID]: extra };
}
