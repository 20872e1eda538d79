import type { ReasoningEffort } from "../engine/conversation.ts";
import type { JsonObject } from "../json.ts";
import { LISTENERS, SPEAKERS } from "./audio/models.ts";
import { EMBEDDERS } from "./embeddings.ts";
import { MODERATORS } from "./moderations.ts";
import { PICTURE_MODELS } from "./pictures/models.ts";
import { VIDEO_MODELS } from "./videos/models.ts";

/** A simulated model: its abilities, and the fields that it rejects. */
export interface Model {
  readonly id: string;
  /** The dated name that answers carry. */
  readonly snapshot: string;
  readonly owner: string;
  readonly contextTokens: number;
  /** Refuses a limit above it; no such rule if absent. */
  readonly maxOutputTokens?: number;
  /** Whether it thinks before it answers, and whether the thoughts can be read. */
  readonly thinks: "never" | "hidden" | "visibly";
  readonly efforts: readonly ReasoningEffort[];
  /** Its defaults. */
  readonly usualEffort: ReasoningEffort;
  /** Rejects sampling parameters and `max_tokens`, as reasoning models of the vendor do. */
  readonly isStrict: boolean;
  readonly speaks: boolean;
  /** Says of each message whether it is the final one, in responses. */
  readonly namesPhases: boolean;
  /** In chat completions it takes tools only at effort `none`, and searches nothing. */
  readonly prefersResponses?: true;
  /** The efforts that it takes in chat completions, where those are fewer. */
  readonly chatEfforts?: readonly ReasoningEffort[];
  /** Takes breakpoints of the prompt cache, and reports what was written at them. */
  readonly hasBreakpoints?: true;
}

export type ListedModel = Pick<Model, "id"> & Partial<Pick<Model, "owner">>;

export function findModel(id: string): Model | undefined {
  const found = MODELS.find((model) => model.id === id || model.snapshot === id);
  if (found !== undefined) return found;
  // Whole families answer under any of their names.
  return /^qwen[\w.-]{0,60}$/.test(id) ? thinker(id, "alibaba") : undefined;
}

export function listModels(): JsonObject {
  return { object: "list", data: [...MODELS, ...OTHER_MODELS].map(modelBody) };
}

/** Those that do not talk. */
const OTHER_MODELS: readonly ListedModel[] = [
  ...EMBEDDERS,
  ...PICTURE_MODELS,
  ...MODERATORS,
  ...SPEAKERS,
  ...LISTENERS,
  ...VIDEO_MODELS,
];

/** Of any kind. */
export function findListed(id: string): ListedModel | undefined {
  return findModel(id) ?? OTHER_MODELS.find((model) => model.id === id);
}

export function modelBody({ id, owner = "system" }: ListedModel): JsonObject {
  return { id, object: "model", created: 1_715_367_049, owned_by: owner };
}

function plain(id: string, date: string, extra: Partial<Model> = {}): Model {
  return {
    id,
    snapshot: date === "" ? id : `${id}-${date}`,
    owner: "system",
    contextTokens: 128_000,
    thinks: "never",
    efforts: [],
    usualEffort: "medium",
    isStrict: false,
    speaks: false,
    namesPhases: false,
    ...extra,
  };
}

function strict(
  id: string,
  date: string,
  efforts: readonly ReasoningEffort[],
  usualEffort: ReasoningEffort = "medium",
): Model {
  return plain(id, date, {
    contextTokens: 200_000,
    thinks: "hidden",
    efforts,
    usualEffort,
    isStrict: true,
  });
}

/** From gpt-5.6 on. The limit is that of the input. */
function newest(id: string, efforts: readonly ReasoningEffort[]): Model {
  return {
    ...strict(id, "", efforts),
    contextTokens: 922_000,
    maxOutputTokens: 128_000,
    namesPhases: true,
    prefersResponses: true,
    hasBreakpoints: true,
  };
}

/** Models of other vendors, and the sandbox's own, who show their reasoning. */
function thinker(id: string, owner: string): Model {
  return { ...plain(id, ""), owner, thinks: "visibly", efforts: EVERY_EFFORT };
}

const THREE_EFFORTS: readonly ReasoningEffort[] = ["low", "medium", "high"];
const FOUR_EFFORTS: readonly ReasoningEffort[] = ["minimal", ...THREE_EFFORTS];
export const EVERY_EFFORT: readonly ReasoningEffort[] = ["none", ...FOUR_EFFORTS, "xhigh", "max"];
const TO_XHIGH: readonly ReasoningEffort[] = ["none", ...THREE_EFFORTS, "xhigh"];
const TO_MAX: readonly ReasoningEffort[] = [...TO_XHIGH, "max"];
const ALWAYS_THINKS: readonly ReasoningEffort[] = [...THREE_EFFORTS, "xhigh", "max"];

const LARGE = { contextTokens: 1_047_576, maxOutputTokens: 32_768 };

export const MODELS: readonly Model[] = [
  plain("gpt-4o", "2024-08-06", { maxOutputTokens: 16_384 }),
  plain("gpt-4o-mini", "2024-07-18", { maxOutputTokens: 16_384 }),
  plain("gpt-4.1", "2025-04-14", LARGE),
  plain("gpt-4.1-mini", "2025-04-14", LARGE),
  plain("gpt-4.1-nano", "2025-04-14", LARGE),
  plain("gpt-3.5-turbo", "0125", { contextTokens: 16_385, maxOutputTokens: 4_096 }),
  plain("gpt-4o-audio-preview", "2025-06-03", { speaks: true }),
  plain("gpt-4o-mini-audio-preview", "2024-12-17", { speaks: true }),
  plain("gpt-audio", "2025-08-28", { speaks: true }),
  strict("o1", "2024-12-17", THREE_EFFORTS),
  strict("o3", "2025-04-16", THREE_EFFORTS),
  strict("o3-mini", "2025-01-31", THREE_EFFORTS),
  strict("o4-mini", "2025-04-16", THREE_EFFORTS),
  strict("gpt-5", "2025-08-07", FOUR_EFFORTS),
  strict("gpt-5-mini", "2025-08-07", FOUR_EFFORTS),
  strict("gpt-5-nano", "2025-08-07", FOUR_EFFORTS),
  strict("gpt-5.1", "2025-11-13", ["none", ...THREE_EFFORTS], "none"),
  {
    ...strict("gpt-5.4", "2026-03-05", TO_XHIGH, "none"),
    namesPhases: true,
    prefersResponses: true,
  },
  newest("gpt-5.6-sol", TO_XHIGH),
  newest("gpt-5.6-terra", TO_XHIGH),
  newest("gpt-5.6-luna", TO_XHIGH),
  newest("gpt-6-astra", ALWAYS_THINKS),
  newest("gpt-6-sol", TO_MAX),
  newest("gpt-6-luna", TO_MAX),
  { ...newest("gpt-6.1-sol", ALWAYS_THINKS), chatEfforts: [...THREE_EFFORTS, "xhigh"] },
  newest("gpt-6.1-terra", TO_MAX),
  // Nobody has published its efforts: it is taken for the one before it.
  { ...newest("gpt-6.2-sol", ALWAYS_THINKS), chatEfforts: [...THREE_EFFORTS, "xhigh"] },
  plain("deepseek-chat", "", { owner: "deepseek" }),
  // Of a model that nobody has published, no catalogue has a price.
  plain("deepseek-flash-next", "", { owner: "deepseek" }),
  thinker("deepseek-reasoner", "deepseek"),
  thinker("qwen-plus", "alibaba"),
  thinker("qwen3-max", "alibaba"),
  plain("sim-text", "", { owner: "sandbox" }),
  thinker("sim-reasoner", "sandbox"),
];
