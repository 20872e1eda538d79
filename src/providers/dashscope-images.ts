import { dashscopeGeneration, dashscopeTasks } from "#styles/image/dashscope/index.ts";
import type { DashscopeDialect } from "#styles/image/dashscope/dialect.ts";
import type { ImageEndpoint } from "./provider.ts";

const PROMPT_CHARS = 800;
const NO_PICTURES = { min: 0, max: 0 };
/**
 * The maximum of a request: a single upstream request is sent, and the vendor refuses more than the
 * model allows.
 */
const UNDIVIDED = 10;

const EDIT: DashscopeDialect = {
  pictures: { min: 1, max: 3 },
  most: 1,
  promptChars: PROMPT_CHARS,
};
const EDIT_PLUS: DashscopeDialect = {
  ...EDIT,
  most: 6,
  sizes: { sides: { min: 512, max: 2_048 } },
  rewrites: "usually",
};
/** Models with one name for generation and editing. */
const DRAW_AND_EDIT: DashscopeDialect = {
  ...EDIT_PLUS,
  pictures: { min: 0, max: 3 },
  sizes: { area: { min: 512 * 512, max: 2_048 * 2_048 } },
};
const DRAW: DashscopeDialect = {
  pictures: NO_PICTURES,
  most: 1,
  sizes: {
    oneOf: "1664*928 1472*1140 1472*1104 1328*1328 1140*1472 1104*1472 928*1664".split(" "),
  },
  rewrites: "on request",
  promptChars: PROMPT_CHARS,
};
/** Other model families of the vendor, each with its own limits. */
const OTHER: DashscopeDialect = {
  pictures: NO_PICTURES,
  most: 1,
  sizes: {},
  rewrites: "on request",
};

/** A path relative to the address of the compatible mode, outside of it. */
const API = "/../../api/v1";

const COMMON = {
  isExclusive: true,
  answers: ({ task }) => task !== "vary",
  pictures: {
    inlines: false,
    types: ["image/jpeg", "image/png", "image/webp", "image/bmp", "image/tiff", "image/gif"],
  },
} satisfies Partial<ImageEndpoint>;

export const DASHSCOPE_IMAGES: readonly ImageEndpoint[] = [
  row(/^qwen-image-edit-(plus|max)/, EDIT_PLUS, UNDIVIDED),
  row(/^qwen-image-edit/, EDIT, UNDIVIDED),
  row(/^qwen-image-[2-9]/, DRAW_AND_EDIT, UNDIVIDED),
  row(/^qwen-image/, DRAW, 1),
  row(/^(z-image|wan2\.[6-9]-t2i)/, OTHER, 1),
  {
    ...COMMON,
    style: dashscopeTasks,
    path: `${API}/services/aigc/text2image/image-synthesis`,
    serves: (model) => /^(wanx?2\.[0-5]-t2i|wanx-v1|flux|stable-diffusion)/.test(model),
    maxInputs: 1,
    dialect: { ...OTHER },
    headers: { "x-dashscope-async": "enable" },
    pending: {
      everyMs: 2_000,
      path: (id) => `${API}/tasks/${encodeURIComponent(id)}`,
    },
  },
];

function row(names: RegExp, dialect: DashscopeDialect, maxInputs: number): ImageEndpoint {
  return {
    ...COMMON,
    style: dashscopeGeneration,
    path: `${API}/services/aigc/multimodal-generation/generation`,
    serves: (model) => names.test(model),
    maxInputs,
    dialect: { ...dialect },
    // Without this header, URLs of the vendor's own storage cannot be resolved.
    headers: { "x-dashscope-ossresourceresolve": "enable" },
  };
}
