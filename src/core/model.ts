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
  /** Unix seconds of the model's release. */
  readonly createdAt: number;
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
  /** Absent where nobody published one: the model may be used and costs nothing. */
  readonly price?: Price;
}

/** What the owner says of a model, over what the catalogue knows. */
export interface ModelOverride {
  readonly price?: Price;
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
  /** Of all callers together. */
  readonly limits?: RateLimits;
}

/** What a request has to be fitted to; empty where nothing is known of the model. */
export type ModelTraits = Partial<
  Pick<
    Model,
    | "kind"
    | "counting"
    | "contextTokens"
    | "maxOutputTokens"
    | "input"
    | "output"
    | "tools"
    | "reasoningControls"
  >
>;

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
}

/** The catalogue knows the model, and nothing of any reasoning. */
export function doesNotReason({ kind, reasoningControls }: ModelTraits): boolean {
  return kind !== undefined && reasoningControls === undefined;
}
