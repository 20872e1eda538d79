import type { Price } from "./money.ts";

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
  /** Absent where nobody published one: the model may be used and costs nothing. */
  readonly price?: Price;
}

/** What is known about the world's models. */
export interface Catalog {
  /** Also finds dated ids, and models of other vendors that this one resells. */
  findModel(provider: string, id: string): Model | undefined;
  listModels(provider: string): readonly Model[];
}
