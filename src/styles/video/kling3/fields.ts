import { list, object, tagged, text, type ObjectRule } from "#lib/rules.ts";
import { CALLBACK_URL, COUNT, EXTERNAL_ID, LENGTH, WATERMARK_INFO } from "../kling/fields.ts";

const MAX_CONTENTS = 100;
const ID = text({ maxLength: 64, doc: "By which the prompt speaks of it." });
const LINKED = object({ "type!": text(), "url!": text({ minLength: 1 }), id: ID });

/** Elements of other types are the vendor's own, and are forwarded unchanged. */
const CONTENT = tagged(
  "type",
  {
    prompt: object({ "type!": text(), "text!": text() }),
    first_frame: LINKED,
    last_frame: LINKED,
    refer_image: LINKED,
    feature_video: LINKED,
    base_video: LINKED,
    voice: object({ "type!": text(), "voice_id!": text({ minLength: 1 }), id: ID }),
  },
  { closed: false },
);

const SETTINGS = object({
  resolution: text({ oneOf: ["720P", "1080P", "4K"], anyCase: true }),
  aspect_ratio: text(),
  duration: LENGTH,
  audio: text({ oneOf: ["native", "off", "original"] }),
  n: COUNT,
});

const OPTIONS = object({
  callback_url: CALLBACK_URL,
  external_task_id: EXTERNAL_ID,
  watermark_info: WATERMARK_INFO,
});

export const REQUEST: ObjectRule = object({
  model: text({ doc: "As in the address, if at all." }),
  prompt: text(),
  contents: list(CONTENT, MAX_CONTENTS),
  settings: SETTINGS,
  options: OPTIONS,
  n: COUNT,
  callback_url: CALLBACK_URL,
  external_task_id: EXTERNAL_ID,
});

export const KNOWN: ReadonlySet<string> = new Set(REQUEST.members.keys());
export const KNOWN_SETTINGS: ReadonlySet<string> = new Set(SETTINGS.members.keys());
export const KNOWN_OPTIONS: ReadonlySet<string> = new Set(OPTIONS.members.keys());
