/** An image model and its options. */
export interface PictureModel {
  readonly id: string;
  /** The later ones take tokens, and answer with the bytes of what they drew. */
  readonly isByTokens: boolean;
  /** "any" within the bounds of those who draw in every size. */
  readonly sizes: readonly string[] | "any";
  readonly qualities: readonly string[];
  readonly maxCount: number;
  readonly maxPromptCharacters: number;
  /** Supported fields besides the common ones. */
  readonly fields: readonly string[];
  readonly edits: boolean;
  readonly hasFidelity: boolean;
  /** Draws moving pictures and vectors as well, plans as long as it is told to, and takes a drawing over a picture. */
  readonly isNewest: boolean;
  /** Writes to itself before it draws, which is paid for as text. */
  readonly plans: boolean;
}

const TOKEN_SIZES: readonly string[] = ["1024x1024", "1024x1536", "1536x1024", "auto"];
const TOKEN_FIELDS: readonly string[] = [
  "quality",
  "background",
  "moderation",
  "output_format",
  "output_compression",
  "stream",
  "partial_images",
  "safety_identifier",
];
const NEWEST_FIELDS: readonly string[] = [
  ...TOKEN_FIELDS,
  "complexity",
  "frame_count",
  "frame_duration_ms",
  "svg",
];

function byTokens(id: string, extra: Partial<PictureModel> = {}): PictureModel {
  return {
    id,
    isByTokens: true,
    sizes: TOKEN_SIZES,
    qualities: ["low", "medium", "high", "auto"],
    maxCount: 10,
    maxPromptCharacters: 32_000,
    fields: TOKEN_FIELDS,
    edits: true,
    hasFidelity: true,
    isNewest: false,
    plans: false,
    ...extra,
  };
}

const SECOND: Partial<PictureModel> = { sizes: "any", plans: true, hasFidelity: false };
const NEWEST: Partial<PictureModel> = {
  ...SECOND,
  isNewest: true,
  qualities: ["low", "medium", "high", "xhigh", "max", "auto"],
  fields: NEWEST_FIELDS,
};

export const USUAL_MODEL = "dall-e-2";
export const USUAL_EDITOR = "gpt-image-1.5";

export const PICTURE_MODELS: readonly PictureModel[] = [
  byTokens("gpt-image-1"),
  byTokens("gpt-image-1-mini", { hasFidelity: false }),
  byTokens(USUAL_EDITOR, { plans: true }),
  byTokens("chatgpt-image-latest", { plans: true }),
  byTokens("gpt-image-2", SECOND),
  byTokens("gpt-image-2-2026-04-21", SECOND),
  byTokens("gpt-image-2.5-sunburst", NEWEST),
  byTokens("gpt-image-2.5-sunburst-2026-09-08", NEWEST),
  byTokens("gpt-image-2.5-flare", NEWEST),
  byTokens("gpt-image-2.5-flare-2026-09-08", NEWEST),
  // Only their names are published: they are taken for the ones before them.
  byTokens("gpt-image-2.6-sunburst", NEWEST),
  byTokens("gpt-image-2.6-flare", NEWEST),
  {
    ...byTokens("dall-e-3"),
    isByTokens: false,
    sizes: ["1024x1024", "1792x1024", "1024x1792"],
    qualities: ["standard", "hd"],
    maxCount: 1,
    maxPromptCharacters: 4_000,
    fields: ["response_format", "quality", "style"],
    edits: false,
  },
  {
    ...byTokens(USUAL_MODEL),
    isByTokens: false,
    sizes: ["256x256", "512x512", "1024x1024"],
    qualities: [],
    maxPromptCharacters: 1_000,
    fields: ["response_format"],
  },
];

/** Without a model name, these fields select a model that supports them. */
export const OF_TOKENS_ONLY: readonly string[] = TOKEN_FIELDS.filter(
  (name) => name !== "quality" && name !== "safety_identifier",
);
