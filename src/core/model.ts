import type { Counting } from "./counting.ts";
import type { RateLimits } from "./limits.ts";
import type { Price } from "./money.ts";
import type { ReasoningControls } from "./reasoning.ts";

export type Modality = "text" | "image" | "audio" | "video" | "file";
export type ModelKind =
  | "chat"
  | "embedding"
  | "rerank"
  | "image"
  | "video"
  | "speech"
  | "transcription"
  | "moderation";

/** The catalogue's facts about one model of one vendor. */
export interface Model {
  readonly id: string;
  /** Other ids of the same model at the same vendor and price. */
  readonly aliases?: readonly string[];
  /** Id of the provider that serves it. */
  readonly owner: string;
  readonly kind: ModelKind;
  /** Unix seconds of the model's release, if known. */
  readonly createdAt?: number;
  /** The vendor's name for its size class. */
  readonly line?: string;
  /** Unix seconds of the day on which the vendor announced its deprecation. */
  readonly deprecatedAt?: number;
  /** Unix seconds of the day on which the vendor stops serving it. */
  readonly retiresAt?: number;
  /** Id of the replacement that the vendor names. */
  readonly replacement?: string;
  /** The day on which its vendor stopped serving it: `2026-09-24`. */
  readonly retired?: string;
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
  readonly input: readonly Modality[];
  readonly output: readonly Modality[];
  readonly tools: boolean;
  readonly reasoning: boolean;
  /** Present if and only if `reasoning` is true. */
  readonly reasoningControls?: ReasoningControls;
  /** Name suffixes by which clients may control its reasoning. */
  readonly suffixes?: readonly SuffixKind[];
  /** Token counting parameters that differ in its family. */
  readonly counting?: Partial<Counting>;
  /** Request fields that it refuses at every vendor. */
  readonly rules?: RequestRules;
  /** Absent if no price is published: the model can be used and costs nothing. */
  readonly price?: Price;
}

/** The operator's overrides of the catalogue's facts. */
export interface ModelOverride {
  readonly price?: Price;
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
  /** Id of a known model that provides all traits not set here. */
  readonly like?: string;
  /** Shared by all clients. */
  readonly limits?: RateLimits;
}

/** The traits that a request is fitted to; empty if the model is unknown. */
export type ModelTraits = Partial<
  Pick<
    Model,
    | "kind"
    | "line"
    | "deprecatedAt"
    | "retiresAt"
    | "counting"
    | "contextTokens"
    | "maxOutputTokens"
    | "input"
    | "output"
    | "tools"
    | "reasoningControls"
    | "rules"
  >
>;

/** Its answers may have images or videos; each is one event of any size. */
export function givesImages({ output }: ModelTraits): boolean {
  return output?.some((each) => each === "image" || each === "video") === true;
}

/**
 * Request fields that a model refuses at every vendor. Requests are fitted to
 * these rules before they are sent. An absent field means that it is unknown.
 */
export interface RequestRules {
  /** Settings that it accepts only with the default value. */
  readonly refuses?: readonly TuningSetting[];
  /** Takes `temperature` or `top_p`, never both. */
  readonly oneSampler?: true;
  /** Refuses to continue an assistant turn at the end of the request. */
  readonly prefill?: false;
  /** Response formats that the vendor enforces; the others become instructions in the prompt. */
  readonly formats?: readonly AnswerFormat[];
  /** Refuses tools together with an enforced response format. */
  readonly formatsWithTools?: false;
  /** Accepted values of `thinking.type`; empty if it refuses the field. */
  readonly thinking?: readonly ThinkingType[];
  /** The highest effort that it accepts with `thinking.type` of `disabled` or `between_tools`. */
  readonly maxEffortWithoutThinking?: string;
  /** Refuses a tool choice that forces a call. */
  readonly forcedTools?: false;
  /** Refuses a thinking budget in tokens, including 0: only efforts control its reasoning. */
  readonly thinkingBudgets?: false;
  /** Requires the call id in each tool result. */
  readonly callIds?: true;
  /** Refuses returned thinking if the messages before it have changed. */
  readonly bindsThinking?: true;
  /** Maximum length of a tool name. */
  readonly maxToolNameLength?: number;
  /**
   * The only style that supports a feature, by feature. Vendors with that style
   * are called in it, independent of the client's style.
   */
  readonly needsStyle?: Readonly<Partial<Record<CallFeature, string>>>;
  /** Needs to know for each of its earlier messages if it was the final response. */
  readonly phases?: true;
  /** Accepts cache breakpoints in the request, with a lifetime. */
  readonly cacheBreakpoints?: true;
}

/**
 * Features of a call that may decide the upstream's style. `any`: every call.
 * `tools`: tools, unless reasoning is off. `web_search`: a search by the
 * vendor. `effort_max`: the highest effort.
 */
export const CALL_FEATURES = ["any", "tools", "web_search", "effort_max"] as const;
export type CallFeature = (typeof CALL_FEATURES)[number];

/** Request settings under their most common names. */
export type TuningSetting =
  | "temperature"
  | "top_p"
  | "top_k"
  | "presence_penalty"
  | "frequency_penalty"
  | "seed"
  | "logprobs"
  | "logit_bias"
  | "stop"
  | "n";

export type AnswerFormat = "json" | "json_schema" | "enum";

export type ThinkingType = "enabled" | "disabled" | "adaptive" | "between_tools";

/** Traits that follow from a model's name. The model's row in the catalogue takes precedence. */
export type FamilyTraits = Omit<ModelTraits, "counting">;

/**
 * `thinking`: `-thinking`, `-nothinking`; `budget`: `-thinking-<tokens>`;
 * `level`: `-thinking-low`, `-thinking-high`; `effort`: `-low`, `-high` and the
 * model's other efforts.
 */
export type SuffixKind = "thinking" | "budget" | "level" | "effort";

/** The catalogue of known models. */
export interface Catalog {
  /** Also finds dated ids, and resold models of other vendors. */
  findModel(provider: string, id: string): Model | undefined;
  listModels(provider: string): readonly Model[];
  /** Token counting parameters by model name, also for models that are not listed. */
  findCounting(id: string): Partial<Counting> | undefined;
  /** Traits by model name, also for models that are not listed. */
  findFamily(id: string): FamilyTraits | undefined;
}

/** True if the catalogue knows the model and lists no reasoning. */
export function doesNotReason({ kind, reasoningControls }: ModelTraits): boolean {
  return kind !== undefined && reasoningControls === undefined;
}
