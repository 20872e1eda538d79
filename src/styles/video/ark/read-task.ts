import { invalid } from "#core/error.ts";
import { validate } from "#core/validate.ts";
import type { VideoRequest } from "#core/video.ts";
import type { JsonObject } from "#lib/json.ts";
import { flag, integer, list, object, text, type ObjectRule } from "#lib/rules.ts";
import { defined, flagOf, integerOf, listOf, restOf, textOf } from "#lib/values.ts";
import { readCallbackUrl } from "#styles/video/callback-url.ts";
import { readSeconds } from "#styles/video/read-seconds.ts";
import { scenarioOf } from "#styles/video/scenario.ts";
import { ID } from "./build.ts";
import { readContent } from "./read-content.ts";

const MAX_SEED = 4_294_967_295;
const WORD = text({ maxLength: 16 });

export const REQUEST: ObjectRule = object({
  "model!": text({ maxLength: 512 }),
  "content!": list(
    object({ "type!": text({ doc: "`text`, `image_url`, `video_url` or `audio_url`." }) }),
    64,
  ),
  resolution: WORD,
  ratio: WORD,
  duration: integer(-1, 3_600, "Seconds; -1 lets the model choose, where it can."),
  frames: integer(1, 10_000),
  generate_audio: flag(),
  callback_url: text({ maxLength: 2_048 }),
  return_last_frame: flag(),
  seed: integer(-1, MAX_SEED),
  watermark: flag(),
  camera_fixed: flag(),
  safety_identifier: text({ maxLength: 2_048 }),
});
const KNOWN: ReadonlySet<string> = new Set(REQUEST.members.keys());

/** A task with text and media; options that are missing in the body may be in the text. */
export function readTask(body: JsonObject): VideoRequest {
  const model = textOf(body["model"]) ?? "";
  if (model === "") throw invalid("model", "model is required");
  if (listOf(body["content"]).length === 0) throw invalid("content", "text content is required");
  validate(body, REQUEST);
  const { prompt, media, flags } = readContent(listOf(body["content"]), "content");
  if (prompt === undefined) throw invalid("content", "text content is required");
  const extra = restOf(body, KNOWN);
  return {
    model,
    scenario: scenarioOf(media),
    prompt,
    media,
    ...flags,
    ...defined({
      resolution: textOf(body["resolution"])?.toLowerCase(),
      ratio: textOf(body["ratio"])?.toLowerCase(),
      seconds: readSeconds(body["duration"], "duration"),
      frames: integerOf(body["frames"]),
      audio: flagOf(body["generate_audio"]),
      callbackUrl: readCallbackUrl(body["callback_url"], "callback_url"),
      lastFrame: flagOf(body["return_last_frame"]),
      seed: integerOf(body["seed"]),
      watermark: flagOf(body["watermark"]),
      cameraFixed: flagOf(body["camera_fixed"]),
      user: textOf(body["safety_identifier"]),
      extra: extra && { [ID]: extra },
    }),
  };
}
