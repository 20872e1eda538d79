import type { ReasoningEffort } from "../engine/conversation.ts";
import type { ThinkingConfig } from "./proto/generation-config.ts";

/** A simulated model: its abilities, the fields that it rejects, and the form of its answers. */
export interface Model {
  readonly id: string;
  readonly version: string;
  readonly displayName: string;
  readonly description: string;
  /** Another name for this model: answers carry the model's own. */
  readonly isAliasOf?: string;
  /** Which generation's way of answering it has. */
  readonly generation: Generation;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly maxTemperature: number;
  readonly topK: number;
  readonly thinking?: ThinkingLimits;
  /** The combinations of modalities it can be asked for; the first is what it makes unasked. */
  readonly modalities: readonly (readonly Modality[])[];
  readonly pictures?: PictureLimits;
  /** Of the models whose answers may take several requests. */
  readonly perRequest?: RequestLimits;
  /** One candidate, no cached content, and no turn of the model at the end. */
  readonly isStrict?: true;
  /** Results of functions have to say which call they answer. */
  readonly wantsCallIds?: true;
}

interface PictureLimits {
  readonly ratios: readonly string[];
  /** None for a model that draws in one size. */
  readonly sizes: readonly string[];
  readonly maxGiven: number;
}

export type Generation = "2.0" | "2.5" | "3";
export type Modality = "TEXT" | "IMAGE" | "AUDIO" | "VIDEO";

/** What one request may bring of an answer; the rest comes for a continuation token. */
interface RequestLimits {
  readonly streamedTokens: number;
  readonly wholeTokens: number;
}

export interface ThinkingLimits {
  /** In tokens; -1 leaves it to the model. Absent if a budget is refused. */
  readonly budget?: { readonly min: number; readonly max: number; readonly canBeOff: boolean };
  readonly levels: readonly ThinkingLevel[];
  /** Its defaults. */
  readonly usually: ReasoningEffort;
}

export type ThinkingLevel = NonNullable<ThinkingConfig["thinkingLevel"]>;

export function findModel(id: string): Model | undefined {
  return MODELS.find((model) => model.id === id);
}

/** The name that answers carry. */
export function servedBy({ id, isAliasOf }: Model): string {
  return isAliasOf ?? id;
}

const SECOND: Partial<Model> = { generation: "2.0", outputTokens: 8_192, topK: 40 };

function plain(id: string, displayName: string, version: string, extra: Partial<Model>): Model {
  return {
    id,
    version,
    displayName,
    description: `${displayName}, as the sandbox plays it`,
    generation: "2.5",
    inputTokens: 1_048_576,
    outputTokens: 65_536,
    maxTemperature: 2,
    topK: 64,
    modalities: [["TEXT"]],
    ...extra,
  };
}

type Budget = NonNullable<ThinkingLimits["budget"]>;

function budgeted(id: string, name: string, version: string, thinking: Budget) {
  // The smallest of them thinks only when it is told to.
  const usually = thinking.min === 512 ? "none" : "medium";
  return plain(id, name, version, { thinking: { budget: thinking, levels: [], usually } });
}

function levelled(
  id: string,
  name: string,
  version: string,
  levels: readonly ThinkingLevel[],
  extra: Partial<Model> = {},
  usually: ReasoningEffort = "high",
) {
  // Models with a minimal level also accept no thinking.
  const budget = levels.includes("MINIMAL")
    ? { min: 1, max: 24_576, canBeOff: true }
    : { min: 128, max: 32_768, canBeOff: false };
  const thinking: ThinkingLimits = { budget, levels, usually };
  return plain(id, name, version, { generation: "3", thinking, ...extra });
}

/**
 * Answers as the third generation does, with rules of its own: levels only, and
 * long answers in several requests. Input, thoughts and output share one window.
 */
function fourth(id: string, name: string, usually: ReasoningEffort) {
  const thinking: ThinkingLimits = { levels: THREE_LEVELS, usually };
  return plain(id, name, id.slice("gemini-".length), {
    generation: "3",
    thinking,
    outputTokens: 1_048_576,
    perRequest: { streamedTokens: 65_536, wholeTokens: 32_768 },
    isStrict: true,
    wantsCallIds: true,
  });
}

const THREE_LEVELS: readonly ThinkingLevel[] = ["LOW", "MEDIUM", "HIGH"];
const FOUR_LEVELS: readonly ThinkingLevel[] = ["MINIMAL", ...THREE_LEVELS];

const RATIOS = ["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"] as const;
const LONG_RATIOS = ["1:4", "4:1", "1:8", "8:1"] as const;

function draws(inputTokens: number, pictures: PictureLimits): Partial<Model> {
  return {
    inputTokens,
    outputTokens: 32_768,
    maxTemperature: 1,
    modalities: [["TEXT", "IMAGE"], ["IMAGE"]],
    pictures,
  };
}

/** It draws best from up to three, and takes more. */
const BANANA = draws(32_768, { ratios: RATIOS, sizes: [], maxGiven: Infinity });
const BANANA_PRO = draws(131_072, { ratios: RATIOS, sizes: ["1K", "2K", "4K"], maxGiven: 14 });
const BANANA_2: Partial<Model> = {
  ...draws(65_536, {
    ratios: [...RATIOS, ...LONG_RATIOS],
    sizes: ["512", "1K", "2K", "4K"],
    maxGiven: 14,
  }),
  outputTokens: 65_536,
};
const BANANA_2_1: Partial<Model> = {
  ...draws(131_072, {
    ratios: [...RATIOS, ...LONG_RATIOS],
    sizes: ["512", "1K", "2K", "4K"],
    maxGiven: 14,
  }),
};
/** Text unless a video is asked for. */
const FILMS: Partial<Model> = { modalities: [["TEXT"], ["TEXT", "VIDEO"], ["VIDEO"]] };
const SPEAKS: Partial<Model> = {
  inputTokens: 8_192,
  outputTokens: 16_384,
  modalities: [["AUDIO"]],
};

export const MODELS: readonly Model[] = [
  budgeted("gemini-2.5-flash", "Gemini 2.5 Flash", "001", {
    min: 1,
    max: 24_576,
    canBeOff: true,
  }),
  budgeted("gemini-2.5-pro", "Gemini 2.5 Pro", "2.5", { min: 128, max: 32_768, canBeOff: false }),
  plain("gemini-2.0-flash", "Gemini 2.0 Flash", "2.0", SECOND),
  plain("gemini-2.0-flash-001", "Gemini 2.0 Flash 001", "2.0", SECOND),
  plain("gemini-2.0-flash-lite-001", "Gemini 2.0 Flash-Lite 001", "2.0", SECOND),
  plain("gemini-2.0-flash-lite", "Gemini 2.0 Flash-Lite", "2.0", SECOND),
  plain("gemini-2.5-flash-preview-tts", "Gemini 2.5 Flash Preview TTS", "tts", SPEAKS),
  plain("gemini-2.5-pro-preview-tts", "Gemini 2.5 Pro Preview TTS", "tts", SPEAKS),
  levelled("gemini-flash-latest", "Gemini Flash Latest", "Gemini Flash Latest", FOUR_LEVELS, {
    isAliasOf: "gemini-3.6-flash",
  }),
  levelled("gemini-pro-latest", "Gemini Pro Latest", "Gemini Pro Latest", THREE_LEVELS, {
    isAliasOf: "gemini-3.1-pro-preview",
  }),
  budgeted("gemini-2.5-flash-lite", "Gemini 2.5 Flash-Lite", "001", {
    min: 512,
    max: 24_576,
    canBeOff: true,
  }),
  plain("gemini-2.5-flash-image", "Nano Banana", "2.0", BANANA),
  levelled("gemini-3-pro-preview", "Gemini 3 Pro Preview", "3-pro-preview-11-2025", [
    "LOW",
    "HIGH",
  ]),
  levelled(
    "gemini-3-flash-preview",
    "Gemini 3 Flash Preview",
    "3-flash-preview-12-2025",
    FOUR_LEVELS,
  ),
  levelled(
    "gemini-3.1-pro-preview",
    "Gemini 3.1 Pro Preview",
    "3.1-pro-preview-01-2026",
    THREE_LEVELS,
  ),
  levelled("gemini-3.1-flash-lite", "Gemini 3.1 Flash Lite", "3.1-flash-lite-05-2026", FOUR_LEVELS),
  levelled("gemini-3-pro-image-preview", "Nano Banana Pro", "3.0", ["LOW", "HIGH"], BANANA_PRO),
  levelled("gemini-3-pro-image", "Nano Banana Pro", "3.0", ["LOW", "HIGH"], BANANA_PRO),
  levelled("gemini-3.1-flash-image-preview", "Nano Banana 2", "3.0", ["MINIMAL", "HIGH"], BANANA_2),
  levelled("gemini-3.1-flash-image", "Nano Banana 2", "3.0", ["MINIMAL", "HIGH"], BANANA_2),
  levelled("gemini-3.5-flash", "Gemini 3.5 Flash", "3.5-flash-05-2026", FOUR_LEVELS, {
    isAliasOf: "gemini-3.6-flash",
  }),
  levelled("gemini-3.5-flash-lite", "Gemini 3.5 Flash Lite", "3.5-flash-lite-07-2026", FOUR_LEVELS),
  levelled("gemini-3.6-flash", "Gemini 3.6 Flash", "3.6-flash-07-2026", FOUR_LEVELS),
  levelled(
    "gemini-3.7-flash",
    "Gemini 3.7 Flash",
    "3.7-flash",
    THREE_LEVELS,
    { isAliasOf: "gemini-3.8-flash", wantsCallIds: true },
    "medium",
  ),
  levelled(
    "gemini-3.8-flash",
    "Gemini 3.8 Flash",
    "3.8-flash",
    THREE_LEVELS,
    { wantsCallIds: true },
    "medium",
  ),
  fourth("gemini-4-argon", "Gemini 4 Argon", "medium"),
  fourth("gemini-4-carbon", "Gemini 4 Carbon", "medium"),
  fourth("gemini-4-neon", "Gemini 4 Neon", "high"),
  levelled("gemini-omni-1.1-flash", "Gemini Omni 1.1 Flash", "omni-1.1", THREE_LEVELS, FILMS),
  levelled("gemini-omni-1.2-flash", "Gemini Omni 1.2 Flash", "omni-1.2", THREE_LEVELS, FILMS),
  levelled("gemini-nano-banana-2.1", "Nano Banana 2.1", "2.1", ["MINIMAL", "HIGH"], BANANA_2_1),
];
