import {
  flag,
  integer,
  list,
  object,
  tagged,
  text,
  type ObjectRule,
  type Rule,
} from "#lib/rules.ts";

const MAX_ELEMENTS = 100;
const LINK = object({ "url!": text({ minLength: 1, doc: "A link or a data URI." }) });

function medium(type: string, ...roles: readonly string[]): ObjectRule {
  return object({ "type!": text(), [`${type}!`]: LINK, role: text({ oneOf: roles }) });
}

const ELEMENT: Rule = tagged(
  "type",
  {
    text: object({ "type!": text(), "text!": text({ minLength: 1 }) }),
    image_url: medium("image_url", "first_frame", "last_frame", "reference_image"),
    video_url: medium("video_url", "reference_video"),
    audio_url: medium("audio_url", "reference_audio"),
  },
  { closed: true },
);

/** Resolutions in the exact letter case of its clients. */
export const REQUEST: ObjectRule = object({
  "model!": text({ minLength: 1, maxLength: 512 }),
  "content!": list(ELEMENT, MAX_ELEMENTS, 1),
  "resolution!": text({ oneOf: ["480P", "768P", "2K"] }),
  "duration!": integer(4, 15, "Seconds."),
  ratio: text({ oneOf: ["21:9", "16:9", "4:3", "1:1", "3:4", "9:16", "adaptive"] }),
  aigc_watermark: flag(),
});

export const KNOWN: ReadonlySet<string> = new Set(REQUEST.members.keys());
