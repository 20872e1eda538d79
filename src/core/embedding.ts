import type { Extra } from "./chat.ts";
import { estimateTokens } from "./count.ts";
import {
  usageOfAll,
  type OperationRequest,
  type OperationKind,
  type OperationResult,
} from "./operation.ts";

/** Texts to be turned into vectors. */
export interface EmbeddingRequest extends OperationRequest {
  /** Each a text, or the tokens of one, which only the model's own vendor understands. */
  readonly inputs: readonly (string | readonly number[])[];
  readonly dimensions?: number;
  /** What the vectors are for, where the caller says so. */
  readonly task?: EmbeddingTask;
  /** Of a document. */
  readonly title?: string;
  /** How the caller wants to be answered, where its format gives the choice. */
  readonly encoding?: "float" | "base64";
  readonly user?: string;
  /** Members that have no place above, by the format that they belong to. */
  readonly extra?: Extra;
}

export const EMBEDDING_TASKS = [
  "query",
  "document",
  "similarity",
  "classification",
  "clustering",
  "question_answering",
  "fact_verification",
  "code_query",
] as const;
export type EmbeddingTask = (typeof EMBEDDING_TASKS)[number];

/** One vector for each input, in the order of the inputs. */
export interface Embeddings extends OperationResult {
  readonly vectors: readonly Float32Array[];
}

export const embedding: OperationKind<EmbeddingRequest, Embeddings> = {
  sizeOf: ({ inputs }) =>
    inputs.reduce(
      (sum, input) => sum + (typeof input === "string" ? estimateTokens(input) : input.length),
      0,
    ),

  split(question, maxInputs) {
    const { inputs } = question;
    if (inputs.length <= maxInputs) return [question];
    const parts: EmbeddingRequest[] = [];
    for (let at = 0; at < inputs.length; at += maxInputs) {
      parts.push({ ...question, inputs: inputs.slice(at, at + maxInputs) });
    }
    return parts;
  },

  join(parts) {
    const usage = usageOfAll(parts.map(({ answer }) => answer));
    const vectors = parts.flatMap(({ answer }) => answer.vectors);
    return { vectors, ...(usage === undefined ? {} : { usage }) };
  },
};
