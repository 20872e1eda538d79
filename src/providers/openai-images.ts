import type { ImageDialect } from "#styles/image/openai/dialect.ts";
import { images } from "#styles/image/openai/index.ts";
import type { ImageEndpoint } from "./provider.ts";

const EDIT = "/images/edits";
const GENERATE = "/images/generations";
const PNG = { inlines: true, types: ["image/png"] };
const PICTURES = { inlines: true, types: ["image/png", "image/jpeg", "image/webp"] };

/** Output formats in pixels; every model supports them all. */
const FORMATS = ["png", "jpeg", "webp"];
const QUALITIES = ["low", "medium", "high", "auto"];

/** Always responds with base64, and refuses `response_format`. */
const GPT_IMAGE: ImageDialect = {
  takes: [
    "n",
    "size",
    "quality",
    "background",
    "moderation",
    "output_format",
    "output_compression",
    "stream",
    "partial_images",
    "user",
    "safety_identifier",
  ],
  allows: {
    size: ["1024x1024", "1024x1536", "1536x1024", "auto"],
    quality: QUALITIES,
    output_format: FORMATS,
  },
  defaults: { size: "1024x1024", quality: "high" },
  needsPrompt: true,
};

const MINI: ImageDialect = { ...GPT_IMAGE, defaults: { size: "1024x1024", quality: "medium" } };

const GPT_IMAGE_2: ImageDialect = {
  ...GPT_IMAGE,
  anySize: { step: 16, maxRatio: 3, maxLong: 3_840, maxShort: 2_160 },
};

const GPT_IMAGE_2_5: ImageDialect = {
  ...GPT_IMAGE_2,
  takes: [...(GPT_IMAGE_2.takes ?? []), "complexity", "frame_count", "frame_duration_ms", "svg"],
  nestsFields: true,
  allows: {
    ...GPT_IMAGE_2.allows,
    quality: [...QUALITIES, "xhigh", "max"],
    output_format: [...FORMATS, "gif", "svg"],
  },
};

/** Additional input for edits, beside a mask. */
type Editing = "input_fidelity" | "markup";

function editing(dialect: ImageDialect, more: readonly Editing[]): ImageDialect {
  const { takes = [] } = dialect;
  return {
    ...dialect,
    takes: [...takes.filter((name) => name !== "moderation"), "mask", ...more],
    // It supports two levels, and chooses by itself if none is given.
    words: { input_fidelity: { medium: "high", auto: null } },
    maxPictures: 10,
    keepsFiles: true,
  };
}

const DALL_E_2: ImageDialect = {
  takes: ["n", "size", "response_format", "user"],
  allows: { size: ["256x256", "512x512", "1024x1024"] },
  needsPrompt: true,
  maxPictures: 1,
};

const DALL_E_3: ImageDialect = {
  takes: ["n", "size", "quality", "style", "response_format", "user"],
  allows: {
    size: ["1024x1024", "1792x1024", "1024x1792"],
    quality: ["standard", "hd"],
    style: ["vivid", "natural"],
  },
  needsPrompt: true,
  maxPictures: 0,
};

/** The first entry with a matching name applies; each has one row per image task. */
export const OPENAI_IMAGES: readonly ImageEndpoint[] = [
  ...gptImage(/^gpt-image-[\d.]+-mini/, MINI, []),
  ...gptImage(/^gpt-image-2(?!\.)/, GPT_IMAGE_2, []),
  // Also later models, which are not yet known.
  ...gptImage(/^gpt-image-(2\.|[3-9])/, GPT_IMAGE_2_5, ["markup"]),
  ...gptImage(/^(chat)?gpt-image/, GPT_IMAGE, ["input_fidelity"]),
  {
    style: images,
    path: GENERATE,
    isExclusive: true,
    serves: (model) => model.startsWith("dall-e-3"),
    answers: ({ task }) => task !== "vary",
    maxInputs: 1,
    pictures: PNG,
    dialect: { ...DALL_E_3 },
  },
  ...[
    { task: "generate", path: GENERATE, dialect: DALL_E_2 },
    {
      task: "edit",
      path: EDIT,
      dialect: { ...DALL_E_2, takes: [...(DALL_E_2.takes ?? []), "mask"] },
    },
    { task: "vary", path: "/images/variations", dialect: DALL_E_2 },
  ].map(({ task, path, dialect }): ImageEndpoint => ({
    style: images,
    path,
    isExclusive: true,
    serves: (model) => model.startsWith("dall-e-2"),
    answers: (question) => question.task === task,
    maxInputs: 10,
    pictures: PNG,
    dialect: { ...dialect },
  })),
];

function gptImage(
  name: RegExp,
  dialect: ImageDialect,
  more: readonly Editing[],
): readonly ImageEndpoint[] {
  const common = {
    style: images,
    isExclusive: true,
    serves: (model: string) => name.test(model),
    maxInputs: 10,
    pictures: PICTURES,
  };
  return [
    {
      ...common,
      path: GENERATE,
      answers: ({ task }) => task === "generate",
      dialect: { ...dialect },
    },
    {
      ...common,
      path: EDIT,
      answers: ({ task }) => task === "edit",
      dialect: { ...editing(dialect, more) },
    },
  ];
}
