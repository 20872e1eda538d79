import { either, flag, integer, list, number, object, text, type ObjectRule } from "#lib/rules.ts";

/** The maximum of all families. */
export const MAX_PICTURES = 16;
const MAX_TURNS = 100;
const MAX_SEED = 2_147_483_647;

const PICTURE = text({ minLength: 1, doc: "A link, a data URI, or base64." });
const COUNT = integer(1, 10, "How many pictures.");
const SEED = integer(0, MAX_SEED, "The same seed is meant to give the same picture again.");
const TOKENS = integer(1, 1_000_000);

const PART = object({ text: text(), image: PICTURE });

/** Common members, and those of single model families. */
export const REQUEST: ObjectRule = object({
  "model!": text({ minLength: 1, maxLength: 512 }),
  prompt: text({ doc: "What the picture is to show." }),
  response_format: text({
    oneOf: ["url", "b64_json"],
    doc: "How pictures are handed over, where the model leaves a choice.",
  }),
  contents: list(
    object({ role: text({ oneOf: ["user", "model", "assistant"] }), "parts!": list(PART, 100, 1) }),
    MAX_TURNS,
  ),
  input: object({
    messages: list(
      object({ "role!": text({ oneOf: ["user"] }), "content!": list(PART, 100, 1) }),
      MAX_TURNS,
    ),
  }),
  parameters: object({
    n: COUNT,
    negative_prompt: text(),
    prompt_extend: flag(),
    watermark: flag(),
    seed: SEED,
    size: text(),
  }),
  n: COUNT,
  sample_count: COUNT,
  size: text({ doc: "`1024x1024`, `16:9` or `2K`: each model has its own." }),
  aspect_ratio: text(),
  image_size: text({ doc: "`1K`, `2K` or `4K`." }),
  quality: text(),
  style: text(),
  background: text(),
  moderation: text(),
  output_format: text({ oneOf: ["png", "jpeg", "webp", "gif", "svg"] }),
  output_compression: integer(0, 100),
  mime_type: text({ oneOf: ["image/png", "image/jpeg"] }),
  response_modalities: text({ oneOf: ["image", "image-text"] }),
  person_generation: text(),
  max_output_tokens: TOKENS,
  max_tokens: TOKENS,
  maxOutputTokens: TOKENS,
  temperature: number(0, 2),
  top_p: number(0, 1),
  image: either(PICTURE, list(PICTURE, MAX_PICTURES, 1)),
  images: list(PICTURE, MAX_PICTURES),
  mask: text({
    minLength: 1,
    doc: "Where the first picture may be changed; only for some models.",
  }),
  markup: text({
    minLength: 1,
    doc: "What is drawn over the first picture, to say what is to be changed; only for some models.",
  }),
  complexity: text({ doc: "How much a model plans before it draws: `low`, `medium` or `high`." }),
  frame_count: integer(2, 16, "Frames of a picture that moves (`gif`)."),
  frame_duration_ms: integer(0, 655_350),
  input_fidelity: text({ oneOf: ["low", "medium", "high", "auto"] }),
  watermark: flag(),
  seed: SEED,
  guidance_scale: number(0, 100),
  negative_prompt: text(),
  prompt_extend: flag(),
  sequential_image_generation: text({ oneOf: ["auto", "disabled"] }),
  sequential_image_generation_options: object({
    max_images: integer(1, 4, "Pictures of a set."),
  }),
  optimize_prompt_options: object({ mode: text({ oneOf: ["standard", "fast"] }) }),
  stream: flag(),
  partial_images: integer(0, 3, "How often a streamed picture is shown before it is done."),
  user: text(),
});

export const KNOWN: ReadonlySet<string> = new Set(REQUEST.members.keys());

/** Known members within fields that are objects. */
export const KNOWN_WITHIN: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [...REQUEST.members].flatMap(([name, rule]) =>
    rule.is === "object" ? [[name, new Set(rule.members.keys())] as const] : [],
  ),
);
