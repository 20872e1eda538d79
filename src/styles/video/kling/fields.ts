import {
  either,
  flag,
  integer,
  list,
  number,
  object,
  text,
  type ObjectRule,
  type Rule,
} from "#lib/rules.ts";

const MAX_LISTED = 100;
const MAX_ID_CHARS = 256;
const MAX_SECONDS = 3_600;
const PICTURE = text({ doc: "A link, or base64." });

/** Members of both styles. */
export const CALLBACK_URL = text();
export const EXTERNAL_ID = text({
  maxLength: MAX_ID_CHARS,
  doc: "The caller's own id of the task; there may be one with it.",
});
export const WATERMARK_INFO = object({ enabled: flag() });
export const COUNT = integer(1, 100);
export const LENGTH = integer(1, MAX_SECONDS, "Seconds.");

const WISHES: Readonly<Record<string, Rule>> = {
  prompt: text(),
  negative_prompt: text(),
  cfg_scale: number(0, 1),
  mode: text({ oneOf: ["std", "pro"] }),
  camera_control: object({}),
  aspect_ratio: text(),
  duration: either(text({ doc: "Seconds." }), LENGTH),
  sound: text({ oneOf: ["on", "off"] }),
  image: PICTURE,
  image_tail: PICTURE,
  image_list: list(
    object({
      image: PICTURE,
      image_url: PICTURE,
      type: text({ oneOf: ["first_frame", "end_frame"] }),
    }),
    MAX_LISTED,
  ),
  video_list: list(
    object({
      "video_url!": text({ minLength: 1 }),
      refer_type: text({ oneOf: ["feature", "base"] }),
      keep_original_sound: text({ oneOf: ["yes", "no"] }),
    }),
    MAX_LISTED,
  ),
  element_list: list(object({}), MAX_LISTED),
  watermark_info: WATERMARK_INFO,
  callback_url: CALLBACK_URL,
  external_task_id: EXTERNAL_ID,
  n: COUNT,
};

export const REQUEST: ObjectRule = object({
  model: text({ maxLength: 512 }),
  model_name: text({ maxLength: 512 }),
  ...WISHES,
  metadata: object(WISHES, "Any of the fields beside it but the model; those beside it win."),
});

/** Members with a field in every protocol; element lists are the vendor's own. */
export const KNOWN: ReadonlySet<string> = new Set(
  [...REQUEST.members.keys()].filter((name) => name !== "element_list"),
);
