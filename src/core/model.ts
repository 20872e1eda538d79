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

/** What the catalogue knows about one model of one vendor. */
export interface Model {
  readonly id: string;
  /** Other ids that the same vendor answers to with the same model, at the same price. */
  readonly aliases?: readonly string[];
  /** Id of the provider that serves it. */
  readonly owner: string;
  readonly kind: ModelKind;
  /** Unix seconds of the model's release, if it is known. */
  readonly createdAt?: number;
  /** What its maker calls models of its size. */
  readonly line?: string;
  /** Unix seconds of the day when its maker announced its end. */
  readonly deprecatedAt?: number;
  /** Unix seconds of the day from which it is not served any more. */
  readonly retiresAt?: number;
  /** Id of the model that its maker names in its place. */
  readonly replacement?: string;
  /** The day on which its vendor stopped serving it: `2026-09-24`. */
  readonly retired?: string;
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
  readonly input: readonly Modality[];
  readonly output: readonly Modality[];
  readonly tools: boolean;
  readonly reasoning: boolean;
  /** Present exactly where `reasoning` is true. */
  readonly reasoningControls?: ReasoningControls;
  /** Endings of its name by which callers may steer its reasoning. */
  readonly suffixes?: readonly SuffixKind[];
  /** How its family counts differently. */
  readonly counting?: Partial<Counting>;
  /** What it refuses, whoever hosts it. */
  readonly rules?: RequestRules;
  /** Absent where nobody published one: the model may be used and costs nothing. */
  readonly price?: Price;
}

/** What the owner says of a model, over what the catalogue knows. */
export interface ModelOverride {
  readonly price?: Price;
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
  /** Id of a known model whose traits this one has, as far as nothing else is said here. */
  readonly like?: string;
  /** Of all callers together. */
  readonly limits?: RateLimits;
}

/** What a request has to be fitted to; empty where nothing is known of the model. */
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

/**
 * What a model refuses, whoever hosts it. Requests are fitted to it before they
 * are sent. An absent member means that nothing is known.
 */
export interface RequestRules {
  /** Settings that it refuses at any value but the default. */
  readonly refuses?: readonly TuningSetting[];
  /** Takes `temperature` or `top_p`, never both. */
  readonly oneSampler?: true;
  /** Refuses to continue an assistant turn at the end of the request. */
  readonly prefill?: false;
  /** Answer formats that the vendor enforces for it; the others are asked for in words. */
  readonly formats?: readonly AnswerFormat[];
  /** Refuses tools together with an enforced answer format. */
  readonly formatsWithTools?: false;
  /** Values of `thinking.type` that it takes, in the messages style. */
  readonly thinking?: readonly ThinkingType[];
  /** The strongest effort that goes with `thinking.type` of `disabled` or `between_tools`. */
  readonly maxEffortWithoutThinking?: string;
  /** Refuses a tool choice that forces a call. */
  readonly forcedTools?: false;
  /** Refuses a number of tokens to think for, 0 included: its reasoning is steered by efforts alone. */
  readonly thinkingBudgets?: false;
  /** Wants the id of its call in each result of a tool. */
  readonly callIds?: true;
  /** Refuses thinking that comes back behind anything else than it was made behind. */
  readonly bindsThinking?: true;
  /** Longest name of a tool. */
  readonly maxToolNameLength?: number;
  /**
   * The style that alone carries calls with a feature, by the feature. Vendors
   * who speak that style are asked in it, whatever style the caller speaks.
   */
  readonly needsStyle?: Readonly<Partial<Record<CallFeature, string>>>;
  /** Wants to be told of each message that it wrote before whether it was its final answer. */
  readonly phases?: true;
  /** Takes marks in the request up to which the prompt is cached, and how long. */
  readonly cacheBreakpoints?: true;
}

/**
 * What of a call may decide the style in which its upstream is asked. `any`:
 * every call. `tools`: tools, unless reasoning is off. `web_search`: a search
 * by the vendor. `effort_max`: the strongest effort.
 */
export const CALL_FEATURES = ["any", "tools", "web_search", "effort_max"] as const;
export type CallFeature = (typeof CALL_FEATURES)[number];

/** Request settings by the names that most callers use. */
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

/** What a model's name alone tells. The catalogue's row of the model outranks it. */
export type FamilyTraits = Omit<ModelTraits, "counting">;

/**
 * `thinking`: `-thinking`, `-nothinking`; `budget`: `-thinking-<tokens>`;
 * `level`: `-thinking-low`, `-thinking-high`; `effort`: `-low`, `-high` and the
 * model's other efforts.
 */
export type SuffixKind = "thinking" | "budget" | "level" | "effort";

/** What is known about the world's models. */
export interface Catalog {
  /** Also finds dated ids, and models of other vendors that this one resells. */
  findModel(provider: string, id: string): Model | undefined;
  listModels(provider: string): readonly Model[];
  /** How a model counts, going by its name: of those that are not listed as well. */
  findCounting(id: string): Partial<Counting> | undefined;
  /** What a model's name tells of it: of those that are not listed as well. */
  findFamily(id: string): FamilyTraits | undefined;
}

/** The catalogue knows the model, and nothing of any reasoning. */
export function doesNotReason({ kind, reasoningControls }: ModelTraits): boolean {
  return kind !== undefined && reasoningControls === undefined;
}
