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

/** The maximum of all families. */
export const MAX_MEDIA = 32;
const MAX_SEED = 4_294_967_295;
const MAX_TEXT_CHARS = 2_048;

const SECONDS = either(
  integer(-1, 3_600),
  text({ maxLength: 8, doc: "Seconds, as a number or as text." }),
);
const WORD = text({ maxLength: 64 });
const LINE = text({ maxLength: MAX_TEXT_CHARS });
const MEDIUM = either(text({ doc: "A link, a data URI, or base64." }), object({}));
const MEDIA = either(MEDIUM, list(MEDIUM, MAX_MEDIA));

/** An option under all its client names; the first one takes precedence. */
interface Field {
  readonly names: readonly string[];
  readonly rule: Rule;
}

export const FIELDS = {
  prompt: field(text(), "prompt"),
  negativePrompt: field(text(), "negative_prompt", "negativePrompt"),
  image: field(MEDIUM, "image"),
  images: field(MEDIA, "images", "image[]", "images[]"),
  inputReference: field(MEDIA, "input_reference", "inputReference", "input_reference[]"),
  firstFrame: field(MEDIUM, "first_frame", "firstFrame", "first_frame_image"),
  endFrame: field(MEDIUM, "last_frame", "lastFrame", "last_frame_image", "image_tail"),
  references: field(list(MEDIUM, MAX_MEDIA), "reference_images", "referenceImages"),
  video: field(MEDIUM, "video", "video_url", "videoUrl"),
  referenceVideos: field(list(MEDIUM, MAX_MEDIA), "reference_videos", "referenceVideos"),
  sound: field(MEDIUM, "audio_url", "audioUrl"),
  duration: field(SECONDS, "duration", "durationSeconds", "duration_seconds"),
  seconds: field(SECONDS, "seconds"),
  frames: field(integer(1, 10_000), "frames"),
  size: field(text({ maxLength: 32, doc: "`1280x720` or `1280*720`." }), "size"),
  resolution: field(text({ maxLength: 16, doc: "`720p`, `1080p`." }), "resolution"),
  ratio: field(text({ maxLength: 16, doc: "`16:9`." }), "aspect_ratio", "aspectRatio", "ratio"),
  framesPerSecond: field(integer(1, 240), "fps", "framesPerSecond", "frames_per_second"),
  count: field(
    integer(1, 16, "Videos to make at once."),
    "n",
    "number_of_videos",
    "numberOfVideos",
    "sample_count",
    "sampleCount",
  ),
  seed: field(integer(-1, MAX_SEED), "seed"),
  audio: field(flag(), "generate_audio", "generateAudio", "audio"),
  music: field(flag(), "bgm"),
  watermark: field(flag(), "watermark", "add_watermark", "addWatermark", "aigc_watermark"),
  cameraFixed: field(flag(), "camera_fixed", "cameraFixed"),
  movement: field(WORD, "movement_amplitude", "movementAmplitude"),
  rewrite: field(
    flag("The vendor may write the prompt anew."),
    "prompt_extend",
    "promptExtend",
    "smart_prompt",
    "smartPrompt",
    "enhance_prompt",
    "enhancePrompt",
    "prompt_optimizer",
  ),
  guidance: field(number(0, 1), "cfg_scale", "cfgScale"),
  mode: field(WORD, "mode"),
  camera: field(object({}), "camera_control", "cameraControl"),
  people: field(WORD, "person_generation", "personGeneration"),
  lastFrame: field(flag(), "return_last_frame", "returnLastFrame"),
  action: field(text({ oneOf: ["text", "generate", "first_tail", "reference"] }), "action"),
  content: field(list(object({}), 64), "content"),
  callbackUrl: field(text({ maxLength: MAX_TEXT_CHARS }), "callback_url", "callbackUrl"),
  externalId: field(text({ maxLength: 256 }), "external_task_id", "externalTaskId"),
  payload: field(text({ maxLength: 1_048_576 }), "payload"),
  user: field(LINE, "user"),
} as const satisfies Readonly<Record<string, Field>>;

export type FieldName = keyof typeof FIELDS;

function field(rule: Rule, ...names: readonly string[]): Field {
  return { names, rule };
}

const MEMBERS: Readonly<Record<string, Rule>> = Object.fromEntries(
  Object.values(FIELDS).flatMap(({ names, rule }) => names.map((name) => [name, rule])),
);

/** Common members, and those of single model families: at the top level or in `metadata`. */
export const REQUEST: ObjectRule = object({
  "model!": text({ minLength: 1, maxLength: 512 }),
  ...MEMBERS,
  metadata: object(MEMBERS, "The same fields again, and those of the model's vendor."),
});

export const KNOWN: ReadonlySet<string> = new Set(REQUEST.members.keys());
